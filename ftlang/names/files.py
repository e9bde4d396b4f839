"""The files of a job: the entry, what it uses, and the names that each declares."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ftlang.diagnostics import Diagnostic, Label, error, has_errors, warning
from ftlang.names.load import load
from ftlang.names.written import words_in
from ftlang.record import Record
from ftlang.source import SourceFile, Span
from ftlang.syntax import ast, parse

if TYPE_CHECKING:
    from pathlib import Path

    from ftlang.names.registry import Registry

DECLARATIONS = ("run", "defaults", "dataset", "template", "profile")


class Declared(Record):
    """A name that a file declares: its kind (`run`, `let`, …), its node, and the file."""

    kind: str
    name: str
    node: ast.Block | ast.Let | ast.Param
    module: Module

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    @property
    def span(self) -> Span:
        """Where its name stands."""
        node = self.node
        name = node.kind if isinstance(node, ast.Block) else node.name
        return name.span if name is not None else node.span


class Import(Record):
    """A `use`, and the file behind it: None where that could not be loaded."""

    use: ast.Use
    module: Module | None

    @property
    def alias(self) -> str:
        """The name after `as`, or ""."""
        return self.use.alias.text if self.use.alias is not None else ""


class Module:
    """One file, parsed, with its declarations by name and its imports.

    `variables` are its `let` and `param`, `names` everything else; `found` is what is wrong with
    the file by itself.  `partial` says that names may be missing through a fault reported already.
    """

    def __init__(
        self,
        source: SourceFile,
        tree: ast.File,
        found: list[Diagnostic],
        registry: Registry | None = None,
    ) -> None:
        self.source, self.tree, self.found, self.registry = source, tree, found, registry
        self.imports: list[Import] = []
        self.names: dict[str, Declared] = {}
        self.variables: dict[str, Declared] = {}
        self.partial = False

    def name(self, parts: tuple[str, ...]) -> tuple[Declared, tuple[str, ...]] | None:
        """What a dotted name means in this file, and the parts behind it; None for nothing."""
        return self._find(parts, "names")

    def variable(self, parts: tuple[str, ...]) -> Declared | None:
        """The `let` or `param` that `$name` or `$file.name` means in this file."""
        found = self._find(parts, "variables")
        return found[0] if found is not None and not found[1] else None

    def visible(self, table: str) -> Iterator[tuple[str, Declared]]:
        """Every name that can be written in this file, as it is written."""
        for name, declared in getattr(self, table).items():
            yield name, declared
        for one in self.imports:
            if one.module is not None:
                for name, declared in getattr(one.module, table).items():
                    yield (f"{one.alias}.{name}" if one.alias else name), declared

    def _find(self, parts: tuple[str, ...], table: str) -> tuple[Declared, tuple[str, ...]] | None:
        own: Mapping[str, Declared] = getattr(self, table)
        if parts[0] in own:
            return own[parts[0]], parts[1:]
        for one in self.imports:
            theirs = getattr(one.module, table) if one.module is not None else {}
            if not one.alias and parts[0] in theirs:
                return theirs[parts[0]], parts[1:]
            if one.alias == parts[0] and len(parts) > 1 and parts[1] in theirs:
                return theirs[parts[1]], parts[2:]
        return None


class Loader:
    """Loads files once each, however many entries use them."""

    def __init__(self) -> None:
        self._loaded: dict[str, tuple[Module | None, list[Diagnostic]]] = {}

    def entry(
        self, path: str | Path, name: str | None = None
    ) -> tuple[Module | None, list[Diagnostic]]:
        """The file, with everything it uses, or None and why it could not be loaded."""
        return self._file(path, str(path) if name is None else name, ())

    def text(self, source: SourceFile) -> Module:
        """The module of a text at hand, with everything it uses."""
        return self._module(source, [], ())

    def _file(
        self, path: str | Path, name: str, above: tuple[str, ...]
    ) -> tuple[Module | None, list[Diagnostic]]:
        key = _one_name(path)
        if key not in self._loaded:
            source, found = load(path, name)
            module = self._module(source, found, (*above, key)) if source is not None else None
            self._loaded[key] = module, found
        return self._loaded[key]

    def _module(
        self, source: SourceFile, found: list[Diagnostic], above: tuple[str, ...]
    ) -> Module:
        if source.place is not None and str(source.place).endswith(".json"):
            from ftlang.names.registry import registry  # most jobs have none

            read = registry(source)
            module = Module(source, read.tree, read.found, read)
            module.partial = has_errors(read.found)
            if len(above) < 2:  # the entry itself: its reader wants everything
                module.found += (remark for each in read.remarks.values() for remark in each)
        else:
            module = Module(source, *parse(source))
        tree = module.tree
        for item in tree.items:
            if isinstance(item, ast.Use):
                self._use(module, item, above)
        for item in tree.items:
            _declare(module, item)
        module.found += _unused(module)
        return module

    def _use(self, module: Module, use: ast.Use, above: tuple[str, ...]) -> None:
        name = use.path.value
        source = module.source
        path = os.path.join(source.folder or "", name)
        shown = posixpath.normpath(posixpath.join(posixpath.dirname(source.name), name))
        key = _one_name(path)
        if key in above:
            module.found.append(_cycle(use, above[above.index(key) :], shown))
            module.imports.append(Import(use, None))
            module.partial = True
            return
        used, found = self._file(path, shown, above)
        if used is None:
            module.found += [_not_loaded(use, one) for one in found]
            module.partial = True
        else:
            module.found += used.found
            module.found += _remarks(module, use, used)
            module.partial = module.partial or used.partial
        module.imports.append(Import(use, used))
        _check_import(module, module.imports[-1])


def _remarks(module: Module, use: ast.Use, used: Module) -> Iterator[Diagnostic]:
    """What another tool's registry has to say on the entries that a file names."""
    if used.registry is not None:
        from ftlang.names.registry import remarked

        alias = use.alias.text if use.alias is not None else ""
        yield from remarked(used.registry, module.source.text, alias)


