"""The closed set of constructors, `hf(…)`, `files(…)`, `alpaca(…)`, and their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ftlang.diagnostics import error
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.schema.numbers import Int, Share
from ftlang.schema.places import FilePath, Repository
from ftlang.schema.sources import Builtin, Files, Format, Gguf, Hf, LocalPath, Split
from ftlang.schema.types import UNREAD, FieldType, Reading, refuse
from ftlang.schema.words import Choice, Text
from ftlang.syntax import ast


class Parameter(Record):
    """One argument of a constructor; `planned` ones belong to a later release."""

    name: str
    type: FieldType
    required: bool = False
    planned: bool = False


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
        words = [p.name if i >= self.positional else "…" for i, p in enumerate(self.parameters)]
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


class OneOf(Record):
    """A call of one of several constructors; a later release accepts `later` too."""

    what: str
    constructors: Mapping[str, Constructor]
    later: tuple[str, ...] = ()
    references: bool = False
    bare: bool = False
    quote: str = ""

    def words(self) -> str:
        return self.what

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Call):
            name = value.path.text
            if name in self.constructors:
                return self.constructors[name].read(value, at)
            if name in self.later:
                at.found.append(planned(value.path.span, f"`{at.name} = {name}(…)`"))
                return UNREAD
            known = (*self.constructors, *self.later)
            if name not in _ALL_NAMES:
                help = did_you_mean(name, known) or (f"use {self.what}",)
                at.found.append(
                    error(
                        "FT206",
                        f"there is no constructor `{name}`",
                        value.path.span,
                        help=help,
                    )
                )
                return UNREAD
        if isinstance(value, ast.Path) and self.bare and value.text in self.constructors:
            return self.constructors[value.text].read(ast.Call(value, (), (), value.span), at)
        if isinstance(value, ast.Path) and self.bare and value.text in self.later:
            at.found.append(planned(value.span, f"`{at.name} = {value.text}`"))
            return UNREAD
        if isinstance(value, ast.Path) and self.references:
            return at.scope.reference(value, at) if at.scope is not None else UNREAD
        if isinstance(value, ast.MapValue | ast.ListValue) and self.references:
            form = "a list" if isinstance(value, ast.ListValue) else "a mixture"
            at.found.append(planned(value.span, f"`{at.name}` as {form} of sets"))
            return UNREAD
        help = (f"write `{self.quote}`",) if self.quote else ()
        if isinstance(value, ast.Number) and "split" in self.constructors:
            help = ("write `split(10%)` to cut a share off",)
        if isinstance(value, ast.Str) and self.quote:
            help = (f"write `{self.quote.replace('…', value.value)}`",)
        if isinstance(value, ast.Path) and self.bare:
            help = did_you_mean(value.text, self.constructors)
        return refuse(value, self.what, at, help)


class Revision(Record):
    """A revision: forty hex digits, or the name of a branch or tag; a shortened hash is refused."""

    def words(self) -> str:
        return "a revision"

    def read(self, value: ast.Value, at: Reading) -> object:
        read = Text().read(value, at)
        if read == "":
            message = f'`{at.name}` needs a commit hash, a branch or a tag, not ""'
            at.found.append(error("FT205", message, value.span))
            return UNREAD
        if isinstance(read, str) and re.fullmatch(r"[0-9a-f]{7,39}", read):
            message = f'`"{read}"` is a shortened commit hash'
            why = "a short hash is no key for a cache and may become ambiguous"
            at.found.append(
                error(
                    "FT217",
                    message,
                    value.span,
                    notes=(why,),
                    help=("write all 40 hex digits",),
                )
            )
            return UNREAD
        return read


class Roles(Record):
    """A map from a data set's role names to ours: `{ human = user, gpt = assistant }`."""

    def words(self) -> str:
        return "a map such as `{ human = user, gpt = assistant }`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.MapValue):
            return refuse(value, self.words(), at)
        role = Choice(("system", "user", "assistant", "tool"))
        pairs: list[tuple[str, object]] = []
        for pair in value.pairs:
            key = pair.key.value if isinstance(pair.key, ast.Str) else pair.key.text
            pairs.append((key, role.read(pair.value, at)))
        return UNREAD if any(v is UNREAD for _, v in pairs) else tuple(pairs)


