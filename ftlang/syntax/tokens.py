"""Text → tokens: every character in exactly one, for the parser, the formatter and editors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ftlang.source import SourceFile, Span
from ftlang.syntax.table import scanner

OPENERS = {"LBRACE": "RBRACE", "LPAR": "RPAR", "LSQB": "RSQB"}
CLOSERS = {closer: opener for opener, closer in OPENERS.items()}
SHOWN = {"LBRACE": "{", "RBRACE": "}", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]"}
TRIVIA = frozenset({"WS", "COMMENT", "SLASHES", "BLOCK_COMMENT"})
RESERVED = frozenset({"USE", "AS", "LET", "PARAM", "EXTENDS", "UNSET", "TRUE", "FALSE", "NONE"})
VALUE_STARTS = frozenset(
    {"STRING", "TEXT", "NUMBER", "VAR", "NAME", "TRUE", "FALSE", "NONE", "LSQB", "BARE"}
)
VALUE_ENDS = frozenset(
    {"STRING", "TEXT", "NUMBER", "VAR", "NAME", "TRUE", "FALSE", "NONE", "PERCENT", "BARE"}
    | set(CLOSERS)
)

# A file with more `\"\"\"` to guess about than this gets no further guesses: each one lexes anew.
_MOST_CUTS = 24
# Texts, compiled where they are used: a spec without a text left open needs none of them.
_ENTRY_LINE = (
    r"(?P<indent>[ \t]*)(?:\}|[^\W\d][\w.-]*[ \t]*(?:\+?=(?!=)|(?:[^\W\d][\w-]*[ \t]*)?\{))"
)
_INDENTED = r"(?P<indent>[ \t]*)[^\s\"]"
_OPENS_ANOTHER = r"[ \t]*[^\W\d][\w.-]*[ \t]*\+?=[ \t]*$"


class Token(NamedTuple):
    """A piece of the text.  `type` is the grammar's terminal; `text` what the parser reads.

    The driver also makes tokens that stand for what should have been written: their `text` is
    empty or differs from what lies between `start` and `end`.
    """

    type: str
    text: str
    start: int
    end: int

    def span(self, source: SourceFile) -> Span:
        """Where the token stands."""
        return Span(source, self.start, self.end)


def tokens(source: SourceFile) -> list[Token]:
    """All tokens, trivia included: joining their texts gives the source's text."""
    found: list[Token] = []
    at, cuts = 0, 0
    while True:
        piece = list(_lexed(source.text, at))
        cut = _text_left_open(source, piece) if cuts < _MOST_CUTS else None
        if cut is None:
            return found + piece
        index, end = cut
        left_open = piece[index]
        found += piece[:index]
        found.append(Token("BAD_TEXT", source.text[left_open.start : end], left_open.start, end))
        at, cuts = end, cuts + 1


def _lexed(text: str, at: int) -> Iterator[Token]:
    # A look-behind must not see what lies before the cut, so the rest is lexed as its own text.
    rest = text[at:] if at else text
    pattern, words = scanner()
    match, here, size = pattern.match, 0, len(rest)
    while here < size:
        found = match(rest, here)
        # STRAY takes what nothing else does.
        assert found is not None and found.lastgroup is not None
        piece, end, type_ = found[0], found.end(), found.lastgroup
        type_ = words[type_].get(piece, type_) if type_ in words else type_
        yield Token(type_, piece, at + here, at + end)
        here = end


def _text_left_open(source: SourceFile, piece: list[Token]) -> tuple[int, int] | None:
    """Index of a `\"\"\"` that is never closed, and where to take the text as ended.

    It then reaches the end of the file and would hide every later entry.  So it ends before the
    first line that looks like an entry and is indented no deeper than its own, or just as deep.
    """
    if not piece or piece[-1].type != "BAD_TEXT":
        return None
    for index, token in enumerate(piece):
        if token.type == "TEXT" and not _closes_where_another_opens(token):
            continue
        if token.type in ("TEXT", "BAD_TEXT"):
            end = _end_of_entry(source, token)
            if end is not None:
                return index, end
    return None


def _closes_where_another_opens(token: Token) -> bool:
    """Whether the closing quotes are those that open the next entry's text."""
    lines = re.split(r"\r\n?|\n", token.text[:-3])
    return len(lines) > 1 and re.match(_OPENS_ANOTHER, lines[-1]) is not None


def _end_of_entry(source: SourceFile, token: Token) -> int | None:
    line = source.position(token.start)[0]
    own = source.line(line)
    indent = len(own) - len(own.lstrip(" \t"))
    for number in range(line + 1, len(source.line_starts) + 1):
        start = source.line_starts[number - 1]
        if start >= token.end:
            return None
        entry = re.compile(_ENTRY_LINE).match(source.text, start)
        beside = re.compile(_INDENTED).match(source.text, start)
        same = beside is not None and 0 < indent == len(beside["indent"])
        if same or (entry and len(entry["indent"]) <= indent):
            break_length = 2 if source.text[start - 2 : start] == "\r\n" else 1
            return start - break_length
    return None
