"""The types of fields: each reads one AST value, or says what was wrong with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from ftlang.diagnostics import Diagnostic, Edit, error
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.syntax import ast
from ftlang.syntax.foreign_values import FOREIGN_VALUES

if TYPE_CHECKING:
    from ftlang.schema.scope import Scope


class Unread:
    """The mark of a value that could not be read; its diagnostic is already recorded."""

    def __repr__(self) -> str:
        return "UNREAD"


UNREAD = Unread()


class Reading:
    """What a reader works with: where diagnostics go, and the name of the field at hand.

    `run` is the run's name ("" outside of runs), `scope` what names and paths mean.
    """

    __slots__ = ("found", "name", "run", "scope")

    def __init__(
        self, found: list[Diagnostic], name: str = "", run: str = "", scope: Scope | None = None
    ) -> None:
        self.found, self.name, self.run, self.scope = found, name, run, scope

    def of(self, name: str) -> Reading:
        """The same for another field, such as an argument of a constructor."""
        return Reading(self.found, name, self.run, self.scope)


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
_UNQUOTED = r"(?a:[+-]?\d[\w.+-]*%?( \w+)?|true|false)"


# Every word before a bracket that the language has; row formats are told by `schema.constructors`.
CONSTRUCTORS = (
    *("hf", "files", "path", "file", "gguf", "builtin", "py", "result", "split", "take"),
    *("regex", "env", "secret", "text", "fields", "alpaca", "sharegpt", "messages", "preference"),
    *("prompt_completion", "prompt", "unpaired", "ranking", "tokens"),
)


def refuse(value: ast.Value, wanted: str, at: Reading, help: tuple[str, ...] = ()) -> Unread:
    """Records that the value is of another type than the field's."""
    if isinstance(value, ast.Unreadable):
        return UNREAD
    if isinstance(value, ast.Var):
        at.found.append(planned(value.span, f"`${value.name}`"))
        return UNREAD
    if isinstance(value, ast.Call) and value.path.text in ("env", "secret"):
        at.found.append(_known_too_late(value, wanted, at))
        return UNREAD
    if isinstance(value, ast.Call) and value.path.text not in CONSTRUCTORS:
        name = value.path.text
        meant = did_you_mean(name, CONSTRUCTORS) or (f"write {wanted}",)
        what = f"there is no constructor `{name}`"
        at.found.append(error("FT206", what, value.path.span, help=meant))
        return UNREAD
    fix = None
    right = FOREIGN_VALUES.get(value.text) if isinstance(value, ast.Path) else None
    if right is not None and f"`{right}`" in wanted:
        help = (f"write `{right}`", *help)
        fix = Edit(value.span, right)
    if isinstance(value, ast.Path) and at.scope is not None and at.scope.is_variable(value):
        help = (f"write `${value.text}`: a bare word is never a variable",)
    if isinstance(value, ast.Str) and not help and re.fullmatch(_UNQUOTED, value.value):
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


def _known_too_late(value: ast.Call, wanted: str, at: Reading) -> Diagnostic:
    """FT138: what is looked up when the script runs cannot decide what is compiled."""
    return error(
        "FT138",
        f"`{value.path.text}(…)` is looked up when the script runs, too late for `{at.name}`",
        value.span,
        notes=("paths may hold `env(…)`, and fields for tokens take `secret(…)`",),
        help=(f"write {wanted}", "or a `param`, which `-D` sets when the spec is compiled"),
    )


class Doc(Record):
    """Beside a type in `Annotated`: one line on the field, and the library argument it sets."""

    text: str
    home: str = ""
    check_only: bool = False
    planned: bool = False
