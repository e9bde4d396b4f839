"""Types of `data.train`, `data.eval` and `loss_on`: one set of rows or several, and roles."""

from __future__ import annotations

from ftlang.diagnostics import Diagnostic, error
from ftlang.names.planned import planned
from ftlang.record import Record
from ftlang.schema.constructors import OneOf
from ftlang.schema.numbers import Share
from ftlang.schema.shapes import key_of
from ftlang.schema.types import UNREAD, Reading, refuse
from ftlang.schema.words import Choice, ListOf
from ftlang.syntax import ast


class Rowsets(Record):
    """Rows; several sets as a list or, with shares, as a map, which are typed and planned.

    `named` sets are a map of names to sets instead.
    """

    one: OneOf
    named: bool = False

    def words(self) -> str:
        return self.one.words()

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.ListValue) and not self.named:
            return self._several(value, at)
        if isinstance(value, ast.MapValue):
            return self._evaluations(value, at) if self.named else self._mixture(value, at)
        return self.one.read(value, at)

    def _several(self, value: ast.ListValue, at: Reading) -> object:
        inner = _without_planned(at)
        for item in value.items:
            self.one.read(item, inner)
        return _later(value, f"`{at.name}` as a list of sets", inner, at)

    def _evaluations(self, value: ast.MapValue, at: Reading) -> object:
        inner = _without_planned(at)
        for pair in value.pairs:
            self.one.read(pair.value, inner)
        return _later(value, f"`{at.name}` as several sets", inner, at)

    def _mixture(self, value: ast.MapValue, at: Reading) -> object:
        inner = _without_planned(at)
        shares: list[float] = []
        for pair in value.pairs:
            if isinstance(pair.key, ast.Path):
                self.one.read(pair.key, inner)
            else:
                inner.found.append(_no_name(pair))
            share = Share(below_one=False).read(pair.value, inner.of(key_of(pair)))
            shares.append(share if isinstance(share, float) else -1.0)
        if all(share >= 0 for share in shares) and abs(sum(shares) - 1) > 1e-6:
            total = f"{100 * sum(shares):g}%"
            message = f"the shares of `{at.name}` add to {total}, not to 100%"
            inner.found.append(error("FT205", message, value.span))
        return _later(value, f"`{at.name}` as a mixture of sets", inner, at)


def _without_planned(at: Reading) -> Reading:
    return Reading([], at.name, at.run, at.scope)


def _later(value: ast.Value, what: str, inner: Reading, at: Reading) -> object:
    """The mistakes that were found inside, and one FT501 for the whole."""
    at.found += [d for d in inner.found if d.code != "FT501"]
    at.found.append(planned(value.span, what))
    return UNREAD


def _no_name(pair: ast.Pair) -> Diagnostic:
    return error(
        "FT203",
        "a mixture names declared data sets",
        pair.key.span,
        help=("declare a `dataset NAME { source = … }`, and write `NAME = 80%`",),
    )


class LossOn(Record):
    """One of a few words, or a list of roles, which is typed and planned."""

    word: Choice

    def words(self) -> str:
        return f"{self.word.words()} or a list of roles"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.ListValue):
            return self.word.read(value, at)
        if not value.items:
            return refuse(value, self.words(), at)
        if ListOf(Choice(("system", "user", "assistant", "tool"))).read(value, at) is not UNREAD:
            at.found.append(planned(value.span, f"`{at.name}` as a list of roles"))
        return UNREAD
