"""In one body each path is set once, so that the order of entries never matters."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.source import Span
from ftlang.syntax import ast

Path = tuple[str, ...]


def parts_of(path: ast.Path) -> Path:
    """The parts of a path as plain strings."""
    return tuple(p.text if isinstance(p, ast.Name) else p.value for p in path.parts)


def set_once(
    body: Iterable[ast.Entry], named: Collection[str], found: list[Diagnostic]
) -> list[ast.Entry]:
    """The entries of a body without those that set again what another has set (FT208)."""
    return _Once(named, found).kept(body, ())


class _Once:
    """What has been set so far, by full path: values, blocks, and what was unset."""

    def __init__(self, named: Collection[str], found: list[Diagnostic]) -> None:
        self.named, self.found = named, found
        self.values: dict[Path, Span] = {}
        self.blocks: dict[Path, Span] = {}
        self.unset: dict[Path, Span] = {}

    def kept(self, body: Iterable[ast.Entry], at: Path) -> list[ast.Entry]:
        kept: list[ast.Entry] = []
        for entry in body:
            if isinstance(entry, ast.Block):
                path = (*at, entry.name.text)
                if entry.name.text in self.named and entry.kind is not None:
                    path = (*path, entry.kind.text)
                if self._is_first(path, entry.head, self.blocks):
                    inner = entry.body
                    if inner is not None:
                        inner = tuple(self.kept(inner, path))
                    kept.append(_with_body(entry, inner))
                continue
            path = (*at, *parts_of(entry.path))
            table = self.unset if isinstance(entry, ast.Unset) else self.values
            if self._is_first(path, entry.path.span, table):
                kept.append(entry)
        return kept

    def _is_first(self, path: Path, span: Span, table: dict[Path, Span]) -> bool:
        first = self.values.get(path) or self.blocks.get(path) or self.unset.get(path)
        if first is None and table is self.unset:
            below = [s for p, s in self.values.items() if p[: len(path)] == path]
            first = below[0] if below else None
        for length in range(1, len(path)):
            first = first or self.unset.get(path[:length])
        if first is None:
            table[path] = span
            return True
        name = path[-1] if self.unset.get(path) is None else ".".join(path)
        self.found.append(
            error(
                "FT208",
                f"`{name}` is set twice in this block",
                span,
                labels=(Label(first, "first set here"),),
                help=("keep one of them",),
            )
        )
        return False


def _with_body(block: ast.Block, body: tuple[ast.Entry, ...] | None) -> ast.Block:
    before = block.body
    if body is None or before is None:
        return block
    if len(body) == len(before) and all(a is b for a, b in zip(body, before, strict=True)):
        return block
    return ast.Block(block.name, block.kind, block.extends, body, block.head, block.span)
