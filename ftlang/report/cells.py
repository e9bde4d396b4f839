"""How characters of a source line look on a terminal: tabs, wide and invisible characters."""

from __future__ import annotations

import unicodedata
from itertools import accumulate

from ftlang.record import Record

TAB = 4
_JOINER = "\u200d"
_ASCII = str.maketrans(
    {"…": "...", "×": "x", "–": "-", "—": "-", "·": "*", "›": ">", "→": "->", "≤": "<=", "≥": ">="}
    | dict.fromkeys("“”", '"')
    | dict.fromkeys("‘’", "'")
)


def shown(char: str) -> str:
    """What is printed for a character other than a tab: itself, or a stand-in.

    Control and direction characters could change what the reader sees, so they are replaced.
    """
    hidden = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != _JOINER
    return "\N{REPLACEMENT CHARACTER}" if hidden else char


def width(char: str) -> int:
    """Columns that a printed character takes: 0, 1 or 2."""
    if unicodedata.category(char) in ("Mn", "Me") or char == _JOINER:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def plain(text: str, ascii_only: bool) -> str:
    """A message on one line, safe to print; typographic signs spelt out if `ascii_only`."""
    text = "".join(" " if char in "\t\r\n" else shown(char) for char in text)
    return text.translate(_ASCII) if ascii_only else text


class Line(Record):
    """A source line as printed: `text`, and the screen column (from 0) of each character.

    `columns` has one entry more than the line has characters: the column after the last one.
    """

    text: str
    columns: tuple[int, ...]

    def column(self, index: int) -> int:
        """The screen column of the character at `index`, counted from 0."""
        return self.columns[min(index, len(self.columns) - 1)]


def laid_out(line: str) -> Line:
    """The line with tabs expanded and hidden characters replaced."""
    pieces: list[str] = []
    widths: list[int] = []
    at = 0
    for char in line:
        piece = " " * (TAB - at % TAB) if char == "\t" else shown(char)
        size = len(piece) if char == "\t" else width(piece)
        pieces.append(piece)
        widths.append(size)
        at += size
    return Line("".join(pieces), tuple(accumulate(widths, initial=0)))


def window(line: str, start: int, limit: int) -> tuple[int, int]:
    """The range of characters to print of a line that is longer than `limit`, around `start`."""
    if len(line) <= limit:
        return 0, len(line)
    first = 0 if start < limit * 3 // 4 else start - limit // 4
    return first, min(len(line), first + limit)
