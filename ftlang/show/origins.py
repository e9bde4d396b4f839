"""Where a shown value comes from, in a few words: `base.ft:8, from `base``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from ftlang.names.resolve import Document
from ftlang.schema.run import Origin, Spec, set_by
from ftlang.show.blocks import Shown, Value, modules
from ftlang.source import Span
from ftlang.syntax import ast

_DEFINE = "-D "


class Origins:
    """The origins of one run's values."""

    def __init__(self, spec: Spec, document: Document) -> None:
        self.spec = spec
        # Where a constant or parameter is defined, to its name.
        self._variables: dict[Span, str] = {}
        for module in modules(document):
            for declared in module.variables.values():
                node = declared.node
                if isinstance(node, ast.Let | ast.Param) and node.value is not None:
                    self._variables[node.value.span] = declared.name

    def of(self, value: Value, block: Shown) -> str:
        """The origin of a field's value."""
        if value.given is not None:
            return self.said(set_by(value.given))
        if block.tree is not None and value.name in block.tree.removed:
            return f"default, unset at {self._place(block.tree.removed[value.name])}"
        return "default"

    def of_block(self, block: Shown) -> str:
        """The origin of a block's kind; "" for a block without kinds and for a declaration."""
        origin = self.spec.origins.get(f"{block.path}.kind") if block.path else None
        if origin is not None:
            return self.said(origin)
        return "default" if block.path and len(block.head) > 1 else ""

    def dropped(self, block: Shown) -> Iterator[str]:
        """A sentence for each field that a change of kind left behind."""
        for name, given in block.dropped.items():
            yield f"dropped when the kind changed: `{name}`, {self.said(set_by(given))}"

    def said(self, origin: Origin) -> str:
        """An origin in words: the layer, the place, and the definitions behind the value."""
        place = self._place(origin.span)
        match origin.kind:
            case "set":
                said = "--set"
            case "profile":
                said = f"profile {origin.name}, {place}"
            case "extends":
                said = f"{place}, from `{origin.name}`"
            case "default":
                said = "default"
            case _:
                said = place
        behind = [self._behind(span) for span in origin.through]
        given = [one for one in behind if one.startswith(_DEFINE)]
        rest = [one for one in behind if not one.startswith(_DEFINE)]
        if given:
            said = f"{', '.join(given)} ({said})"
        return ", ".join([said, *dict.fromkeys(rest)])

    def _behind(self, span: Span) -> str:
        name = span.source.name
        if name.startswith(_DEFINE):
            return name.partition("=")[0]
        if span in self._variables:
            return f"`${self._variables[span]}` at {self._place(span)}"
        return f"added to {self._place(span)}"

    def _place(self, span: Span) -> str:
        """File and line, the file as seen from the spec's folder; an option by its name."""
        name = span.source.name
        if span.source.path is None:
            return name.partition(" ")[0] if name.startswith("-") else f"{name}:{span.line}"
        folder = posixpath.dirname(self.spec.source.name)
        return f"{posixpath.relpath(name, folder or '.')}:{span.line}"
