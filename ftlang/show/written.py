"""Values of a Spec as the language writes them: `64 seqs`, `5%`, `hf("org/name")`, `[a, b]`.

What is written reads back to the same value by the field's own type.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Protocol

from ftlang.schema.argument_types import ArgumentType
from ftlang.schema.constructors import FORMATS
from ftlang.schema.given import Map
from ftlang.schema.numbers import Amount, Int, Share
from ftlang.schema.python import UserCode
from ftlang.schema.rows import Rowsets
from ftlang.schema.shapes import Either, MapOf, Modules
from ftlang.schema.sizes import BYTES, SECONDS, Bytes, Duration
from ftlang.schema.sources import (
    Builtin,
    Env,
    Files,
    Format,
    Gguf,
    Hf,
    LocalPath,
    Reference,
    Result,
    Secret,
    Split,
)
from ftlang.schema.types import FieldType
from ftlang.schema.units import UNITS, Quantity, value_of
from ftlang.schema.words import Choice, ListOf, Word
from ftlang.syntax.foreign_values import FOREIGN_VALUES
from ftlang.syntax.literals import string_value

_NAME = re.compile(r"[^\W\d]\w*(-\w+)*")
_RESERVED = frozenset(
    ("use", "as", "let", "param", "extends", "unset", "edition", "true", "false", "none")
)
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class Names(Protocol):
    """How the text at hand names data sets, and runs whose result is meant."""

    def dataset(self, reference: Reference) -> str:
        """The name of a data set, its split behind it."""
        ...

    def result(self, result: Result) -> str:
        """The name of a run."""
        ...


def written(value: object, of: FieldType | None, names: Names) -> str:
    """The value's text on one line, texts of several lines apart."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    match of:
        case Share() if isinstance(value, float):
            return percent(value)
        case Amount() if isinstance(value, float):
            return percent(value)
        case Bytes() if isinstance(value, int):
            return memory(value)
        case Duration() if isinstance(value, int):
            return time(value)
        case Int(counts=True) if isinstance(value, int) and value and value % 1024 == 0:
            return f"{value // 1024}Ki"
        case Modules() if isinstance(value, str) and value not in of.bare:
            return f"regex({text(value)})"
        case Choice(or_none=True) if value == "none":
            return "none"
        case Word() | Choice() if isinstance(value, str):
            return word(value)
        case ArgumentType() if isinstance(value, str) and value in of.choices:
            return word(value)
    match value:
        case str():
            return word(value) if _has_words(of) else text(value)
        case int():
            return str(value)
        case float():
            return number(value)
        case Quantity():
            return amount(value)
        case tuple():
            item = _item(of)
            return f"[{', '.join(written(v, item, names) for v in value)}]"
        case Map():
            inner = of.value if isinstance(of, MapOf) else None
            return _map(value.pairs, inner, names)
    return _call(value, names)


def _has_words(of: FieldType | None) -> bool:
    """Whether a string of this type is a plain word rather than a text."""
    match of:
        case Modules() | Choice() | Word():
            return True
        case Either():
            return any(_has_words(kind) for _, kind in of.of)
        case ListOf():
            return of.bare is not None and _has_words(of.bare)
    # `loss_on`, whose other form is a list of roles.
    return isinstance(getattr(of, "word", None), Choice)


def _item(of: FieldType | None) -> FieldType | None:
    match of:
        case ListOf():
            return of.item
        case Modules():
            return Word()
        case ArgumentType():
            return of
        case Rowsets():
            return of.one
    return None


def _map(pairs: tuple[tuple[str, object], ...], of: FieldType | None, names: Names) -> str:
    shown = [f"{key(name)} = {written(value, of, names)}" for name, value in pairs]
    return f"{{ {', '.join(shown)} }}" if shown else "{ }"


def _call(value: object, names: Names) -> str:
    """A value that a constructor makes."""
    match value:
        case Reference():
            return names.dataset(value)
        case Result():
            return f"result({names.result(value)})"
        case Hf():
            token = f'secret("{value.token.name}")' if value.token is not None else None
            return call("hf", text(value.repo), revision=_text(value.revision), token=token)
        case LocalPath():
            return place(value)
        case Gguf():
            return call("gguf", text(value.source))
        case Builtin():
            return call("builtin", text(value.name))
        case Files(env=None):
            return call("files", text(value.pattern))
        case Files():
            return call("files", place(LocalPath(value.pattern, value.env)))
        case Split():
            return call("split", percent(value.share), seed=str(value.seed))
        case Env():
            return call("env", text(value.name), default=_text(value.default))
        case Secret():
            return call("secret", text(value.name))
        case Format():
            return _format(value, names)
        case UserCode():
            bound = {k: written(v, None, names) for k, v in value.constants}
            return call("py", text(f"{value.file or value.module}:{value.function}"), **bound)
    raise TypeError(f"no text for {type(value).__name__}")


