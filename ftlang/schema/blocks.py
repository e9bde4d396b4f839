"""Trees to blocks: every field typed, with where it was set; what stands in none is diagnosed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.names.foreign_blocks import BLOCKS
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.names.tree import Given, Tree
from ftlang.record import replaced
from ftlang.schema.block import Block, Declared, Family, declared
from ftlang.schema.data import Dataset
from ftlang.schema.foreign import KINDS
from ftlang.schema.given import Passed
from ftlang.schema.kinds import Kind, kind_names, kind_of
from ftlang.schema.methods import COUNTED, METHOD
from ftlang.schema.run import Origin, Run, headed_by, set_by
from ftlang.schema.scope import Scope
from ftlang.schema.site import Site
from ftlang.schema.types import UNREAD, FieldType, Reading
from ftlang.schema.units import Quantity
from ftlang.source import Span
from ftlang.syntax import ast


class BlockReader:
    """Reads trees into blocks; `origins` collects where each path was set."""

    def __init__(
        self,
        found: list[Diagnostic],
        run: str,
        origins: dict[str, Origin],
        scope: Scope | None = None,
        partial: bool = False,
    ) -> None:
        self.found = found
        self.run = run
        self.origins = origins
        self.scope = scope
        self.partial = partial
        self.root: Tree | None = None
        self.method: Kind | None = None

    def reading(self, name: str) -> Reading:
        """What the type of a field reads with."""
        return Reading(self.found, name, self.run, self.scope)

    def block(self, cls: type[Block], tree: Tree, prefix: str, family: str) -> Block | None:
        """The block, or None when any part of it could not be read."""
        values, whole = self.values(cls, tree, prefix, family)
        return cls(**values) if whole and cls._required <= values.keys() else None

    def values(
        self,
        cls: type[Block],
        tree: Tree,
        prefix: str,
        family: str,
        passes: tuple[str, ...] | None = None,
    ) -> tuple[dict[str, Any], bool]:
        """What was set, by name, and whether all of it could be read."""
        if cls is Run:
            self._begin(tree)
        values: dict[str, Any] = {}
        passed: list[tuple[str, object]] = []
        known = declared(cls)
        passes = cls.passes if passes is None else passes
        at = Site(cls, tree, prefix, family, passes, self)
        whole = True
        for name, attr in tree.attrs.items():
            field = known.get(name)
            if name in cls.families and isinstance(attr.value, ast.Unreadable):
                whole = False  # a block's head that could not be read, already reported
                continue
            type_ = field.type if field is not None else at.argument(name)
            if type_ is None:
                self.found.append(self._unknown(at, attr))
                whole = False
                continue
            before = len(self.found)
            read = self._counted(self._field(name, attr, field, type_, family), attr)
            if attr.through:
                self.found[before:] = [_used(d, attr) for d in self.found[before:]]
            whole = whole and read is not UNREAD
            if field is not None:
                values[name] = read
            else:
                passed.append((name, read))
            self.origins[prefix + name] = set_by(attr)
        for field in known.values():
            if field.required and field.name not in tree.attrs:
                whole = False
                if not self.partial:
                    self.found.append(_missing(field, tree, family))
        whole = self._inner_blocks(cls, tree, prefix, family, values) and whole
        if passed:
            values["passed"] = Passed(tuple(passed))
        if tree.kind is not None and cls not in (Run, Dataset):
            values["kind"] = tree.kind.text
        return values, whole

    def _begin(self, run: Tree) -> None:
        """Notes the run at hand and its method, whose configuration class other blocks pass to."""
        self.root = run
        method = run.blocks.get(METHOD.name)
        if method is not None and method.kind is not None:
            self.method = kind_of(METHOD, method.kind.text)

    def _field(
        self, name: str, attr: Given, field: Declared | None, type_: FieldType, family: str
    ) -> object:
        """The value of a field; of a planned one its mistakes, then that it is planned."""
        if field is None or not field.doc.planned:
            return type_.read(attr.value, self.reading(name))
        mark = planned(attr.path.span, f"`{name}` of `{family}`")
        self._aside(lambda: type_.read(attr.value, self.reading(name)), mark)
        return UNREAD

    def _counted(self, read: object, attr: Given) -> object:
        """The value, unless it is a quantity in a unit that the run's method does not count in."""
        if not isinstance(read, Quantity) or self.method is None:
            return read
        methods = COUNTED.get(read.unit)
        if methods is None or self.method.name in methods:
            return read
        shown = ", ".join(f"`{m}`" for m in methods)
        message = f"`method {self.method.name}` does not count in {read.unit}"
        notes = (f"{read.unit} are units of {shown}",)
        help = (f"write `{read.amount} seqs`",)
        self.found.append(error("FT204", message, attr.value.span, notes=notes, help=help))
        return UNREAD

    def _aside(self, read: Callable[[], object], mark: Diagnostic) -> None:
        """Reads what is planned: its own mistakes count, and one FT501 stands for all of it."""
        outer, self.found = self.found, []
        read()
        inner, self.found = self.found, outer
        self.found += [*(d for d in inner if d.code != mark.code), mark]

    def _inner_blocks(
        self,
        cls: type[Block],
        tree: Tree,
        prefix: str,
        family: str,
        values: dict[str, Any],
    ) -> bool:
        whole = True
        for name, inner in _blocks(tree):
            if name not in cls.families:
                self.found.append(self._unknown_block(cls, inner, family))
                whole = False
                continue
            of = cls.families[name]
            place = (
                f"{prefix}{name}.{inner.kind.text}" if of.named and inner.kind else prefix + name
            )
            read = self.member(of, inner, place)
            if not of.named:
                values[name] = read
            whole = whole and read is not None
        for name, member in cls.families.items():
            if name in tree.blocks or name in tree.attrs:
                continue
            if member.default is None and not member.optional and not self.partial:
                self.found.append(
                    _removed(name, tree, family)
                    if name in tree.removed
                    else self._missing_block(member, tree, family)
                )
                whole = False
        return whole

    def _missing_block(self, member: Family, tree: Tree, family: str) -> Diagnostic:
        name = member.name
        kind = next(iter(member.kinds))
        help = f"add `{name} {kind}`" if member.has_kinds else f"add `{name} {{ … }}`"
        whose = f"{family} {self.run}" if self.run else family
        span = tree.kind.span if tree.kind is not None else tree.head
        message = f"`{whose}` has no `{name}`"
        return error("FT207", message, span, notes=(member.doc,), help=(help,))

    def member(self, family: Family, tree: Tree, prefix: str) -> Block | None:
        """A block of a family, its kind looked up first."""
        self.origins[prefix] = headed_by(tree)
        if family.named:
            return self._named(family, tree, prefix)
        if tree.patched and family.has_kinds:
            self._patched(family, tree, prefix)
            return None
        if not family.has_kinds:
            return self._without_kind(family, tree, prefix)
        if tree.kind is None:
            ways = ", ".join(f"`{family.name} {k}`" for k in [*family.kinds, *family.later][:6])
            message = f"`{family.name}` needs a kind after its name"
            self.found.append(error("FT211", message, tree.name.span, help=(f"write {ways}",)))
            return None
        kind = kind_of(family, tree.kind.text)
        if kind is None:
            self.found.append(_no_kind(family, tree.kind))
            return None
        self.origins[prefix + ".kind"] = headed_by(tree)
        mark = tree.kind.span if kind.planned else None
        return self._of(kind, tree, prefix, f"{family.name} {kind.name}", mark)

    def _patched(self, family: Family, tree: Tree, prefix: str) -> None:
        """Fields that a profile changes in a block whose kind the run gives: one kind has them."""
        first = None
        for name in kind_names(family):
            kind = kind_of(family, name)
            if kind is None:
                continue
            first = first or kind
            at = Site(kind.block, tree, prefix + ".", f"{family.name} {name}", kind.passes, self)
            known = declared(kind.block)
            if all(n in known or at.argument(n) is not None for n in tree.attrs):
                first = kind
                break
        if first is not None:
            named = f"{family.name} {first.name}"
            self.values(first.block, tree, prefix + ".", named, first.passes)

    def _without_kind(self, family: Family, tree: Tree, prefix: str) -> Block | None:
        if tree.kind is not None:
            help = f"write `{family.name} {{ … }}`"
            message = f"`{family.name}` has no kinds"
            self.found.append(error("FT211", message, tree.kind.span, help=(help,)))
            return None
        if tree.bare:
            self.found.append(error("FT211", f"`{family.name}` needs a block", tree.head))
            return None
        block = family.kinds[""]
        kind = Kind("", block, block.passes, family.planned)
        mark = tree.name.span if family.planned else None
        return self._of(kind, tree, prefix, family.name, mark)

    def _named(self, family: Family, tree: Tree, prefix: str) -> Block | None:
        """A block with a name instead of a kind."""
        if tree.kind is None:
            message = f"this `{family.name}` has no name"
            help = (f"name it, as in `{family.name} first {{ … }}`",)
            self.found.append(error("FT211", message, tree.name.span, help=help))
            return None
        block = family.kinds[""]
        kind = Kind("", block, block.passes, family.planned)
        mark = tree.name.span if family.planned else None
        return self._of(kind, tree, prefix, f"{family.name} {tree.kind.text}", mark)

    def _of(
        self, kind: Kind, tree: Tree, prefix: str, family: str, mark: Span | None
    ) -> Block | None:
        """A block of a kind; a planned one gets its FT501 at `mark` and is no block yet."""
        if mark is None:
            values, whole = self.values(kind.block, tree, prefix + ".", family, kind.passes)
            return kind.block(**values) if whole and kind.block._required <= values.keys() else None
        self._aside(
            lambda: self.values(kind.block, tree, prefix + ".", family, kind.passes),
            planned(mark, f"`{family}`"),
        )
        return None

    def _unknown(self, at: Site, attr: Given) -> Diagnostic:
        name, span = attr.path.text, attr.path.span
        if name in at.block.families:
            inner = at.block.families[name]
            form = f"{name} {_kind_meant(attr, inner)}" if inner.has_kinds else f"{name} {{ … }}"
            help = (f"write `{form}` without `=`",)
            return error("FT218", f"`{name}` is a block", span, help=help)
        from ftlang.schema.misplaced import unknown_field  # reads the signature table

        return unknown_field(attr, at)

    def _unknown_block(self, cls: type[Block], inner: Tree, family: str) -> Diagnostic:
        name, span = inner.name.text, inner.name.span
        if name in declared(cls):
            return error("FT218", f"`{name}` is a field", span, help=(f"write `{name} = …`",))
        if name in Run.families:
            message = f"`{name}` does not stand inside `{family}`"
            out = f"move `{name}` out of `{family}`, into the run"
            return error("FT209", message, span, help=(out,))
        if around := _around(name):
            message = f"`{name}` does not stand inside `{family}`"
            into = f"move it into `{around} {{ … }}`"
            return error("FT209", message, span, help=(into,))
        help = did_you_mean(name, (*cls.families, *declared(cls)))
        if name in BLOCKS and BLOCKS[name] in (*cls.families, *Run.families):
            help = (f"here the block is `{BLOCKS[name]}`",)
        elif not help and cls.families:
            help = (f"`{family}` has the blocks " + ", ".join(f"`{n}`" for n in cls.families),)
        if name == "dataset":
            help = ("declare it beside the run, and name it in `data`",)
        return error("FT209", f"`{family}` has no block `{name}`", span, help=help)


