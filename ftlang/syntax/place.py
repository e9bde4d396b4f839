"""Where a word does not fit, and what to do there; the terms in which mistakes are told."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ftlang.diagnostics import Diagnostic, Edit, error
from ftlang.record import Record
from ftlang.source import SourceFile, Span
from ftlang.syntax.literals import clipped
from ftlang.syntax.tokens import RESERVED, Token

UNREADABLE = "BARE"  # with an empty text: the value of an entry whose own could not be read
NAME = re.compile(r"[^\W\d]\w*(-\w+)*\Z")
ENDS = frozenset({"_NL", "COMMA", "RBRACE", "RPAR", "RSQB", "$END"})
SETS = frozenset({"EQ", "PLUS_EQ"})
STATEMENTS = frozenset({"USE", "LET", "PARAM", "UNSET"})


class Repair(Record):
    """The diagnostic, and how the driver goes on.

    `insert` words are fed, then `skip` words left out; with `restart` that happens from the
    entry's beginning.  `retype` changes words in place.  Without any of them the driver gives
    the entry up; `nameless` then says that its head does not tell which block it is.
    """

    found: Diagnostic
    insert: tuple[Token, ...] = ()
    skip: int = 0
    retype: Mapping[int, str] = {}
    restart: bool = False
    nameless: bool = False


class Place(Record):
    """Where a word does not fit.

    `start` is the index of the entry's first word; `inner` the innermost open bracket, `LBRACE`
    for a body, a map and the file itself; `accepts` the terminals that would have fitted;
    `reported` says that the entry has a mistake already, so that only the repair matters.
    """

    source: SourceFile
    words: list[Token]
    at: int
    start: int
    inner: str
    in_map: bool
    accepts: set[str]
    reported: bool

    def word(self, offset: int = 0) -> Token:
        """A word by its distance from this one; outside the file a newline."""
        index = self.at + offset
        return self.words[index] if 0 <= index < len(self.words) else Token("_NL", "", 0, 0)

    @property
    def entry(self) -> list[Token]:
        """The words of the entry before this one."""
        return self.words[self.start : self.at]

    def span(self, first: Token, last: Token | None = None) -> Span:
        """The span of one word, or from one to another."""
        return Span(self.source, first.start, max(first.end, (last or first).end))

    def shown(self, token: Token) -> str:
        """A word as diagnostics name it."""
        if token.type == "_NL":
            return "the end of the line"
        if token.type == "$END":
            return "the end of the file"
        return f"`{clipped(self.source.text[token.start : token.end])}`"

    def edit(self, start: int, end: int, text: str) -> Edit:
        """The fix that puts a text between two offsets."""
        return Edit(Span(self.source, start, end), text)


def runs_together(words: list[Token], at: int) -> bool:
    """Whether the name at an index, which follows a number, begins another entry."""
    after, then = words[at + 1].type, words[min(at + 2, len(words) - 1)].type
    return after in SETS | {"LBRACE", "DOT", "COLON", "EXTENDS", "LPAR"} or (
        after == "NAME" and then in ("LBRACE", "EXTENDS")
    )


def begins_entry(place: Place) -> bool:
    """Whether an entry of its own seems to start at this word."""
    first = place.word()
    if first.type in STATEMENTS:
        return True
    if first.type != "NAME":
        return False
    after, then = place.word(1), place.word(2)
    if after.type in SETS | {"LBRACE", "COLON"}:
        return True
    if after.type in ("NAME", *RESERVED):
        return then.type in ENDS | {"LBRACE", "EXTENDS"} and then.type not in ("RPAR", "RSQB")
    offset = 1
    while place.word(offset).type == "DOT" and place.word(offset + 1).type in ("NAME", "STRING"):
        offset += 2
    return offset > 1 and place.word(offset).type in SETS


def virtual(type_: str, at: int, text: str = "") -> Token:
    """A word that should have been written, at an offset."""
    return Token(type_, text, at, at)


def wrong(
    place: Place,
    code: str,
    message: str,
    first: Token,
    last: Token | None = None,
    *,
    help: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    fix: Edit | None = None,
) -> Diagnostic:
    """An error at one word, or from one to another."""
    return error(code, message, place.span(first, last), help=help, notes=notes, fix=fix)


def last_visible(place: Place) -> Token:
    """This word, or the one before where this one is the end of a line."""
    word = place.word()
    return place.word(-1) if word.type in ENDS and place.at > place.start else word


def equals_missing(place: Place, key: Token, value: Token) -> Diagnostic:
    """The error of a key and a value with nothing between."""
    fix = place.edit(key.end, value.start, " = ")
    message = f"`=` is missing between `{key.text}` and {place.shown(value)}"
    return wrong(place, "FT020", message, value, fix=fix)
