"""What names and paths in a value mean, seen from the file that they are written in."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.names.files import Declared
from ftlang.names.resolve import Document
from ftlang.names.suggest import did_you_mean
from ftlang.schema.sources import Reference
from ftlang.schema.types import UNREAD, Reading, Unread
from ftlang.source import Span
from ftlang.syntax import ast

if TYPE_CHECKING:
    from ftlang.schema.data import Dataset
    from ftlang.schema.run import Spec


class Scope:
    """References and relative paths of one job; `folder` is where its entry file lies.

    `dataset` and `result` read a declaration of any file; `above` are the runs whose result is
    being asked for, from the outermost in.
    """

    def __init__(
        self,
        document: Document,
        dataset: Callable[[Declared], Dataset | None],
        result: Callable[[Declared], Spec | None],
        above: tuple[Declared, ...] = (),
    ) -> None:
        self.document, self.dataset, self.result, self.above = document, dataset, result, above
        self.layered: Callable[[Declared], Spec | None] = lambda declared: None
        self.later: set[Declared] = set()  # runs with nothing wrong but what is planned
        self.too_long: set[Declared] = set()  # their chain of results is
        self.folder = document.source.folder or ""

    def reference(self, value: ast.Path, at: Reading) -> Reference | Unread:
        """The data set that a path names, and its split; UNREAD after an error."""
        found = self.document.find(value, "dataset")
        if found is None:
            if not self.document.is_partial(value.span):
                at.found.append(self._undeclared(value))
            return UNREAD
        declared, rest = found
        if not rest:
            return Reference(declared.name, None, declared)
        dataset = self.dataset(declared)
        if dataset is None:
            return UNREAD
        splits = getattr(dataset, "splits", None) or ()
        if len(rest) > 1 or rest[0] not in splits:
            at.found.append(_no_split(value, declared, rest, splits))
            return UNREAD
        return Reference(declared.name, rest[0], declared)

    def quoted(self, value: ast.Str) -> ast.Path | None:
        """The path that a string writes, if a data set has that name: both mean the same."""
        parts = tuple(ast.Name(part, value.span) for part in value.value.split("."))
        path = ast.Path(parts, value.span)
        return path if self.document.find(path, "dataset") is not None else None

    def is_variable(self, value: ast.Path) -> bool:
        """Whether the file of a word has a constant or a parameter of that name."""
        return self.document.has_variable(value)

    def placed(self, text: str, span: Span) -> str:
        """A path relative to the file that it is written in, as seen from the entry's folder."""
        folder = span.source.folder
        if folder is None or folder == self.folder:
            return text
        if posixpath.isabs(text) or text.startswith("package:"):
            return text
        return self.from_here(folder, text)

    def from_here(self, folder: str, text: str) -> str:
        """A path below another folder, as seen from the entry's folder."""
        if posixpath.isabs(text):
            return text
        away = posixpath.relpath(folder or ".", self.folder or ".")
        return text if away == "." else posixpath.normpath(posixpath.join(away, text))

    def _undeclared(self, value: ast.Path) -> Diagnostic:
        name = value.text
        known = self.document.known(value.span, "dataset")
        last = name.rpartition(".")[2]
        above, _, split = name.rpartition(".")
        plain = all(isinstance(part, ast.Name) for part in value.parts)
        with_split = [f"{one}.{split}" for one in known] if above and plain else []
        help = did_you_mean(name, [*known, *with_split]) or (
            f"declare it: `dataset {last} {{ source = files(…) }}`",
            "or write `files(…)` here",
        )
        return error("FT117", f"no `dataset {name}` is declared", value.span, help=help)


def _no_split(
    value: ast.Path, of: Declared, rest: tuple[str, ...], known: tuple[str, ...]
) -> Diagnostic:
    split = ".".join(rest)
    help = did_you_mean(split, known)
    if not help:
        listed = ", ".join(f"`{s}`" for s in known)
        help = (f"its splits are {listed}",) if known else (f"write `{of.name}` alone",)
    return error(
        "FT117",
        f"the data set `{of.name}` has no split `{split}`",
        value.span,
        labels=(Label(of.span, "declared here"),),
        help=help,
    )
