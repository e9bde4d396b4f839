"""The types of fields: each reads one AST value, or says what was wrong with it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

from ftlang.diagnostics import Diagnostic, Edit, error, warning
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.schema.units import BINARY, SI, Numeral, Quantity, numeral
from ftlang.source import Span
from ftlang.syntax import ast


class Unread:
    """The mark of a value that could not be read; its diagnostic is already recorded."""

    def __repr__(self) -> str:
        return "UNREAD"


UNREAD = Unread()

FOREIGN = {
    "True": "true",
    "False": "false",
    "None": "none",
    "null": "none",
    "yes": "true",
}
FOREIGN |= {"no": "false", "on": "true", "off": "false", "Yes": "true", "No": "false"}


@dataclass(slots=True)
class Reading:
    """What a reader works with: where diagnostics go, and the name of the field at hand.

    `run` is the run's name, `datasets` the names that may be referred to (None: any).
    """

    found: list[Diagnostic]
    name: str = ""
    run: str = ""
    datasets: Collection[str] | None = None


class FieldType(Protocol):
    """One kind of value that a field takes."""

    def words(self) -> str:
        """What it takes, in words that fit after "needs"."""
        ...

    def read(self, value: ast.Value, at: Reading) -> object:
        """The value, or UNREAD after recording why not."""
        ...


def describe(value: ast.Value) -> str:
    """What the user wrote, named by its form: "the string `\"x\"`"."""
    match value:
        case ast.Str():
            return "a string"
        case ast.Number(unit=""):
            return "a number"
        case ast.Number():
            return "a number with a unit"
        case ast.Bool():
            return f"`{value.span.text}`"
        case ast.Nothing():
            return "`none`"
        case ast.Path():
            return f"the word `{value.text}`"
        case ast.Call():
            return f"`{value.path.text}(…)`"
        case ast.ListValue():
            return "a list"
        case ast.MapValue():
            return "a map"
        case ast.Var():
            return f"`${value.name}`"
        case ast.Unreadable():
            return "what stands here"


# What is no string without its quotes: a number with its unit, or a truth value.
_UNQUOTED = re.compile(r"[+-]?\d[\w.+-]*%?( \w+)?|true|false", re.ASCII)


def refuse(value: ast.Value, wanted: str, at: Reading, help: tuple[str, ...] = ()) -> Unread:
    """Records that the value is of another type than the field's."""
    if isinstance(value, ast.Unreadable):
        return UNREAD
    if isinstance(value, ast.Var):
        at.found.append(planned(value.span, f"`${value.name}`"))
        return UNREAD
    if isinstance(value, ast.Call) and value.path.text in (
        "env",
        "secret",
        "py",
        "result",
        "regex",
    ):
        at.found.append(planned(value.path.span, f"`{value.path.text}(…)`"))
        return UNREAD
    fix = None
    right = FOREIGN.get(value.text) if isinstance(value, ast.Path) else None
    if right is not None and f"`{right}`" in wanted:
        help = (f"write `{right}`", *help)
        fix = Edit(value.span, right)
    if isinstance(value, ast.Str) and not help and _UNQUOTED.fullmatch(value.value):
        help = (f"write it without quotes: `{value.value}`",)
    at.found.append(
        error(
            "FT203",
            f"`{at.name}` needs {wanted}, not {describe(value)}",
            value.span,
            help=help,
            fix=fix,
        )
    )
    return UNREAD


def _out_of_range(span: Span, message: str, at: Reading) -> Unread:
    at.found.append(error("FT205", message, span))
    return UNREAD


def _bad_unit(value: ast.Number, wanted: str, at: Reading, help: tuple[str, ...] = ()) -> Unread:
    unit = value.unit or "no unit"
    message = f"`{at.name}` needs {wanted}, not `{value.span.text}`"
    at.found.append(
        error(
            "FT204",
            message,
            value.span,
            label=f"has {unit}" if value.unit else "",
            help=help,
        )
    )
    return UNREAD


def _numeral(value: ast.Number, wanted: str, at: Reading) -> Numeral | Unread:
    read = numeral(value.text, value.unit)
    if read is None:
        return _bad_unit(value, wanted, at)
    return read


