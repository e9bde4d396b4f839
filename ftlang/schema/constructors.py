"""The closed set of constructors, `hf(…)`, `files(…)`, `alpaca(…)`, and their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ftlang.diagnostics import error
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.schema.constructor import Constructor, Form, Parameter
from ftlang.schema.lookups import Place, Secrecy
from ftlang.schema.numbers import Int, Share
from ftlang.schema.places import FilePath, Repository
from ftlang.schema.results import ResultOf
from ftlang.schema.sources import Builtin, Files, Format, Gguf, Hf, LocalPath, Split
from ftlang.schema.types import UNREAD, Reading, Unread, refuse
from ftlang.schema.words import Choice, ListOf, Text
from ftlang.syntax import ast


class OneOf(Record):
    """A call of one of several constructors; a later release accepts `later` too."""

    what: str
    constructors: Mapping[str, Form]
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
                return _planned_call(value, at)
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
        if isinstance(value, ast.Str) and self.references and at.scope is not None:
            named = at.scope.quoted(value)
            value = named if named is not None else value
        if isinstance(value, ast.Path) and self.references:
            return at.scope.reference(value, at) if at.scope is not None else UNREAD
        help = (f"write `{self.quote}`",) if self.quote else ()
        if isinstance(value, ast.Number) and "split" in self.constructors:
            help = ("write `split(10%)` to cut a share off",)
        if isinstance(value, ast.Str) and self.quote:
            help = (f"write `{self.quote.replace('…', value.value)}`",)
        if isinstance(value, ast.Path) and self.bare:
            help = did_you_mean(value.text, self.constructors)
        return refuse(value, self.what, at, help)


def _planned_call(value: ast.Call, at: Reading) -> Unread:
    """A constructor of a later release: the mistakes in its arguments, and one FT501."""
    name = value.path.text
    if name in LATER:
        inner = Reading([], at.name, at.run, at.scope)
        LATER[name].read(value, inner)
        at.found += [d for d in inner.found if d.code != "FT501"]
    at.found.append(planned(value.path.span, f"`{at.name} = {name}(…)`"))
    return UNREAD


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
        role = Choice(("system", "user", "assistant", "tool", "function_call"))
        pairs: list[tuple[str, object]] = []
        for pair in value.pairs:
            key = pair.key.value if isinstance(pair.key, ast.Str) else pair.key.text
            pairs.append((key, role.read(pair.value, at)))
        return UNREAD if any(v is UNREAD for _, v in pairs) else tuple(pairs)


class ColumnOrNone(Text):
    """The name of a column, or `none` for a part that the rows do not have."""

    def words(self) -> str:
        return "a string or `none`"

    def read(self, value: ast.Value, at: Reading) -> object:
        return None if isinstance(value, ast.Nothing) else Text.read(self, value, at)


def _format(name: str) -> Callable[..., Format]:
    return lambda **columns: Format(name, tuple(columns.items()))


def _table(*constructors: Form) -> dict[str, Form]:
    return {c.name: c for c in constructors}


def _column(name: str) -> Parameter:
    return Parameter(name, Text())


class _PathOf(Record):
    """`path(a, b, …)` where one of several constructors may stand."""

    name: str = "path"
    place: Place = Place()

    def signature(self) -> str:
        """How it is written."""
        return "path(…)"

    def read(self, call: ast.Call, at: Reading) -> object:
        """A LocalPath, or UNREAD."""
        return self.place.read(call, at)


def _files(pattern: LocalPath) -> Files:
    return Files(pattern.path, pattern.env)


BASES = _table(
    Constructor(
        "hf",
        Hf,
        (
            Parameter("repo", Repository(), required=True),
            Parameter("revision", Revision()),
            Parameter("token", Secrecy()),
        ),
    ),
    _PathOf(),
    ResultOf(),
    Constructor("gguf", Gguf, (Parameter("source", FilePath(), required=True),)),
    Constructor("builtin", Builtin, (Parameter("name", Choice(("tiny-llama",)), required=True),)),
)

SOURCES = _table(
    Constructor(
        "files",
        _files,
        (
            Parameter("pattern", Place(), required=True),
            Parameter("sha256", Text(), planned=True),
        ),
    )
)

SPLIT = Constructor(
    "split",
    Split,
    (Parameter("share", Share(above_zero=True), required=True), Parameter("seed", Int(at_least=0))),
)

_MEDIA = tuple(Parameter(name, Text(), planned=True) for name in ("images", "videos", "audios"))

FORMATS = _table(
    Constructor(
        "alpaca",
        _format("alpaca"),
        (
            _column("instruction"),
            Parameter("input", ColumnOrNone()),
            *map(_column, ("output", "system", "history")),
            *_MEDIA,
        ),
        positional=0,
    ),
    Constructor(
        "sharegpt",
        _format("sharegpt"),
        (
            *map(_column, ("messages", "role", "content", "system", "tools")),
            Parameter("roles", Roles()),
            *_MEDIA,
        ),
        positional=0,
    ),
    Constructor(
        "messages",
        _format("messages"),
        (_column("column"), _column("tools"), *_MEDIA),
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


def _later(name: str, *parameters: Parameter, positional: int = 0) -> Constructor:
    return Constructor(name, lambda **given: given, parameters, positional)


# What a row with answers to compare may have beside them: parts of its prompt, or turns.
_PROMPTS = (
    *map(_column, ("input", "system", "history", "messages", "role", "content", "tools")),
    Parameter("roles", Roles()),
    *(_column(parameter.name) for parameter in _MEDIA),
)

# Constructors whose arguments are typed, and that nothing is emitted for yet.
LATER = _table(
    _later("fields", _column("prompt"), _column("completion"), _column("system")),
    _later("preference", _column("prompt"), _column("chosen"), _column("rejected"), *_PROMPTS),
    _later("unpaired", *map(_column, ("prompt", "completion", "label")), *_PROMPTS),
    _later("prompt", _column("column"), Parameter("keep", ListOf(Text()))),
    _later("text", *map(_column, ("column", *(parameter.name for parameter in _MEDIA)))),
    _later(
        "hf",
        Parameter("repo", Repository(), required=True),
        Parameter("revision", Revision()),
        _column("name"),
        _column("split"),
        Parameter("token", Secrecy()),
        positional=1,
    ),
    _later(
        "take",
        Parameter(
            "rows",
            OneOf("the name of a `dataset`", SOURCES, references=True),
            required=True,
        ),
        Parameter("count", Int(at_least=1, counts=True), required=True),
        positional=2,
    ),
)

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
    quote='hf("…")',
)
JUDGE = OneOf(
    'a reward model: `hf("org/name")`, `path("folder")` or `result(run)`',
    {name: BASES[name] for name in ("hf", "path", "result")},
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
    """`output`: a string, `path(…)` or `env(…)`; relative to the entry's folder."""

    def words(self) -> str:
        return 'a folder such as `"out/${run.name}"`'

    def read(self, value: ast.Value, at: Reading) -> object:
        read = Place(own=False).read(value, at)
        return read.path if isinstance(read, LocalPath) and read.env is None else read
