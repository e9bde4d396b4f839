"""What a constructor is: `hf("…", revision = …)`, its arguments, and what it makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ftlang.diagnostics import error
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.schema.types import UNREAD, FieldType, Reading
from ftlang.syntax import ast


class Parameter(Record):
    """One argument of a constructor; `planned` ones belong to a later release."""

    name: str
    type: FieldType
    required: bool = False
    planned: bool = False


class Form(Protocol):
    """What may stand where a field takes one of several constructors."""

    @property
    def name(self) -> str:
        """The word before the bracket."""
        ...

    def signature(self) -> str:
        """How it is written."""
        ...

    def read(self, call: ast.Call, at: Reading) -> object:
        """What the call makes, or UNREAD after an error."""
        ...


class Constructor(Record):
    """A constructor: its arguments in order, positional ones first, and what it makes.

    `rest` lets the last positional argument repeat, as in `path(a, b, c)`.
    """

    name: str
    make: Callable[..., object]
    parameters: tuple[Parameter, ...]
    positional: int = 1
    rest: bool = False

    def signature(self) -> str:
        """How it is written, such as `hf("…", revision = …)`."""
        known = [p for p in self.parameters if not p.planned]
        words = [p.name if i >= self.positional else "…" for i, p in enumerate(known)]
        shown = [w if i < self.positional else f"{w} = …" for i, w in enumerate(words)]
        return f"{self.name}({', '.join(shown)})"

    def read(self, call: ast.Call, at: Reading) -> object:
        """What the call makes, or UNREAD."""
        given: dict[str, object] = {}
        failed = False
        many: list[object] = []
        for index, argument in enumerate(call.args):
            if index >= self.positional and not self.rest:
                message = f"`{self.name}` takes {self.positional} plain argument" + "s" * (
                    self.positional != 1
                )
                at.found.append(
                    error(
                        "FT212",
                        message,
                        argument.span,
                        help=(f"write `{self.signature()}`",),
                    )
                )
                failed = True
                continue
            parameter = self.parameters[min(index, self.positional - 1)]
            value = parameter.type.read(argument, at.of(parameter.name))
            failed = failed or value is UNREAD
            many.append(value)
            given.setdefault(parameter.name, value)
        for keyword in call.keywords:
            failed = not self._keyword(keyword, given, at) or failed
        for parameter in self.parameters:
            if parameter.required and parameter.name not in given:
                message = f"`{self.name}` lacks its `{parameter.name}`, {parameter.type.words()}"
                at.found.append(
                    error(
                        "FT212",
                        message,
                        call.path.span,
                        help=(f"write `{self.signature()}`",),
                    )
                )
                failed = True
        if failed:
            return UNREAD
        return self.make(*(many or given.values())) if self.rest else self.make(**given)

    def _keyword(self, keyword: ast.Keyword, given: dict[str, object], at: Reading) -> bool:
        name = keyword.name.text
        known = {p.name: p for p in self.parameters}
        parameter = known.get(name)
        if parameter is None:
            help = did_you_mean(name, known) or (f"write `{self.signature()}`",)
            at.found.append(
                error(
                    "FT212",
                    f"`{self.name}` has no argument `{name}`",
                    keyword.name.span,
                    help=help,
                )
            )
            return False
        if parameter.planned:
            at.found.append(planned(keyword.name.span, f"`{self.name}({name} = …)`"))
            return False
        if name in given:
            at.found.append(error("FT212", f"`{name}` is given twice", keyword.name.span))
            return False
        given[name] = parameter.type.read(keyword.value, at.of(name))
        return given[name] is not UNREAD
