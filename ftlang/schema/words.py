"""Types of fields that take words: strings, choices, switches, and lists of them."""

from __future__ import annotations

import re

from ftlang.diagnostics import error
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.schema.types import UNREAD, FieldType, Reading, Unread, refuse
from ftlang.syntax import ast
from ftlang.syntax.foreign_values import FOREIGN_VALUES


class Flag(Record):
    """`true` or `false`."""

    def words(self) -> str:
        return "`true` or `false`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Bool):
            return value.value
        return refuse(value, self.words(), at)


_INTERPOLATION = re.compile(r"\$(\$)?\{(?(1)|([^}]*)\}?)")


def interpolated(value: ast.Str, at: Reading) -> str | Unread:
    """The string with its `${…}` put in; the only name that exists so far is `run.name`."""
    unknown: list[str] = []

    def put(match: re.Match[str]) -> str:
        if match.group(1):
            return match.group(0)[1:]
        if match.group(2).strip() != "run.name" or not match.group(0).endswith("}"):
            unknown.append(match.group(0))
        return at.run

    text = _INTERPOLATION.sub(put, value.value)
    if not unknown:
        return text
    at.found.append(
        error(
            "FT116",
            f"`{unknown[0]}` names nothing",
            value.span,
            notes=("this release knows `${run.name}`",),
            help=("write `$${` for a literal `${`",),
        )
    )
    return UNREAD


class Text(Record):
    """A string, in which `${run.name}` stands for the run's name and `$${` for a literal `${`."""

    def words(self) -> str:
        return "a string"

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Str):
            return interpolated(value, at)
        help = (f'quote it: `"{value.text}"`',) if isinstance(value, ast.Path) else ()
        return refuse(value, self.words(), at, help)


class Choice(Record):
    """One word of a closed set; `planned` are words of the language that this release lacks."""

    members: tuple[str, ...]
    planned: tuple[str, ...] = ()
    or_false: bool = False
    or_none: bool = False

    def words(self) -> str:
        shown = [f"`{m}`" for m in (*(("false",) if self.or_false else ()), *self.members)]
        if self.or_none and "none" not in self.members:
            shown.append("`none`")
        return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)

    def read(self, value: ast.Value, at: Reading) -> object:
        if self.or_false and isinstance(value, ast.Bool) and not value.value:
            return False
        if self.or_none and isinstance(value, ast.Nothing):
            return "none" if "none" in self.members else None
        if self.or_false and isinstance(value, ast.Bool):
            return refuse(value, self.words(), at, (f"write `{at.name} = {self.members[0]}`",))
        word = value.text if isinstance(value, ast.Path) else None
        word = value.value if isinstance(value, ast.Str) else word
        if word is None or (word in FOREIGN_VALUES and word not in self.members):
            return refuse(value, self.words(), at)
        if word in self.members:
            return word
        if word in self.planned:
            at.found.append(planned(value.span, f"`{at.name} = {word}`"))
            return UNREAD
        known = (*self.members, *self.planned)
        help = did_you_mean(word, known) or (f"use {self.words()}",)
        at.found.append(
            error("FT206", f"`{at.name}` has no member `{word}`", value.span, help=help)
        )
        return UNREAD


class ListOf(Record):
    """`[a, b]` of one type."""

    item: FieldType
    bare: FieldType | None = None

    def words(self) -> str:
        whole = f"a list, each item {self.item.words()}" if self._takes_any() else "`[]`"
        return f"{self.bare.words()} or {whole}" if self.bare else whole

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.ListValue):
            items = [self.item.read(item, at) for item in value.items]
            return UNREAD if any(i is UNREAD for i in items) else tuple(items)
        if isinstance(self.bare, Choice) and isinstance(value, ast.Str | ast.Path):
            word = value.value if isinstance(value, ast.Str) else value.text
            if word not in self.bare.members:
                listed = ", ".join(part.strip() for part in word.split(","))
                meant = did_you_mean(word, self.bare.members)
                return refuse(value, self.words(), at, (*meant, f"put it in `[ ]`: `[{listed}]`"))
        if isinstance(self.bare, Choice) and isinstance(value, ast.MapValue | ast.Number):
            return refuse(value, self.words(), at)
        if self.bare is not None:
            return self.bare.read(value, at)
        if isinstance(value, ast.Path) and not self._takes_any():
            return self.item.read(value, at)
        wanted = "a list" if isinstance(value, ast.Str) else self.words()
        return refuse(value, wanted, at, ("put it in `[ ]`",) if self._takes_any() else ())

    def _takes_any(self) -> bool:
        """Whether there is an item that this release takes."""
        return not isinstance(self.item, Choice) or bool(self.item.members)


class Word(Record):
    """A plain word or a quoted string, such as the name of a module."""

    what: str = "a name"

    def words(self) -> str:
        return self.what

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Path) and value.text not in FOREIGN_VALUES:
            return value.text
        if isinstance(value, ast.Str):
            return interpolated(value, at)
        return refuse(value, self.words(), at)