def _joined(*parts: str) -> LocalPath:
    return LocalPath(
        "/".join(p.rstrip("/") for p in parts[:-1]) + "/" * (len(parts) > 1) + parts[-1]
    )


def _format(name: str) -> Callable[..., Format]:
    return lambda **columns: Format(name, tuple(columns.items()))


def _table(*constructors: Constructor) -> dict[str, Constructor]:
    return {c.name: c for c in constructors}


def _column(name: str) -> Parameter:
    return Parameter(name, Text())


def _path(own: bool) -> Constructor:
    """`path(a, b, …)`, relative to the file that it is written in, or to the entry's folder."""
    part = Parameter("path", FilePath(own), required=True)
    return Constructor("path", _joined, (part,), rest=True)


_PATH = _path(own=True)

BASES = _table(
    Constructor(
        "hf",
        Hf,
        (
            Parameter("repo", Repository(), required=True),
            Parameter("revision", Revision()),
            Parameter("token", Text(), planned=True),
        ),
    ),
    _PATH,
    Constructor("gguf", Gguf, (Parameter("source", FilePath(), required=True),)),
    Constructor("builtin", Builtin, (Parameter("name", Choice(("tiny-llama",)), required=True),)),
)

SOURCES = _table(
    Constructor(
        "files",
        Files,
        (
            Parameter("pattern", FilePath(), required=True),
            Parameter("sha256", Text(), planned=True),
        ),
    )
)

SPLIT = Constructor(
    "split",
    Split,
    (Parameter("share", Share(above_zero=True), required=True), Parameter("seed", Int(at_least=0))),
)

FORMATS = _table(
    Constructor(
        "alpaca",
        _format("alpaca"),
        tuple(map(_column, ("instruction", "input", "output", "system", "history"))),
        positional=0,
    ),
    Constructor(
        "sharegpt",
        _format("sharegpt"),
        (
            *map(_column, ("messages", "role", "content", "system", "tools")),
            Parameter("roles", Roles()),
        ),
        positional=0,
    ),
    Constructor(
        "messages",
        _format("messages"),
        (_column("column"), _column("tools")),
        positional=0,
    ),
    Constructor(
        "prompt_completion",
        _format("prompt_completion"),
        (_column("prompt"), _column("completion")),
        positional=0,
    ),
)
LATER_FORMATS = ("fields", "preference", "unpaired", "prompt", "text", "py")

_ALL_NAMES = frozenset(
    (
        *BASES,
        *SOURCES,
        "split",
        "file",
        "take",
        "regex",
        "env",
        "secret",
        "py",
        "result",
    )
)

BASE = OneOf(
    'a model: `hf("org/name")`, `path("folder")`, `gguf("x.gguf")` or `builtin("tiny-llama")`',
    BASES,
    later=("result",),
    quote='hf("…")',
)
SOURCE = OneOf(
    'files such as `files("rows.jsonl")`',
    SOURCES,
    later=("hf", "py"),
    quote='files("…")',
)
TRAIN = OneOf(
    'rows such as `files("rows.jsonl")` or the name of a `dataset`',
    SOURCES,
    later=("hf", "py", "take"),
    references=True,
    quote='files("…")',
)
EVAL = OneOf(
    'rows such as `files("test.jsonl")`, the name of a `dataset`, or `split(5%)`',
    SOURCES | {"split": SPLIT},
    later=("hf", "py", "take"),
    references=True,
    quote='files("…")',
)
FORMAT = OneOf(
    "a row format: `alpaca`, `sharegpt`, `messages` or `prompt_completion`",
    FORMATS,
    later=LATER_FORMATS,
    bare=True,
)


class OutputFolder(Record):
    """`output`: a string or `path(…)`."""

    inner: OneOf = OneOf("a folder", {"path": _path(own=False)})

    def words(self) -> str:
        return 'a folder such as `"out/${run.name}"`'

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Call) and value.path.text == "path":
            read = self.inner.read(value, at)
            return read.path if isinstance(read, LocalPath) else read
        return FilePath(own=False).read(value, at)