def _blocks(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """The blocks inside a tree by family, those that have a name among them."""
    yield from tree.blocks.items()
    for family, by_name in tree.named.items():
        for inner in by_name.values():
            yield family, inner


def _around(name: str) -> str | None:
    """The block of a run inside which a block of this name stands."""
    for family in Run.families.values():
        if any(name in kind.families for kind in family.kinds.values()):
            return family.name
    return None


def _no_kind(family: Family, kind: ast.Name) -> Diagnostic:
    names = kind_names(family)
    known = ", ".join(f"`{k}`" for k in family.kinds or names[:6])
    help = did_you_mean(kind.text, names) or (f"use {known}",)
    if way := KINDS.get((family.name, kind.text)):
        help = (way,)
    message = f"`{family.name}` has no kind `{kind.text}`"
    return error("FT210", message, kind.span, help=help)


def _used(found: Diagnostic, attr: Given) -> Diagnostic:
    """What is wrong with a variable's value, with the place that uses it."""
    span, use = found.span, attr.written
    if span.source is use.source and use.start <= span.start and span.end <= use.end:
        return found
    return replaced(found, labels=(*found.labels, Label(use, "used here")))


def _kind_meant(attr: Given, family: Family) -> str:
    """The kind that `tune = full` names, or the first of the family."""
    value = attr.value
    word = value.value if isinstance(value, ast.Str) else value.span.text
    names = kind_names(family)
    return word if word in names else names[0]


def _missing(field: Declared, tree: Tree, family: str) -> Diagnostic:
    if field.name in tree.removed:
        return _removed(field.name, tree, family)
    span = tree.kind.span if tree.kind is not None else tree.name.span
    help = f"add `{field.name} = …`, {field.type.words()}"
    message = f"`{family}` has no `{field.name}`"
    return error("FT207", message, span, notes=(field.doc.text,), help=(help,))


def _removed(name: str, tree: Tree, family: str) -> Diagnostic:
    """What is required and was unset: the fault lies there, not where the block begins."""
    return error(
        "FT207",
        f"`{family}` needs its `{name}`, which has no default to restore",
        tree.removed[name],
        help=(f"set another `{name}` instead of unsetting it",),
    )
