"""Words → words whose brackets match, so that one bracket breaks one entry and not the file.

Only a file that does not balance is guessed about, and then twice: with and without what its
indentation says.  The guess with fewer mistakes is taken.
"""

from __future__ import annotations

from bisect import bisect_right

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.source import SourceFile
from ftlang.syntax.tokens import CLOSERS, OPENERS, SHOWN, Token

DEEPEST = 64
_KEY = frozenset({"NAME", "DOT", "USE", "AS", "LET", "PARAM", "EXTENDS", "UNSET"})
_HEAD = _KEY | {"EQ", "PLUS_EQ", "TRUE", "FALSE", "NONE"}
_LINE_END = Token("_NL", "", -1, -1)


def balanced(source: SourceFile, words: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The words with every bracket matched and only the newlines that end entries."""
    words, found = _within_depth(source, words)
    guess = _Guess(source, words, indented=False)
    if guess.faults and not found:
        other = _Guess(source, words, indented=True)
        guess = min(other, guess, key=lambda each: len(each.faults))
    if not found:
        found = [_diagnostic(source, fault) for fault in guess.faults]
    return _with_entry_ends(guess.words()), found


def _within_depth(source: SourceFile, words: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """Empties the brackets that lie deeper than `DEEPEST`, which bounds every later recursion."""
    kept: list[Token] = []
    found: list[Diagnostic] = []
    stack: list[str] = []
    skipped: list[Token] = []
    for word in words:
        if skipped:
            if word.type in OPENERS:
                skipped.append(word)
            elif word.type in CLOSERS:
                opener = skipped.pop()
                if not skipped:
                    kept.append(word._replace(type=OPENERS[opener.type]))
            continue
        kept.append(word)
        if word.type in OPENERS:
            if len(stack) == DEEPEST:
                skipped.append(word)
                if not found:
                    message = f"brackets are nested more than {DEEPEST} deep"
                    found.append(error("FT013", message, word.span(source)))
            else:
                stack.append(word.type)
        elif word.type == "RBRACE" and "LBRACE" in stack:
            while stack.pop() != "LBRACE":
                pass
        elif word.type in CLOSERS and stack and stack[-1] == CLOSERS[word.type]:
            stack.pop()
    if skipped:
        kept.append(Token(OPENERS[skipped[0].type], "", kept[-1].end, kept[-1].end))
    return kept, found


class _Fault:
    """A bracket without its partner, or with the wrong one."""

    __slots__ = ("closer", "code", "line", "opener", "others", "place")

    def __init__(
        self,
        code: str,
        opener: Token | None,
        closer: Token | None = None,
        others: list[Token] | None = None,
        place: int = -1,
        line: int = 0,
    ) -> None:
        self.code, self.opener, self.closer = code, opener, closer
        self.others = [] if others is None else others
        self.place, self.line = place, line


class _Guess:
    """One way to match all brackets: closers to put in, to change and to leave out."""

    def __init__(self, source: SourceFile, words: list[Token], *, indented: bool) -> None:
        self.all, self.indented = words, indented
        self.faults: list[_Fault] = []
        self.before: dict[int, list[Token]] = {}
        self.changed: dict[int, str] = {}
        self.dropped: set[int] = set()
        self.stack: list[int] = []
        self.after: dict[int, int] = {}
        self.with_keys: set[int] = set()  # openers with an `=` inside
        self._lay_out(source)
        for index, word in enumerate(words):
            if self.first[index]:
                self._end_list_before_entry(index)
            if word.type in OPENERS:
                self.stack.append(index)
            elif word.type in ("EQ", "PLUS_EQ") and self.stack:
                self.with_keys.add(self.stack[-1])
            elif word.type in CLOSERS:
                self._close(index, word)
        self._close_rest()
        self.faults.sort(key=lambda each: (each.opener or each.closer or _LINE_END).start)

    def words(self) -> list[Token]:
        """The words, their brackets matched."""
        if not self.faults:
            return self.all
        result: list[Token] = []
        for index, word in enumerate(self.all):
            result += self.before.get(index, ())
            if index not in self.dropped:
                type_ = self.changed.get(index, word.type)
                result.append(word if type_ == word.type else word._replace(type=type_))
        return result + self.before.get(len(self.all), [])

    def _lay_out(self, source: SourceFile) -> None:
        """Line, column and the line's indent of every word."""
        starts = source.line_starts
        self.line = [bisect_right(starts, word.start) for word in self.all]
        self.first: list[bool] = []
        self.indent: list[int] = []
        seen, indent = 0, 0
        for word, line in zip(self.all, self.line, strict=True):
            first = line != seen and word.type != "_NL"
            if first:
                seen, indent = line, word.start - starts[line - 1]
            self.first.append(first)
            self.indent.append(indent)

    def _type(self, index: int) -> str:
        return self.all[index].type

    def _close(self, index: int, word: Token) -> None:
        wanted = CLOSERS[word.type]
        if word.type == "RBRACE":
            self._close_brace(index)
        elif self.stack and self._type(self.stack[-1]) == wanted:
            self._match(index)
        elif not self.stack:
            self._drop(index)
        elif self._type(self.stack[-1]) == "LBRACE":
            self._close_other_than_brace(index, wanted)
        else:
            self._close_other_kind(index, wanted)

    def _match(self, index: int) -> None:
        self.after[self.stack.pop()] = index + 1

    def _mismatch(self, index: int) -> None:
        opener = self.stack[-1]
        self.changed[index] = OPENERS[self._type(opener)]
        self.faults.append(_Fault("FT011", self.all[opener], self.all[index]))
        self._match(index)

    def _drop(self, index: int) -> None:
        self.dropped.add(index)
        self.faults.append(_Fault("FT012", None, self.all[index]))

    def _insert(self, place: int) -> None:
        """Closes the innermost bracket before the word at `place`."""
        opener = self.stack.pop()
        self.after[opener] = place
        at = self.all[place - 1].end
        closer = Token(OPENERS[self._type(opener)], "", at, at)
        self.before.setdefault(place, []).append(closer)
        line = self.line[opener]
        last = self.faults[-1] if self.faults else None
        if last and last.opener and (last.code, last.place, last.line) == ("FT010", place, line):
            last.others.append(last.opener)
            last.opener = self.all[opener]
        else:
            self.faults.append(_Fault("FT010", self.all[opener], place=place, line=line))

    def _end_list_before_entry(self, index: int) -> None:
        """Closes a list that was left open, where an entry starts on a line of its own.

        A later bracket too many would close it and so hide all entries between.
        """
        while (
            self.stack
            and self._type(self.stack[-1]) == "LSQB"
            and self.stack[-1] not in self.with_keys
            and self._type(index - 1) == "_NL"
            and self._type(index - 2) not in OPENERS.keys() | {"COMMA"}
            and self._entry_at(index)
        ):
            self._insert(index - 1)

    def _close_brace(self, index: int) -> None:
        open_braces = [at for at, opener in enumerate(self.stack) if self._type(opener) == "LBRACE"]
        if not open_braces:
            if self.stack and self.line[self.stack[-1]] == self.line[index]:
                self._mismatch(index)
            else:
                self._drop(index)
            return
        brace = self.stack[open_braces[-1]]
        column = self.indent[index]
        alone = self.indented and self.first[index] and self.line[brace] != self.line[index]
        if alone and column > self.indent[brace]:
            self._drop(index)
            return
        top = self.stack[-1]
        if (
            top != brace
            and self.line[top] == self.line[index] != self.line[brace]
            and not self.first[index]
        ):
            self._mismatch(index)
            return
        while self.stack[-1] != brace:
            self._insert(self._end_of_value(self.stack[-1], index))
        if alone and column < self.indent[brace]:
            outer = [at for at in open_braces if self.indent[self.stack[at]] == column]
            while outer and len(self.stack) > outer[-1] + 1:
                opener = self.stack[-1]
                self._insert(
                    self._end_of_block(opener, index)
                    if self._type(opener) == "LBRACE"
                    else self._end_of_value(opener, index)
                )
        self._match(index)

    def _close_other_than_brace(self, index: int, wanted: str) -> None:
        """`)` or `]` where `{` is open."""
        brace = self.stack[-1]
        below = len(self.stack) - 1
        while below >= 0 and self._type(self.stack[below]) == "LBRACE":
            below -= 1
        same_line = self.line[brace] == self.line[index]
        if below >= 0 and self._type(self.stack[below]) == wanted and same_line:
            while len(self.stack) > below + 1:
                self._insert(index)
            self._match(index)
        elif (same_line and self._surplus(index, {"LBRACE"}) <= 0) or (
            self.first[index] and self.indent[index] == self.indent[brace]
        ):
            self._mismatch(index)
        else:
            self._drop(index)

    def _close_other_kind(self, index: int, wanted: str) -> None:
        """`)` where `[` is innermost, or `]` where `(` is."""
        below = len(self.stack) - 1
        while below >= 0 and self._type(self.stack[below]) not in (wanted, "LBRACE"):
            below -= 1
        if below < 0 or self._type(self.stack[below]) == "LBRACE":
            self._mismatch(index)
            return
        region = below
        while region > 0 and self._type(self.stack[region - 1]) != "LBRACE":
            region -= 1
        left_open = len(self.stack) - region - 1
        if self._surplus(index, {"LPAR", "LSQB"}) >= left_open:
            self._mismatch(index)
            return
        while len(self.stack) > below + 1:
            self._insert(index)
        self._match(index)

    def _surplus(self, index: int, openers: set[str]) -> int:
        """Closers less openers of these kinds, in what follows on the line (a bounded look)."""
        count, line = 0, self.line[index]
        for at in range(index + 1, min(index + 200, len(self.all))):
            if self.line[at] != line or self._type(at) == "_NL":
                break
            count -= self._type(at) in openers
            count += CLOSERS.get(self._type(at)) in openers
        return count

    def _end_of_value(self, opener: int, limit: int) -> int:
        """Where an unclosed `(` or `[` ends: the first newline not after a comma or opener."""
        at = opener + 1
        while at < limit:
            if self._type(at) == "_NL":
                continues = self._type(at - 1) in OPENERS or self._type(at - 1) == "COMMA"
                if not continues or (self._type(opener) == "LSQB" and self._entry_at(at + 1)):
                    return at
            at = self.after.get(at, at + 1)
        return limit

    def _entry_at(self, index: int) -> bool:
        """Whether `name =` or `name.name =` or `name {` or `name name {` stands at an index."""
        start = index
        while index < len(self.all) and index < start + 16 and self._type(index) in _KEY:
            index += 1
        return start < index < len(self.all) and self._type(index) in ("EQ", "PLUS_EQ", "LBRACE")

    def _end_of_block(self, opener: int, limit: int) -> int:
        """Where an unclosed `{` ends: before the next line that is indented no deeper."""
        at = opener + 1
        while at < limit:
            if self.first[at] and self.indent[at] <= self.indent[opener]:
                return at - 1 if self._type(at - 1) == "_NL" else at
            at = self.after.get(at, at + 1)
        return limit

    def _close_rest(self) -> None:
        size = len(self.all)
        while size and self._type(size - 1) == "_NL":
            size -= 1
        while self.stack:
            opener = self.stack[-1]
            brace = self._type(opener) == "LBRACE"
            end = self._end_of_block if brace else self._end_of_value
            self._insert(end(opener, size))


def _diagnostic(source: SourceFile, fault: _Fault) -> Diagnostic:
    opener, closer = fault.opener, fault.closer
    if fault.code == "FT010" and opener:
        shown = " and ".join(f"`{SHOWN[each.type]}`" for each in [opener, *reversed(fault.others)])
        ends = "".join(SHOWN[OPENERS[each.type]] for each in [*fault.others, opener])
        return error(
            "FT010",
            f"{shown} {'are' if fault.others else 'is'} not closed",
            opener.span(source),
            labels=tuple(Label(each.span(source), "nor is this") for each in fault.others),
            help=(f"close with `{ends}`",),
        )
    if opener and closer:
        right = SHOWN[OPENERS[opener.type]]
        return error(
            "FT011",
            f"`{SHOWN[opener.type]}` is closed by `{closer.text}`",
            opener.span(source),
            labels=(Label(closer.span(source), f"write `{right}`"),),
            help=(f"close with `{right}`",),
        )
    assert closer is not None
    return error("FT012", f"`{closer.text}` closes nothing", closer.span(source))


def _with_entry_ends(words: list[Token]) -> list[Token]:
    """Leaves out newlines that end no entry: inside `()` and `[]`, and before a `{`."""
    following = [""] * len(words)  # of each word, the type of the next that is no newline
    for index in range(len(words) - 2, -1, -1):
        after = words[index + 1].type
        following[index] = following[index + 1] if after == "_NL" else after
    kept: list[Token] = []
    stack: list[str] = []
    for word, after in zip(words, following, strict=True):
        if word.type in OPENERS:
            stack.append(word.type)
        elif word.type in CLOSERS:
            stack.pop()
        elif word.type == "_NL":
            if (stack and stack[-1] != "LBRACE") or (kept and kept[-1].type == "_NL"):
                continue
            if after == "LBRACE" and kept and kept[-1].type in _HEAD:
                continue
        kept.append(word)
    return kept