def _format(value: Format, names: Names) -> str:
    columns: dict[str, str | None] = {}
    types = {p.name: p.type for p in getattr(FORMATS.get(value.name), "parameters", ())}
    for name, column in value.columns:
        if isinstance(column, tuple) and all(isinstance(c, tuple) for c in column):
            columns[name] = _map(column, Choice(()), names)
        else:
            columns[name] = written(column, types.get(name), names)
    return call(value.name, **columns) if columns else value.name


def call(name: str, *arguments: str, **keywords: str | None) -> str:
    """A constructor with its arguments; keywords that are None are left out."""
    given = [f"{key} = {value}" for key, value in keywords.items() if value is not None]
    return f"{name}({', '.join([*arguments, *given])})"


def place(path: LocalPath) -> str:
    """A path, below an environment variable if it has one."""
    if path.env is None:
        return call("path", text(path.path))
    env = call("env", text(path.env.name), default=_text(path.env.default))
    return call("path", env, text(path.path)) if path.path else env


def word(value: str) -> str:
    """A plain word, quoted where it is no name of the language."""
    plain = _NAME.fullmatch(value) and value not in _RESERVED and value not in FOREIGN_VALUES
    return value if plain else _quoted(value.replace("${", "$${"))


def key(value: str) -> str:
    """The key of a map."""
    return value if _NAME.fullmatch(value) and value not in _RESERVED else _quoted(value)


def text(value: str) -> str:
    """A string; in three quotes where it has lines or backslashes and nothing speaks against it."""
    value = value.replace("${", "$${")
    if "\n" in value or "\\" in value:
        rows = "\n".join(f"    {row}" if row.strip() else row for row in value.split("\n"))
        raw = f'"""\n{rows}"""' if "\n" in value else f'"""{value}"""'
        plain = all(c.isprintable() or c == "\n" for c in value)
        if plain and '"""' not in value and value[-1:] not in '"\n' and string_value(raw) == value:
            return raw
    return _quoted(value)


def _text(value: str | None) -> str | None:
    return text(value) if value is not None else None


def _quoted(value: str) -> str:
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"


def number(value: float) -> str:
    """The shortest form that reads back equal: `2e-4` rather than `0.0002`, `0.05`, `1.0`."""
    if value and (abs(value) < 1e-2 or abs(value) >= 1e16):
        for digits in range(17):
            mantissa, exponent = f"{value:.{digits}e}".split("e")
            short = f"{mantissa}e{int(exponent)}"
            if float(short) == value:
                return short
    return repr(value)


def percent(value: float) -> str:
    """A share, as `5%` where that reads back equal."""
    for digits in range(6):
        short = f"{value * 100:.{digits}f}"
        read = value_of(short)
        if read is not None and read / 100 == value:
            return f"{short}%"
    return f"{Decimal(repr(value)):f}"  # with a point, which an exponent may lack


def amount(value: Quantity) -> str:
    """A quantity with its unit, singular for one."""
    unit = value.unit[:-1] if value.amount == 1 and value.unit in UNITS else value.unit
    many = value.amount
    shown = number(many) if isinstance(many, float) else str(many)
    if value.unit == "tokens" and isinstance(many, int) and many % 1024 == 0:
        shown = f"{many // 1024}Ki"
    return f"{shown} {unit}"


def memory(value: int) -> str:
    """An amount of memory in the largest unit that divides it."""
    fits = [unit for unit, size in BYTES.items() if value % size == 0]
    unit = fits[-1] if fits else "KiB"
    return f"{value // BYTES[unit] if fits else number(value / BYTES[unit])}{unit}"


def time(value: int) -> str:
    """A length of time in the largest unit that divides it."""
    unit = [unit for unit, size in SECONDS.items() if value % size == 0][-1]
    return f"{value // SECONDS[unit]}{unit}"
