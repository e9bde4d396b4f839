"""The resolved tree: a run with all its layers laid over each other, variables put in."""

from __future__ import annotations

from ftlang.record import Record
from ftlang.source import Span
from ftlang.syntax import ast


class Layer(Record):
    """Where an entry comes from: `spec`, `extends`, `profile`, `set` or `default`, by its name.

    The name is the run's, the profile's or the entry's text.
    """

    kind: str
    name: str = ""


class Given(Record):
    """One attribute of a tree.

    `value` has its variables put in; `written` spans the value as it stands in the entry, and
    `through` the definitions of the variables in it.
    """

    path: ast.Path
    value: ast.Value
    span: Span
    layer: Layer
    written: Span
    through: tuple[Span, ...] = ()


class Tree:
    """One block with everything that was set in it.

    `attrs` are its attributes by name, `blocks` its blocks by family, `named` those that have a
    name instead of a kind, by family and name.  `dropped` are fields that a change of kind left
    behind, `removed` what an `unset` took away.  A `patched` block is known by a dotted path alone,
    its kind given elsewhere.
    """

    def __init__(
        self,
        name: ast.Name,
        kind: ast.Name | None,
        head: Span,
        span: Span,
        layer: Layer,
        bare: bool = False,
    ) -> None:
        self.name, self.kind, self.head, self.span, self.bare = name, kind, head, span, bare
        self.layer, self.patched = layer, False
        self.attrs: dict[str, Given] = {}
        self.blocks: dict[str, Tree] = {}
        self.named: dict[str, dict[str, Tree]] = {}
        self.dropped: dict[str, Given] = {}
        self.removed: dict[str, Span] = {}
