"""The syntax tree: what was written, with spans, and no name known yet.

Every node is frozen and carries the span it was read from.  Values keep what the user typed
(`Number.text`, `Str.raw`); their meaning is given by `schema/units.py` and the fields' types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ftlang.source import SourceFile, Span


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier: `lora_alpha`, `all-linear`, `données`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Str:
    """A string, unescaped in `value`; `triple` for the `\"\"\"` form, which has no escapes.

    Interpolations (`${…}`) are left in `value` as they were written.
    """

    value: str
    triple: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its optional unit: `2e-4`, `5%`, `4Ki`, `3 epochs`, `80 GiB`.

    `text` is the numeral alone with sign and without underscores removed by the user's hand,
    `unit` the unit as written (`%`, `Ki`, `epochs`, or two words as in `2 B tokens` → "B tokens").
    """

    text: str
    unit: str
    span: Span


@dataclass(frozen=True, slots=True)
class Bool:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Nothing:
    """`none`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Var:
    """`$name` or `$file.name`; `name` is without the dollar sign."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Path:
    """A dotted path: a key, a reference or a plain word (one part).

    A part is a Name, or a Str where it is the key of a map.
    """

    parts: tuple[Name | Str, ...]
    span: Span

    @property
    def text(self) -> str:
        """The path as written, `a.b."c.0"` with its parts joined by dots."""
        return ".".join(p.text if isinstance(p, Name) else f'"{p.value}"' for p in self.parts)


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword argument of a call: `revision = "main"`."""

    name: Name
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A constructor: `hf("org/name", revision = "main")`."""

    path: Path
    args: tuple[Value, ...]
    keywords: tuple[Keyword, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ListValue:
    """`[a, b]`."""

    items: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Pair:
    """One entry of a map: `papers = 80%`, `"layers.0" = 16`."""

    key: Path | Str
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class MapValue:
    """`{ a = 1, "b.0" = 2 }` in the place of a value."""

    pairs: tuple[Pair, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A value with a syntax error that is already reported.

    Readers pass over it without a word and count its field (or block) as given, so that one
    mistake stays one error.
    """

    span: Span


Value: TypeAlias = (
    Str | Number | Bool | Nothing | Var | Path | Call | ListValue | MapValue | Unreadable
)


@dataclass(frozen=True, slots=True)
class Attr:
    """`path = value` or `path += value`."""

    path: Path
    op: str
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Unset:
    """`unset path`."""

    path: Path
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
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


@dataclass(frozen=True, slots=True)
class Use:
    """`use "base.ft"` or `use "registry.ft" as d`."""

    path: Str
    alias: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """`let rate = 1e-4`."""

    name: Name
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """`param seed: int = 42`."""

    name: Name
    type: Name
    value: Value | None
    span: Span


Item: TypeAlias = Use | Let | Param | Attr | Block | Unset


@dataclass(frozen=True, slots=True)
class File:
    """A parsed file.  After errors it holds the entries that could be read whole."""

    source: SourceFile
    items: tuple[Item, ...]
