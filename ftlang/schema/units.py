"""What numerals and units mean: `2e-4`, `5%`, `4Ki`, `80GiB`, `3 epochs`."""

from __future__ import annotations

import re

from ftlang.record import Record

SI = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "G": 10**9, "T": 10**12}
BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}

UNITS = ("epochs", "steps", "tokens", "seqs", "rows", "pairs", "prompts", "completions")
# The unit of a bare number until the rest of the run is known: seqs, or rows when packed.  No
# unit that can be written has a bar in it.
NATURAL = "seqs|rows"
_SINGULAR = {unit[:-1]: unit for unit in UNITS}

_INTEGER = re.compile(r"[+-]?\d+(_\d+)*\Z")
_REAL = re.compile(r"[+-]?\d+(_\d+)*(\.\d+)?([eE][+-]?\d+)?\Z")


class Quantity(Record):
    """An amount of something countable: `Quantity(3, "epochs")`; `unit` is "" for a bare number."""

    amount: int | float
    unit: str

    def __str__(self) -> str:
        unit = self.unit[:-1] if self.amount == 1 and self.unit.endswith("s") else self.unit
        return (
            f"{self.amount:g} {unit}" if isinstance(self.amount, float) else f"{self.amount} {unit}"
        )


def plain(value: float) -> str:
    """A real number as a spec would write it: `2e-4`, `0.1`, `3`."""
    if value == 0 or 0.01 <= abs(value) < 1e6:
        return f"{value:g}"
    digits, _, exponent = f"{value:e}".partition("e")
    return f"{float(digits):g}e{int(exponent)}"


class Numeral(Record):
    """A number taken apart: its value, its multiplier (`k`, `Ki`, or ""), and its unit."""

    value: int | float
    multiplier: str
    unit: str

    @property
    def scaled(self) -> int | float:
        """The value times its multiplier."""
        scale = SI.get(self.multiplier) or BINARY.get(self.multiplier) or 1
        scaled = self.value * scale
        return int(scaled) if scaled == int(scaled) and scale != 1 else scaled


def value_of(text: str) -> int | float | None:
    """The number that a numeral writes, an int without point or exponent; None if it is none.

    An exponent that overflows a float gives None as well: infinity is never what was meant.
    """
    plain = text.replace("_", "")
    if _INTEGER.match(text):
        return int(plain) if len(plain) < 400 else None
    if _REAL.match(text):
        value = float(plain)
        return None if value in (float("inf"), float("-inf")) else value
    return None


def numeral(text: str, unit: str) -> Numeral | None:
    """A number and the words after it, or None when either is not one that the language has."""
    value = value_of(text)
    if value is None:
        return None
    words = unit.split()
    multiplier = words.pop(0) if words and (words[0] in SI or words[0] in BINARY) else ""
    if len(words) > 1:
        return None
    word = words[0] if words else ""
    return Numeral(value, multiplier, _SINGULAR.get(word, word))