@dataclass(frozen=True, slots=True)
class Int:
    """A whole number; with `counts`, also `4Ki` and `2k`, and SI lengths draw a warning."""

    at_least: int | None = None
    at_most: int | None = None
    counts: bool = False
    or_none: bool = False
    warn_si: bool = False

    def words(self) -> str:
        what = "a count such as `2048` or `2Ki`" if self.counts else "a whole number"
        if self.at_least is not None and self.at_most is not None:
            what += f" from {self.at_least} to {self.at_most}"
        elif self.at_least is not None:
            what += f" of at least {self.at_least}"
        return what + (" or `none`" if self.or_none else "")

    def read(self, value: ast.Value, at: Reading) -> object:
        if self.or_none and isinstance(value, ast.Nothing):
            return None
        if not isinstance(value, ast.Number):
            return refuse(value, self.words(), at)
        number = _numeral(value, self.words(), at)
        if isinstance(number, Unread):
            return number
        if number.unit or (number.multiplier and not self.counts):
            return _bad_unit(value, self.words(), at)
        amount = number.scaled
        if not isinstance(amount, int):
            message = f"`{at.name}` needs {self.words()}, not `{value.span.text}`"
            at.found.append(error("FT203", message, value.span))
            return UNREAD
        low, high = self.at_least, self.at_most
        if (low is not None and amount < low) or (high is not None and amount > high):
            return _out_of_range(
                value.span,
                f"`{at.name}` needs {self.words()}, not {value.span.text}",
                at,
            )
        if self.warn_si and number.multiplier in SI:
            at.found.append(_si_length(value, number))
        return amount


def _si_length(value: ast.Number, number: Numeral) -> Diagnostic:
    binary = {"k": "Ki", "K": "Ki", "M": "Mi", "B": "Gi", "G": "Gi", "T": "Ti"}[number.multiplier]
    better = f"{value.text}{binary}"
    meant = number.value * BINARY[binary]
    whole = meant == int(meant)  # `1.3Ki` would be no count
    keep = f"write `{number.scaled}` to keep it"
    return warning(
        "FT216",
        f"`{value.span.text}` is {number.scaled}; lengths are usually powers of two",
        value.span,
        notes=(f"`{number.multiplier}` is {SI[number.multiplier]}, `{binary}` {BINARY[binary]}",),
        help=(f"write `{better}` for {int(meant)}", f"or {keep}") if whole else (keep,),
        fix=Edit(value.span, better) if whole else None,
    )


@dataclass(frozen=True, slots=True)
class Float:
    """A real number; an integer will do."""

    above: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    def words(self) -> str:
        if self.above is not None:
            return f"a number above {self.above:g}"
        if self.at_least is not None and self.at_most is not None:
            return f"a number from {self.at_least:g} to {self.at_most:g}"
        if self.at_least is not None:
            return f"a number of at least {self.at_least:g}"
        return "a number"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.Number):
            return refuse(value, self.words(), at)
        number = _numeral(value, self.words(), at)
        if isinstance(number, Unread):
            return number
        if number.unit or number.multiplier:
            return _bad_unit(value, self.words(), at)
        amount = float(number.value)
        low = self.above is not None and amount <= self.above
        low = low or (self.at_least is not None and amount < self.at_least)
        if low or (self.at_most is not None and amount > self.at_most):
            return _out_of_range(
                value.span,
                f"`{at.name}` needs {self.words()}, not {value.span.text}",
                at,
            )
        return amount


@dataclass(frozen=True, slots=True)
class Share:
    """A true share: `5%` or `0.05`, never a bare `5`."""

    below_one: bool = True
    above_zero: bool = False

    def words(self) -> str:
        return "a share such as `5%` or `0.05`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.Number):
            return refuse(value, self.words(), at)
        number = _numeral(value, self.words(), at)
        if isinstance(number, Unread):
            return number
        if number.unit not in ("", "%") or number.multiplier:
            return _bad_unit(value, self.words(), at)
        amount = number.value / 100 if number.unit == "%" else float(number.value)
        if number.unit == "" and isinstance(number.value, int) and number.value != 0:
            return _bad_unit(
                value, self.words(), at, (f"write `{number.value}%` if that is meant",)
            )
        one, none = self.below_one and amount == 1, self.above_zero and amount == 0
        if not 0 <= amount <= 1 or one or none:
            low = "above 0% and" if self.above_zero else "from 0% to"
            return _out_of_range(value.span, f"`{at.name}` needs a share {low} below 100%", at)
        return amount


@dataclass(frozen=True, slots=True)
class Flag:
    """`true` or `false`."""

    def words(self) -> str:
        return "`true` or `false`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Bool):
            return value.value
        return refuse(value, self.words(), at)


