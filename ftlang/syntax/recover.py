"""Drives Lark's LALR parser over the words, and on after a mistake: one cause, one error.

The parser is fed word by word.  Before each entry its state is kept; where a word does not fit,
`mistakes.py` says what is wrong and how to go on (put a word in, leave one out), and failing that
the state is restored and the entry replaced by what is surely known of it: its key, or its head.
So no entry hides a mistake in another, and no block is lost for a mistake in its head.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from lark.exceptions import UnexpectedToken

from ftlang.diagnostics import Diagnostic
from ftlang.source import SourceFile
from ftlang.syntax.place import UNREADABLE, Place, Repair, runs_together
from ftlang.syntax.table import parser
from ftlang.syntax.tokens import CLOSERS, OPENERS, RESERVED, Token

Tree = Any  # lark.Tree, whose leaves are our tokens
_SOFT_BEFORE = frozenset({"EQ", "PLUS_EQ", "DOT", "LPAR", "LBRACE"})
_FAR = 64  # words; a mistake further on the line is not looked at
_TERMINATORS = frozenset({"_NL", "COMMA", "RBRACE", "$END"})


def tree(
    source: SourceFile, words: list[Token], reported: list[int]
) -> tuple[Tree, list[Diagnostic]]:
    """The parse tree of balanced words.

    `reported` are the offsets, sorted, of mistakes already found in words and brackets; another
    one in the same entry is taken for their consequence.
    """
    driver = _Driver(source, words, reported)
    return driver.run(), driver.found


class _Frame:
    """A `{` that is open, or the file: where its current entry began."""

    __slots__ = ("broken", "depth", "has_body", "in_map", "start", "state")

    def __init__(
        self, state: Any, start: int, depth: int, in_map: bool, has_body: bool = False
    ) -> None:
        self.state, self.start, self.depth, self.in_map = state, start, depth, in_map
        self.broken, self.has_body = False, has_body


class _Driver:
    def __init__(self, source: SourceFile, words: list[Token], reported: list[int]) -> None:
        end = len(source.text)
        self.source, self.words = source, [*words, Token("$END", "", end, end)]
        self.reported = reported
        self.found: list[Diagnostic] = []
        interactive: Any = parser().parse_interactive("")
        self.state = interactive
        self.groups: list[str] = []
        self.frames = [_Frame(self.state.copy(deepcopy_values=False), 0, 0, False)]
        self.at = 0
        self.result: Tree = None
        self.mended = -1  # the word at which the last mistake was
        self.furthest = -1  # the last word at which one was
        self.left_out = -1  # the end of the last entry of which nothing was kept
        self.fed = ""  # the type of the last word given to the parser

    @property
    def frame(self) -> _Frame:
        return self.frames[-1]

    def run(self) -> Tree:
        while self.at < len(self.words):
            word = self._settled(self.at)
            if word.type == "NAME" and self._ends_a_number(word):
                self._mend(word)
            elif self._feed(word):
                self.at += 1
            else:
                self._mend(word)
        return self.result

    def _type(self, index: int) -> str:
        return self.words[index].type if index < len(self.words) else "$END"

    def _settled(self, index: int) -> Token:
        """The word, a reserved one made a name where it can only be one."""
        word = self.words[index]
        if word.type in RESERVED:
            choices = self.state.choices()
            only_name = word.type not in choices and "NAME" in choices
            if only_name or self._type(index + 1) in _SOFT_BEFORE:
                word = self.words[index] = word._replace(type="NAME")
        return word

    def _ends_a_number(self, word: Token) -> bool:
        """Whether a name after a number is no unit but the next entry: `r = 16 alpha = 32`."""
        return (
            self.at > 0
            and self._type(self.at - 1) == "NUMBER"
            and self.mended != self.at
            and runs_together(self.words, self.at)
        )

    # Feeding

    def _feed(self, word: Token) -> bool:
        """Gives the parser a word; False where it does not fit."""
        if word.type not in self.state.choices():
            return False
        try:
            result = self.state.feed_token(word)
        except UnexpectedToken:
            return False
        before, self.fed = self.fed, word.type
        if word.type == "$END":
            self.result = result
        elif word.type in OPENERS:
            self._enter(word, before)
        elif word.type in CLOSERS:
            self._leave(word)
        elif word.type in ("_NL", "COMMA") and len(self.groups) == self.frame.depth:
            self._begin_entry(self.at + 1)
        return True

    def _begin_entry(self, start: int) -> None:
        frame = self.frame
        frame.state = self.state.copy(deepcopy_values=False)
        frame.start, frame.broken, frame.has_body = start, False, False

    def _enter(self, word: Token, before: str) -> None:
        inside = len(self.groups) > self.frame.depth
        self.groups.append(word.type)
        if word.type == "LBRACE":
            in_map = inside or before in ("EQ", "PLUS_EQ") or self.frame.in_map
            state = self.state.copy(deepcopy_values=False)
            self.frames.append(_Frame(state, self.at + 1, len(self.groups), in_map))

    def _leave(self, word: Token) -> None:
        self.groups.pop()
        if word.type == "RBRACE":
            self.frames.pop()
            self.frame.has_body |= len(self.groups) == self.frame.depth

    # Mending

    def _mend(self, word: Token) -> None:
        frame = self.frame
        inner = self.groups[-1] if len(self.groups) > frame.depth else "LBRACE"
        accepts = self.state.accepts()
        again = self.mended == self.at or self.at < self.furthest
        self.mended, self.furthest = self.at, max(self.at, self.furthest)
        known = self._is_consequence()
        place = Place(
            self.source, self.words, self.at, frame.start, inner, frame.in_map, accepts, known
        )
        from ftlang.syntax.mistakes import mistake  # a right spec needs no sentence on mistakes

        repair = mistake(place)
        if not known:
            self.found.append(repair.found)
        frame.broken = True
        if again or not self._repaired(repair):
            self._give_up(word, repair, again)

    def _is_consequence(self) -> bool:
        """Whether this entry has a reported mistake already."""
        frame = self.frame
        if frame.broken:
            return True
        start = self._start_of_entry()
        end = self.words[self._end_of_head(self.at, self.at + _FAR)].end
        nearest = bisect_left(self.reported, start)
        return nearest < len(self.reported) and self.reported[nearest] < max(end, start + 1)

    def _start_of_entry(self) -> int:
        """The offset where the entry begins on its line, with what was left out before it."""
        index = min(self.frame.start, len(self.words) - 1)
        line, _ = self.source.position(self.words[index].start)
        before = self.words[index - 1].end if index else 0
        return max(before, self.source.line_starts[line - 1])

    def _end_of_head(self, index: int, limit: int | None = None) -> int:
        """The `{` of the entry's body, or the word that ends the entry, at or after an index."""
        depth = len(self.groups) - self.frame.depth
        limit = len(self.words) if limit is None else limit
        while self._type(index) != "$END" and index < limit:
            kind = self._type(index)
            if depth <= 0 and (kind in _TERMINATORS or self._opens_body(index)):
                break
            depth += (kind in OPENERS) - (kind in CLOSERS)
            index += 1
        return index

    def _opens_body(self, index: int) -> bool:
        before = self._type(index - 1) if index else ""
        return self._type(index) == "LBRACE" and before not in ("EQ", "PLUS_EQ")

    def _repaired(self, repair: Repair) -> bool:
        """Goes on as the repair says; False where the parser does not follow."""
        for at, type_ in repair.retype.items():
            self.words[at] = self.words[at]._replace(type=type_)
        if repair.restart:
            self._restore()
        if repair.insert or repair.skip or repair.restart or repair.retype:
            for word in repair.insert:
                before = len(self.groups)
                if not self._feed(word):
                    return False
                if word.type == "_NL" and before == self.frame.depth:
                    self.frame.start = self.at + repair.skip
            self.at += repair.skip
            return True
        return False

    def _restore(self) -> None:
        frame = self.frame
        self.state = frame.state.copy(deepcopy_values=False)
        del self.groups[frame.depth :]
        self.at = frame.start

    def _give_up(self, word: Token, repair: Repair, again: bool) -> None:
        """Keeps what is known of the entry and goes to its end, or into its body."""
        if again:
            self._leave_out()
            return
        frame, end = self.frame, self._end_of_head(self.at)
        whole = len(self.groups) == frame.depth and "_NL" in self.state.accepts()
        if whole or frame.has_body:
            if self._type(end) == "LBRACE":
                self._feed_all([Token("_NL", "", word.start, word.start)])
                frame.broken, frame.start = True, self.at
                self._feed_all(_head(self.words[self.at : end], frame.in_map, repair.nameless))
        else:
            self._restore()
            end = self._end_of_head(self.at)
            entry = self.words[self.at : end]
            if self._type(end) == "LBRACE":
                self._feed_all(_head(entry, frame.in_map, repair.nameless))
            else:
                self._feed_all(_placeholder(entry))
        self.at = end

    def _leave_out(self) -> None:
        """The last resort: goes to the end of the entry, its body included, and keeps nothing."""
        at, depth = self.at, len(self.groups) - self.frame.depth
        while self._type(at) != "$END" and (depth > 0 or self._type(at) not in _TERMINATORS):
            depth += (self._type(at) in OPENERS) - (self._type(at) in CLOSERS)
            at += 1
        self._restore()
        # Where even the end of the entry does not fit, it is passed over, so that this ends.
        self.at = at + 1 if at == self.left_out else at
        self.left_out = at
        if self._type(at) == "$END":
            self.at = at
            while len(self.frames) > 1:
                self._restore()
                self.at = at
                if not self._feed(Token("RBRACE", "", self.words[at].start, self.words[at].start)):
                    self.frames.pop()

    def _feed_all(self, words: list[Token]) -> None:
        for word in words:
            if not self._feed(word):
                self.state = self.frame.state.copy(deepcopy_values=False)
                return


