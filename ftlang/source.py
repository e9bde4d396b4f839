"""Source texts and places in them; the first layer, on which every other stands."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from os.path import dirname
from typing import TYPE_CHECKING

from ftlang.record import Record

if TYPE_CHECKING:
    from pathlib import Path


class SourceFile(Record):
    """One text that the compiler reads.

    `name` is what diagnostics print (a path as the user gave it), `place` the file on disk, or
    None for texts that have none (standard input, `--set`).  Lines break at LF, CRLF and CR only.
    """

    name: str
    text: str
    place: str | Path | None = None

    @property
    def path(self) -> Path | None:
        """The file on disk; `place` does without pathlib, which a plain check does not load."""
        from pathlib import Path

        return Path(self.place) if self.place is not None else None

    @property
    def folder(self) -> str | None:
        """The folder of the file on disk, "" for the one that ftc runs in."""
        return dirname(self.place) if self.place is not None else None

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which lines begin, the first always 0."""
        starts, text, at, size = [0], self.text, 0, len(self.text)
        while at < size:
            char = text[at]
            at += 1
            if char == "\r" and at < size and text[at] == "\n":
                at += 1
            if char in "\r\n":
                starts.append(at)
        return tuple(starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1, columns in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (counted from 1), without its line break."""
        start = self.line_starts[number - 1]
        last = number == len(self.line_starts)
        end = len(self.text) if last else self.line_starts[number]
        return self.text[start:end].rstrip("\r\n")


class Span(Record):
    """A half-open range `[start, end)` of characters of one source."""

    source: SourceFile
    start: int
    end: int

    def __repr__(self) -> str:
        return f"Span({self.source.name!r}, {self.start}, {self.end})"

    @property
    def text(self) -> str:
        """The characters that the span covers."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line of the first character, counted from 1."""
        return self.source.position(self.start)[0]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of the other."""
        return Span(self.source, self.start, max(self.end, other.end))