def _one_name(path: str | Path) -> str:
    """One spelling for each file; a path that no system takes keeps its own."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError, RuntimeError):
        return str(path)


def _cycle(use: ast.Use, above: tuple[str, ...], shown: str) -> Diagnostic:
    names = [os.path.basename(one) for one in above]
    chain = " → ".join(f"`{n}`" for n in (*names, names[0]))
    return error(
        "FT120",
        f"`{shown}` is used in a circle",
        use.path.span,
        notes=(f"the files use each other: {chain}",) if len(names) > 1 else (),
        help=("move what they share into a file of its own, and use that in both",)
        if len(names) > 1
        else ("remove this line: a file's own names need no `use`",),
    )


def _not_loaded(use: ast.Use, why: Diagnostic) -> Diagnostic:
    """What `load` said, at the `use` that asked for the file; a text's own faults stay there."""
    if why.code not in ("FT101", "FT102"):
        return why
    help = ("the path is relative to the file that names it",) if why.code == "FT101" else ()
    return error(why.code, why.message, use.path.span, help=help)


def _check_import(module: Module, new: Import) -> None:
    """FT121 where the import brings a name that is there already."""
    for one in module.imports[:-1]:
        if one.module is None or new.module is None:
            continue
        first = one.use.alias.span if one.use.alias is not None else one.use.path.span
        if one.alias == new.alias and (one.module is new.module or new.alias):
            again = new.use.alias.span if new.use.alias is not None else new.use.path.span
            what = f"`{new.alias}` names two files" if new.alias else "this file is used twice"
            module.found.append(error("FT121", what, again, labels=(Label(first, "first here"),)))
            return
        if one.alias or new.alias:
            continue
        for table in ("names", "variables"):
            both = getattr(one.module, table).keys() & getattr(new.module, table).keys()
            for name in sorted(both):
                module.found.append(
                    error(
                        "FT121",
                        f"`{name}` comes from two files",
                        new.use.path.span,
                        labels=(Label(first, "it is declared there too"),),
                        help=('give one file a name of its own: `use "…" as d`, then `d.…`',),
                    )
                )


def _declare(module: Module, item: ast.Item) -> None:
    if isinstance(item, ast.Let | ast.Param):
        name, table, kind = item.name, module.variables, type(item).__name__.lower()
    elif isinstance(item, ast.Block) and item.name.text in DECLARATIONS and item.kind is not None:
        name, table, kind = item.kind, module.names, item.name.text
    else:
        return
    declared = Declared(kind, name.text, item, module)
    sign = "$" if table is module.variables else ""
    first = table.get(name.text)
    if first is not None:
        message = f"`{sign}{name.text}` is declared twice"
        module.found.append(_twice(message, name.span, first.span))
        return
    for one in module.imports:
        theirs: Mapping[str, Declared] = {}
        if one.module is not None and not one.alias:
            theirs = one.module.variables if sign else one.module.names
        if name.text in theirs:
            message = f"`{sign}{name.text}` is declared here and comes from `{one.use.path.value}`"
            module.found.append(_twice(message, name.span, one.use.path.span))
        if one.alias == name.text and not sign:
            message = f"`{name.text}` names a file and a `{kind}`"
            module.found.append(_twice(message, name.span, one.use.span))
    table[name.text] = declared


def _twice(message: str, again: Span, first: Span) -> Diagnostic:
    return error(
        "FT112",
        message,
        again,
        labels=(Label(first, "first declared here"),),
        help=("give one of them another name",),
    )


def _unused(module: Module) -> Iterator[Diagnostic]:
    """FT122 for each import of which the file mentions no name."""
    if not module.imports:
        return
    words = words_in(module.tree)
    for one in module.imports:
        theirs = one.module
        if theirs is None or theirs.partial or theirs.found:
            continue
        names = {one.alias} if one.alias else theirs.names.keys() | theirs.variables.keys()
        profiles = any(d.kind == "profile" for d in theirs.names.values())
        if not names & words and not profiles:
            yield warning(
                "FT122",
                f"nothing of `{one.use.path.value}` is used",
                one.use.span,
                help=("remove the line",),
            )