def _head(entry: list[Token], in_map: bool, nameless: bool) -> list[Token]:
    """A head that the parser takes, for a block whose own it did not.

    Without a first name, or where a mistake leaves open which block it is, the name is empty;
    such a block is read for its mistakes alone.
    """
    first = entry[0] if entry else None
    if first is None or first.type != "NAME":
        at = first.start if first else 0
        first, entry = Token("NAME", "", at, at), []
    elif nameless:
        first, entry = first._replace(text=""), []
    if in_map:
        return [first, Token("EQ", "=", first.end, first.end)]
    second = entry[1:2]
    return [first, *(word for word in second if word.type == "NAME")]


def _placeholder(entry: list[Token]) -> list[Token]:
    """`key = ?` for an entry that has a key, `let name = ?` likewise, and otherwise nothing."""
    key: list[Token] = []
    rest = iter(entry)
    first = next(rest, None)
    if first is None or first.type not in ("NAME", "LET", "PARAM", "STRING"):
        return []
    key.append(first)
    if first.type in ("LET", "PARAM"):
        name = next(rest, None)
        if name is None or name.type != "NAME":
            return []
        key.append(name)
        if first.type == "PARAM":
            key += [Token("COLON", "", name.end, name.end), Token("NAME", "", name.end, name.end)]
    elif first.type == "NAME":
        for dot, part in zip(entry[1::2], entry[2::2], strict=False):
            if dot.type != "DOT" or part.type not in ("NAME", "STRING"):
                break
            key += [dot, part]
    start, end = key[-1].end, entry[-1].end
    return [*key, Token("EQ", "=", start, start), Token(UNREADABLE, "", start, max(start, end))]
