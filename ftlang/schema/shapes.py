"""Types of fields that take maps, texts of files, functions, modules, or one of several types."""

from __future__ import annotations

import re

from ftlang.diagnostics import error
from ftlang.record import Record
from ftlang.schema.given import Map
from ftlang.schema.places import FilePath
from ftlang.schema.types import UNREAD, FieldType, Reading, Unread, refuse
from ftlang.schema.words import Choice, ListOf, Text, Word
from ftlang.syntax import ast


class MapOf(Record):
    """`{ key = value, … }`; keys are names, or strings where they are no names."""

    value: FieldType
    example: str

    def words(self) -> str:
        return f"a map such as `{self.example}`"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.MapValue):
            return refuse(value, self.words(), at)
        return read_map(value, self.value, at)


def read_map(value: ast.MapValue, of: FieldType, at: Reading) -> object:
    """The map, each value read by the type; a key that stands twice is an error."""
    pairs: dict[str, object] = {}
    failed = False
    for pair in value.pairs:
        key = key_of(pair)
        if key in pairs:
            message = f"`{key}` is given twice in `{at.name}`"
            at.found.append(error("FT208", message, pair.key.span, help=("keep one of them",)))
            failed = True
            continue
        pairs[key] = of.read(pair.value, at)
        failed = failed or pairs[key] is UNREAD
    return UNREAD if failed else Map(tuple(pairs.items()))


def key_of(pair: ast.Pair) -> str:
    """The key of a map's entry as a string: `layers.0` for `"layers.0"` and for `layers."0"`."""
    if isinstance(pair.key, ast.Str):
        return pair.key.value
    return ".".join(p.text if isinstance(p, ast.Name) else p.value for p in pair.key.parts)


def regex(value: ast.Call, at: Reading) -> str | Unread:
    """The text of `regex("…")`, which must be a regular expression of Python."""
    if len(value.args) != 1 or value.keywords or not isinstance(value.args[0], ast.Str):
        help = ('write `regex("…")`, or with three quotes on each side to keep backslashes',)
        at.found.append(error("FT212", "`regex` takes one string", value.span, help=help))
        return UNREAD
    text = Text().read(value.args[0], at)
    if not isinstance(text, str):
        return UNREAD
    try:
        re.compile(text)
    except re.error as problem:
        message = f"`regex` holds no regular expression: {problem.msg}"
        at.found.append(error("FT205", message, value.args[0].span))
        return UNREAD
    return text


class Modules(Record):
    """Names of modules in a list, one of a few words, or `regex("…")` over whole names."""

    bare: tuple[str, ...] = ()

    def words(self) -> str:
        shown = "".join(f"`{word}` or " for word in self.bare)
        return f"{shown}a list, each item the name of a module"

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Call) and value.path.text == "regex":
            return regex(value, at)
        bare = Choice(self.bare) if self.bare else None
        return ListOf(Word("the name of a module"), bare=bare).read(value, at)


class FileText(Record):
    """A text: written out, or that of a file, `file("chatml.jinja")`."""

    def words(self) -> str:
        return 'a text, or `file("…")`'

    def read(self, value: ast.Value, at: Reading) -> object:
        if isinstance(value, ast.Call) and value.path.text == "file":
            if len(value.args) != 1 or value.keywords:
                help = ('write `file("…")`',)
                at.found.append(error("FT212", "`file` takes one path", value.span, help=help))
                return UNREAD
            return FilePath().read(value.args[0], at)
        if isinstance(value, ast.Str):
            return Text().read(value, at)
        return refuse(value, self.words(), at)


class Either(Record):
    """What the first of several types takes that fits the value's form."""

    of: tuple[tuple[tuple[type, ...], FieldType], ...]

    def words(self) -> str:
        return " or ".join(dict.fromkeys(kind.words() for _, kind in self.of))

    def read(self, value: ast.Value, at: Reading) -> object:
        for forms, kind in self.of:
            if isinstance(value, forms):
                return kind.read(value, at)
        return refuse(value, self.words(), at)
