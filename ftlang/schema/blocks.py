"""Trees to blocks: every field of a block typed, with where it was set; what it does not have."""

from __future__ import annotations

from typing import Any

from ftlang.diagnostics import Diagnostic, error
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.names.tree import Given, Tree
from ftlang.schema.block import Block, Declared, Family, declared
from ftlang.schema.data import Dataset
from ftlang.schema.foreign import BLOCKS, KINDS
from ftlang.schema.misplaced import unknown_field
from ftlang.schema.run import Origin, Run, headed_by, set_by
from ftlang.schema.scope import Scope
from ftlang.schema.types import UNREAD, Reading
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

    def reading(self, name: str) -> Reading:
        """What the type of a field reads with."""
        return Reading(self.found, name, self.run, self.scope)

    def block(self, cls: type[Block], tree: Tree, prefix: str, family: str) -> Block | None:
        """The block, or None when any part of it could not be read."""
        values, whole = self.values(cls, tree, prefix, family)
        return cls(**values) if whole and cls._required <= values.keys() else None

    def values(
        self, cls: type[Block], tree: Tree, prefix: str, family: str
    ) -> tuple[dict[str, Any], bool]:
        """What was set, by name, and whether all of it could be read."""
        values: dict[str, Any] = {}
        known = declared(cls)
        whole = True
        for name, attr in tree.attrs.items():
            field = known.get(name)
            if name in cls.families and isinstance(attr.value, ast.Unreadable):
                whole = False  # a block's head that could not be read, already reported
                continue
            if field is None:
                self.found.append(self._unknown(cls, tree, attr, family))
                whole = False
                continue
            values[name] = field.type.read(attr.value, self.reading(name))
            whole = whole and values[name] is not UNREAD
            self.origins[prefix + name] = set_by(attr)
        for field in known.values():
            if field.required and field.name not in tree.attrs and not self.partial:
                self.found.append(_missing(field, tree, family))
                whole = False
        whole = self._inner_blocks(cls, tree, prefix, family, values) and whole
        if tree.kind is not None and cls not in (Run, Dataset):
            values["kind"] = tree.kind.text
        return values, whole

    def _inner_blocks(
        self,
        cls: type[Block],
        tree: Tree,
        prefix: str,
        family: str,
        values: dict[str, Any],
    ) -> bool:
        whole = True
        for name, inner in tree.blocks.items():
            if name not in cls.families:
                self.found.append(self._unknown_block(cls, inner, family))
                whole = False
                continue
            values[name] = self.member(cls.families[name], inner, prefix + name)
            whole = whole and values[name] is not None
        for name, member in cls.families.items():
            if name in tree.blocks or name in tree.attrs:
                continue
            if member.default is None and not member.optional and not self.partial:
                help = (
                    f"add `{name} {next(iter(member.kinds))}`"
                    if member.has_kinds
                    else f"add `{name} {{ … }}`"
                )
                message = (
                    f"`{family} {self.run}` has no `{name}`"
                    if self.run
                    else f"`{family}` has no `{name}`"
                )
                span = tree.kind.span if tree.kind is not None else tree.head
                self.found.append(
                    _removed(name, tree, family)
                    if name in tree.removed
                    else error("FT207", message, span, notes=(member.doc,), help=(help,))
                )
                whole = False
        return whole

    def member(self, family: Family, tree: Tree, prefix: str) -> Block | None:
        """A block of a family, its kind looked up first."""
        self.origins[prefix] = headed_by(tree)
        kind = tree.kind
        if tree.patched and family.has_kinds:
            return None  # its kind is given elsewhere
        if not family.has_kinds:
            if kind is not None:
                help = f"write `{family.name} {{ … }}`"
                self.found.append(
                    error(
                        "FT211",
                        f"`{family.name}` has no kinds",
                        kind.span,
                        help=(help,),
                    )
                )
                return None
            if tree.bare:
                self.found.append(error("FT211", f"`{family.name}` needs a block", tree.head))
                return None
            return self.block(family.kinds[""], tree, prefix + ".", family.name)
        if kind is None:
            ways = ", ".join(f"`{family.name} {k}`" for k in list(family.kinds)[:6])
            message = f"`{family.name}` needs a kind after its name"
            self.found.append(error("FT211", message, tree.name.span, help=(f"write {ways}",)))
            return None
        if kind.text in family.kinds:
            self.origins[prefix + ".kind"] = headed_by(tree)
            return self.block(
                family.kinds[kind.text],
                tree,
                prefix + ".",
                f"{family.name} {kind.text}",
            )
        if kind.text in family.later:
            self.found.append(planned(kind.span, f"`{family.name} {kind.text}`"))
            return None
        known = ", ".join(f"`{k}`" for k in family.kinds)
        near_by = did_you_mean(kind.text, (*family.kinds, *family.later)) or (f"use {known}",)
        if way := KINDS.get((family.name, kind.text)):
            near_by = (way,)
        message = f"`{family.name}` has no kind `{kind.text}`"
        self.found.append(error("FT210", message, kind.span, help=near_by))
        return None

    def _unknown(self, cls: type[Block], tree: Tree, attr: Given, family: str) -> Diagnostic:
        name, span = attr.path.text, attr.path.span
        if name in cls.planned:
            return planned(span, f"`{name}` of `{family}`")
        if name in cls.families:
            inner = cls.families[name]
            form = f"{name} {_kind_meant(attr, inner)}" if inner.has_kinds else f"{name} {{ … }}"
            return error(
                "FT218",
                f"`{name}` is a block",
                span,
                help=(f"write `{form}` without `=`",),
            )
        return unknown_field(name, span, cls, family)

    def _unknown_block(self, cls: type[Block], inner: Tree, family: str) -> Diagnostic:
        name, span = inner.name.text, inner.name.span
        if name in cls.planned:
            return planned(inner.head, f"`{inner.head.text.strip()}`")
        if name in declared(cls):
            return error("FT218", f"`{name}` is a field", span, help=(f"write `{name} = …`",))
        if name in Run.families or name in Run.planned:
            message = f"`{name}` does not stand inside `{family}`"
            out = f"move `{name}` out of `{family}`, into the run"
            return error("FT209", message, span, help=(out,))
        help = did_you_mean(name, (*cls.families, *cls.planned, *declared(cls)))
        if name in BLOCKS and BLOCKS[name] in (*cls.families, *Run.families):
            help = (f"here the block is `{BLOCKS[name]}`",)
        elif not help and cls.families:
            help = (f"`{family}` has the blocks " + ", ".join(f"`{n}`" for n in cls.families),)
        if name == "dataset":
            help = ("declare it beside the run, and name it in `data`",)
        return error("FT209", f"`{family}` has no block `{name}`", span, help=help)


def _kind_meant(attr: Given, family: Family) -> str:
    """The kind that `tune = full` names, or the first of the family."""
    value = attr.value
    word = value.value if isinstance(value, ast.Str) else value.span.text
    return word if word in family.kinds else next(iter(family.kinds))


def _missing(field: Declared, tree: Tree, family: str) -> Diagnostic:
    if field.name in tree.removed:
        return _removed(field.name, tree, family)
    span = tree.kind.span if tree.kind is not None else tree.name.span
    help = f"add `{field.name} = …`, {field.type.words()}"
    return error(
        "FT207",
        f"`{family}` has no `{field.name}`",
        span,
        notes=(field.doc.text,),
        help=(help,),
    )


def _removed(name: str, tree: Tree, family: str) -> Diagnostic:
    """What is required and was unset: the fault lies there, not where the block begins."""
    return error(
        "FT207",
        f"`{family}` needs its `{name}`, which has no default to restore",
        tree.removed[name],
        help=(f"set another `{name}` instead of unsetting it",),
    )
