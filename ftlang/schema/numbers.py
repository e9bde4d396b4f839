"""Types of fields that take numbers: whole, real, shares, and amounts with a unit."""

from __future__ import annotations

from ftlang.diagnostics import Diagnostic, Edit, error, warning
from ftlang.names.planned import planned
from ftlang.names.suggest import near
from ftlang.record import Record
from ftlang.schema.types import UNREAD, Reading, Unread, refuse
from ftlang.schema.units import BINARY, SI, Numeral, Quantity, numeral
from ftlang.source import Span
from ftlang.syntax import ast


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


class Int(Record):
    """A whole number; with `counts`, also `4Ki` and `2k`, and SI lengths draw a warning."""

    at_least: int | None = None
    at_most: int | None = None
    counts: bool = False
    or_none: bool = False
    warn_si: bool = False
    planned_above: int | None = None

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
        if self.planned_above is not None and amount > self.planned_above:
            at.found.append(planned(value.span, f"`{at.name} = {value.span.text}`"))
            return UNREAD
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


class Float(Record):
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


class Share(Record):
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


class Amount(Record):
    """A quantity in one of `units`; a bare integer takes `natural` where there is one.

    Units of the language that a field will take in a later release are `planned`.
    """

    units: tuple[str, ...]
    natural: str = ""
    planned: tuple[str, ...] = ()
    whole: bool = True
    share: bool = False
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
            one = value.text == "1" and not number.multiplier
            ways = [f"`{value.text} {u.removesuffix('s') if one else u}`" for u in self.units]
            wanted = f"an amount in {' or '.join(self.units)}"
            if self.share:
                ways.append(f"`{value.text}%`")
                wanted = f"a share or {wanted}"
            meant = near(number.unit, (*self.units, *self.planned)) if number.unit else []
            if meant:
                much = value.text + number.multiplier
                ways = [f"`{much} {u.removesuffix('s') if one else u}`" for u in meant]
                return _bad_unit(value, wanted, at, (f"did you mean {' or '.join(ways)}?",))
            return _bad_unit(value, wanted, at, (f"write {' or '.join(ways)}",))
        of = f" {number.unit}" if number.unit else ""
        amount = number.scaled
        if amount <= 0 and not (self.share and amount == 0):
            return _out_of_range(value.span, f"`{at.name}` needs more than 0{of}", at)
        if not isinstance(amount, int) and (self.whole or unit != "epochs"):
            of = f" of{of}" if of else ""
            return _out_of_range(value.span, f"`{at.name}` needs a whole number{of}", at)
        return Quantity(amount, unit)
