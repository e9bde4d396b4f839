"""A Spec as a complete `.ft` text without `use`, `extends`, variables, profiles and defaults.

The text means what the Spec means: read from a file in the entry's folder, it resolves to the same
values.  A run whose result is the base stays another file's: that file is named by `use`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path

from ftlang.names.files import Declared, Module
from ftlang.names.resolve import Document
from ftlang.schema.run import Spec
from ftlang.schema.sources import Reference, Result
from ftlang.show import blocks
from ftlang.show.blocks import Shown
from ftlang.show.origins import Origins
from ftlang.show.written import key, text, written
from ftlang.source import SourceFile
from ftlang.syntax import ast
from ftlang.syntax.format import formatted


def shown(specs: Iterable[Spec], document: Document, origins: bool = False) -> str:
    """The runs as one text in the form of `ftc fmt`; with `origins`, a comment behind each value.

    Raises ValueError if that is no text of the language, which would be a bug.
    """
    specs = list(specs)
    names = _Names(specs, document)
    body = "\n".join([*names.lines(origins), *_lines(specs, document, names, origins)])
    laid, found = formatted(SourceFile("<show>", f"{body.strip()}\n"))
    if laid is None:
        raise ValueError(f"what is shown has a syntax error: {found[0].message}")
    return laid


def _lines(specs: list[Spec], document: Document, names: _Names, origins: bool) -> Iterator[str]:
    for spec in specs:
        names.spec = spec
        said = Origins(spec, document) if origins else None
        yield ""
        yield from _block(blocks.run(spec, document), names, said)


class _Names:
    """Names for what the shown runs refer to: data sets, whose blocks are shown, and other runs."""

    def __init__(self, specs: list[Spec], document: Document) -> None:
        self.document, self.specs = document, specs
        self.spec = specs[0] if specs else None
        self._taken = {spec.name for spec in specs}
        self._datasets: dict[Declared, tuple[Shown, Spec]] = {}
        self._files: dict[str, str] = {}  # what `use` names, to its alias
        for spec in specs:
            for declared, block in blocks.datasets(spec, document):
                self._datasets.setdefault(declared, (block, spec))
        self._named = blocks.dataset_names(self._datasets, self._taken)
        for spec in specs:
            if isinstance(spec.model.base, Result):
                self.spec = spec
                self.result(spec.model.base)

    def lines(self, origins: bool) -> Iterator[str]:
        """The `use` lines, and the blocks of the data sets."""
        for file, alias in self._files.items():
            yield f"use {text(file)} as {alias}"
        for declared, (block, spec) in self._datasets.items():
            said = Origins(spec, self.document) if origins else None
            yield ""
            yield from _block(block, self, said, self._named[declared])

    def dataset(self, reference: Reference) -> str:
        """The data set's name in this text, with the split."""
        assert isinstance(reference.declared, Declared)
        name = self._named[reference.declared]
        return f"{name}.{key(reference.split)}" if reference.split is not None else name

    def result(self, result: Result) -> str:
        """The producer's name, with the alias of its file where it is another one."""
        module = self._producer()
        asked = self.document.asked
        shown = any(spec.name == result.run for spec in self.specs)
        if module is self.document.module and shown and not (asked.profiles or asked.sets):
            return result.run
        path, entry = module.source.path, self.document.source.path
        folder = entry.parent if entry is not None else Path()
        file = module.source.name
        if path is not None:
            away = posixpath.relpath(path.absolute().as_posix(), folder.absolute().as_posix())
            file = posixpath.normpath(away)
        if file not in self._files:
            stem = "".join(c if c.isalnum() or c in "_-" else "_" for c in Path(file).stem)
            self._files[file] = blocks.free(key(stem).strip('"') or "other", self._taken)
        return f"{self._files[file]}.{result.run}"

    def _producer(self) -> Module:
        """The file of the run whose result is the base of the run at hand."""
        assert self.spec is not None
        tree = self.document.runs[self.spec.name].blocks["model"]
        call = tree.attrs["base"].value
        assert isinstance(call, ast.Call) and isinstance(call.args[0], ast.Path)
        found = self.document.find(call.args[0], "run")
        assert found is not None
        return found[0].module


def _block(block: Shown, names: _Names, said: Origins | None, name: str = "") -> Iterator[str]:
    """The lines of a block; `name` stands in for that of a declaration."""
    head = (block.head[0], name) if name else block.head
    inside: list[str] = []
    for field in block.fields:
        line = f"{field.name} = {written(field.value, field.type, names)}"
        inside.append(line + (f"  # {said.of(field, block)}" if said else ""))
    inside += [f"# {sentence}" for sentence in said.dropped(block)] if said else []
    for inner in block.blocks:
        inside += _block(inner, names, said)
    behind = said.of_block(block) if said else ""
    comment = f"  # {behind}" if behind else ""
    if inside:
        yield f"{' '.join(head)} {{{comment}"
        yield from inside
        yield "}"
    elif len(head) > 1:
        yield f"{' '.join(head)}{comment}"
