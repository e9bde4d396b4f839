"""Types of fields that take bytes (`80GiB`) and durations (`30m`)."""

from __future__ import annotations

from ftlang.diagnostics import Edit, error
from ftlang.record import Record
from ftlang.schema.types import UNREAD, Reading, refuse
from ftlang.schema.units import value_of
from ftlang.syntax import ast

BYTES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_TENS = {"KB": "KiB", "kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB", "G": "GiB", "Gi": "GiB"}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Bytes(Record):
    """An amount of memory, in bytes once read: `80GiB`, `512MiB`."""

    def words(self) -> str:
        return "an amount of memory such as `80GiB`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.Number):
            return refuse(value, self.words(), at)
        amount = value_of(value.text)
        if amount is not None and value.unit in BYTES and amount > 0:
            return int(amount * BYTES[value.unit])
        message = f"`{at.name}` needs {self.words()}, not `{value.span.text}`"
        if right := _TENS.get(value.unit):
            message = f"write `{right}`: `{value.unit}` is read as powers of ten or of two"
            text = f"{value.text}{right}"
            fix = Edit(value.span, text)
            at.found.append(error("FT204", message, value.span, help=(f"write `{text}`",), fix=fix))
        else:
            at.found.append(error("FT204", message, value.span))
        return UNREAD


class Duration(Record):
    """A length of time, in seconds once read: `30m`, `2h`, `3d`."""

    def words(self) -> str:
        return "a length of time such as `30m` or `12h`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.Number):
            return refuse(value, self.words(), at)
        amount = value_of(value.text)
        if amount is not None and value.unit in SECONDS and amount > 0:
            return int(amount * SECONDS[value.unit])
        ways = (f"write `{value.text}m` or `{value.text}h`",) if not value.unit else ()
        message = f"`{at.name}` needs {self.words()}, not `{value.span.text}`"
        at.found.append(error("FT204", message, value.span, help=ways))
        return UNREAD
