"""The syntax tree: what was written, with spans, and no name known yet.

Every node is frozen and carries the span it was read from.  Values keep what the user typed
(`Number.text`, `Str.raw`); their meaning is given by `schema/units.py` and the fields' types.
"""

from __future__ import annotations

from typing import TypeAlias

from ftlang.record import Record
from ftlang.source import SourceFile, Span


class Name(Record):
    """An identifier: `lora_alpha`, `all-linear`, `données`."""

    text: str
    span: Span


class Str(Record):
    """A string, unescaped in `value`; `triple` for the `\"\"\"` form, which has no escapes.

    Interpolations (`${…}`) are left in `value` as they were written.
    """

    value: str
    triple: bool
    span: Span


class Number(Record):
    """A number with its optional unit: `2e-4`, `5%`, `4Ki`, `3 epochs`, `80 GiB`.

    `text` is the numeral alone with sign and without underscores removed by the user's hand,
    `unit` the unit as written (`%`, `Ki`, `epochs`, or two words as in `2 B tokens` → "B tokens").
    """

    text: str
    unit: str
    span: Span


class Bool(Record):
    """`true` or `false`."""

    value: bool
    span: Span


class Nothing(Record):
    """`none`."""

    span: Span


class Var(Record):
    """`$name` or `$file.name`; `name` is without the dollar sign."""

    name: str
    span: Span


class Path(Record):
    """A dotted path: a key, a reference or a plain word (one part).

    A part is a Name, or a Str where it is the key of a map.
    """

    parts: tuple[Name | Str, ...]
    span: Span

    @property
    def text(self) -> str:
        """The path as written, `a.b."c.0"` with its parts joined by dots."""
        return ".".join(p.text if isinstance(p, Name) else f'"{p.value}"' for p in self.parts)


class Keyword(Record):
    """A keyword argument of a call: `revision = "main"`."""

    name: Name
    value: Value
    span: Span


class Call(Record):
    """A constructor: `hf("org/name", revision = "main")`."""

    path: Path
    args: tuple[Value, ...]
    keywords: tuple[Keyword, ...]
    span: Span


class ListValue(Record):
    """`[a, b]`."""

    items: tuple[Value, ...]
    span: Span


class Pair(Record):
    """One entry of a map: `papers = 80%`, `"layers.0" = 16`."""

    key: Path | Str
    value: Value
    span: Span


class MapValue(Record):
    """`{ a = 1, "b.0" = 2 }` in the place of a value."""

    pairs: tuple[Pair, ...]
    span: Span


class Unreadable(Record):
    """A value with a syntax error that is already reported.

    Readers pass over it without a word and count its field (or block) as given, so that one
    mistake stays one error.
    """

    span: Span


Value: TypeAlias = (
    Str | Number | Bool | Nothing | Var | Path | Call | ListValue | MapValue | Unreadable
)


class Attr(Record):
    """`path = value` or `path += value`."""

    path: Path
    op: str
    value: Value
    span: Span


class Unset(Record):
    """`unset path`."""

    path: Path
    span: Span


class Block(Record):
    """`name kind? (extends base)? { body }`; `body` is None for the bare form `tune full`.

    `head` spans the words before the brace; `span` the whole block.
    """

    name: Name
    kind: Name | None
    extends: Path | None
    body: tuple[Entry, ...] | None
    head: Span
    span: Span


Entry: TypeAlias = Attr | Block | Unset


class Use(Record):
    """`use "base.ft"` or `use "registry.ft" as d`."""

    path: Str
    alias: Name | None
    span: Span


class Let(Record):
    """`let rate = 1e-4`."""

    name: Name
    value: Value
    span: Span


class Param(Record):
    """`param seed: int = 42`."""

    name: Name
    type: Name
    value: Value | None
    span: Span


Item: TypeAlias = Use | Let | Param | Attr | Block | Unset


class File(Record):
    """A parsed file.  After errors it holds the entries that could be read whole."""

    source: SourceFile
    items: tuple[Item, ...]