_INTERPOLATION = re.compile(r"\$(\$?)\{([^}]*)\}?")


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


@dataclass(frozen=True, slots=True)
class Text:
    """A string, in which `${run.name}` stands for the run's name and `$${` for a literal `${`."""

    def words(self) -> str:
        return "a string"

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Str):
            return interpolated(value, at)
        help = (f'quote it: `"{value.text}"`',) if isinstance(value, ast.Path) else ()
        return refuse(value, self.words(), at, help)


@dataclass(frozen=True, slots=True)
class Choice:
    """One word of a closed set; `planned` are words of the language that this release lacks."""

    members: tuple[str, ...]
    planned: tuple[str, ...] = ()
    or_false: bool = False
    or_none: bool = False

    def words(self) -> str:
        shown = [f"`{m}`" for m in (*(("false",) if self.or_false else ()), *self.members)]
        if self.or_none:
            shown.append("`none`")
        return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)

    def read(self, value: ast.Value, at: Reading) -> object:
        if self.or_false and isinstance(value, ast.Bool) and not value.value:
            return False
        if self.or_none and isinstance(value, ast.Nothing):
            return None
        word = value.text if isinstance(value, ast.Path) else None
        word = value.value if isinstance(value, ast.Str) else word
        if word is None or (word in FOREIGN and word not in self.members):
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


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity in one of `units`; a bare integer takes `natural` where there is one.

    Units of the language that a field will take in a later release are `planned`; of the unit
    `single` only one is taken so far (`every = 1 epoch`).
    """

    units: tuple[str, ...]
    natural: str = ""
    planned: tuple[str, ...] = ()
    whole: bool = True
    share: bool = False
    single: str = ""
    example: str = ""

    def words(self) -> str:
        example = self.example or f"3 {self.units[0]}"
        return f"an amount such as `{example}`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.Number):
            return refuse(value, self.words(), at)
        if self.share and (value.unit == "%" or (not value.unit and "." in value.text)):
            return Share().read(value, at)
        number = _numeral(value, self.words(), at)
        if isinstance(number, Unread):
            return number
        if number.unit in self.planned or number.unit in ("m", "h", "d"):
            at.found.append(planned(value.span, f"`{at.name}` in {number.unit}"))
            return UNREAD
        unit = number.unit or self.natural
        if unit not in self.units and not (unit and unit == self.natural):
            one = value.text == "1"
            ways = [f"`{value.text} {u.removesuffix('s') if one else u}`" for u in self.units]
            wanted = f"an amount in {' or '.join(self.units)}"
            if self.share:
                ways.append(f"`{value.text}%`")
                wanted = f"a share or {wanted}"
            return _bad_unit(value, wanted, at, (f"write {' or '.join(ways)}",))
        of = f" {number.unit}" if number.unit else ""
        amount = number.scaled
        if amount <= 0 and not (self.share and amount == 0):
            return _out_of_range(value.span, f"`{at.name}` needs more than 0{of}", at)
        if not isinstance(amount, int) and (self.whole or unit != "epochs"):
            of = f" of{of}" if of else ""
            return _out_of_range(value.span, f"`{at.name}` needs a whole number{of}", at)
        if unit == self.single and amount != 1:
            at.found.append(planned(value.span, f"`{at.name}` of several {unit}"))
            return UNREAD
        return Quantity(amount, unit)


@dataclass(frozen=True, slots=True)
class ListOf:
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
        if self.bare is not None:
            return self.bare.read(value, at)
        if isinstance(value, ast.Path) and not self._takes_any():
            return self.item.read(value, at)
        wanted = "a list" if isinstance(value, ast.Str) else self.words()
        return refuse(value, wanted, at, ("put it in `[ ]`",) if self._takes_any() else ())

    def _takes_any(self) -> bool:
        """Whether there is an item that this release takes."""
        return not isinstance(self.item, Choice) or bool(self.item.members)


@dataclass(frozen=True, slots=True)
class Word:
    """A plain word or a quoted string, such as the name of a module."""

    what: str = "a name"

    def words(self) -> str:
        return self.what

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Path) and value.text not in FOREIGN:
            return value.text
        if isinstance(value, ast.Str):
            return value.value
        return refuse(value, self.words(), at)


@dataclass(frozen=True, slots=True)
class Doc:
    """Beside a type in `Annotated`: one line on the field, and the library argument it sets."""

    text: str
    home: str = ""
    check_only: bool = field(default=False)
