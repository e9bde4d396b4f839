"""Text → the same text in the one layout: `ftc fmt`.  Only whitespace between tokens changes.

Lines stay lines: no two are joined and none is broken.  What is laid out anew is the indent, the
space between words, the columns of `=` and of trailing comments, blank lines and line endings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from ftlang.diagnostics import Diagnostic, has_errors
from ftlang.record import Record
from ftlang.source import SourceFile
from ftlang.syntax import parse
from ftlang.syntax.tokens import CLOSERS, OPENERS, Token, tokens

INDENT = 2
BEFORE_COMMENT = "  "
_SETS = frozenset({"EQ", "PLUS_EQ"})
_AFTER_KEY = _SETS | {"DOT"}  # behind `param`, these make it the name of a field
_NO_SPACE_AFTER = frozenset({"LPAR", "LSQB", "DOT"})
_NO_SPACE_BEFORE = frozenset({"RPAR", "RSQB", "COMMA", "COLON", "DOT", "LPAR"})
_LINE_BREAK = re.compile(r"\r\n?|\n")
_PLACES = frozenset({"source", "span", "head"})  # fields of the tree that say where, not what


class Unproven(Exception):
    """The new text is not the old one laid out anew: a bug of the formatter."""


def formatted(source: SourceFile) -> tuple[str | None, list[Diagnostic]]:
    """The text in its layout; None, and why, where it has syntax errors.

    Before it is handed out the text is proven to say what the old one said.  Raises Unproven.
    """
    old = tokens(source)
    tree, found = parse(source, old)
    if has_errors(found):
        return None, found
    text = laid_out(old)
    if text != source.text:
        _prove(text, source.name, _written(old), _meaning(tree))
    return text, []


def _prove(text: str, name: str, written: list[Any], meaning: Any) -> None:
    source = SourceFile(name, text)
    new = tokens(source)
    tree, found = parse(source, new)
    if has_errors(found):
        raise Unproven(f"formatting {name} gives a text with errors: {found[0].message}")
    if _written(new) != written:
        raise Unproven(f"formatting {name} changes a word, a comment or a line")
    if _meaning(tree) != meaning:
        raise Unproven(f"formatting {name} changes what it says")
    if laid_out(new) != text:
        raise Unproven(f"formatting {name} twice is not formatting it once")


def _written(pieces: Iterable[Token]) -> list[list[tuple[str, str]]]:
    """Words and comments, line by line; lines without any are left out."""
    lines: list[list[tuple[str, str]]] = [[]]
    for piece in pieces:
        if piece.type == "_NL":
            lines.append([])
        elif piece.type == "COMMENT":
            lines[-1].append((piece.type, piece.text.rstrip()))
        elif piece.type != "WS":
            lines[-1].append((piece.type, piece.text))
    return [line for line in lines if line]


def _meaning(node: Any) -> Any:
    """A part of the tree without its places; brackets, and so the parts, nest at most 64 deep."""
    if isinstance(node, Record):
        fields = [name for name in node._fields if name not in _PLACES]
        return type(node), [_meaning(getattr(node, name)) for name in fields]
    return [_meaning(each) for each in node] if isinstance(node, tuple) else node


# Lines


class _Line:
    """One line: its words, its comment, and how it stands to the lines around it.

    `column` is where the comment stood; `body` is the number of the `{` in whose body the line
    begins, 0 in the file; `sets` is the index of the `=` of its only entry, 0 where it has none;
    `continues` says that it is a comment below a trailing one, in the same column.
    """

    __slots__ = ("body", "column", "comment", "continues", "indent", "sets", "spaced", "words")

    def __init__(self, spaced: bool) -> None:
        self.words: list[Token] = []
        self.comment = ""
        self.column = 0
        self.spaced = spaced
        self.continues = False
        self.indent = 0
        self.body = 0
        self.sets = 0

    @property
    def in_several(self) -> bool:
        """Whether a text in it spreads over several lines of the file."""
        return any(word.type == "TEXT" and _LINE_BREAK.search(word.text) for word in self.words)


def laid_out(pieces: Iterable[Token]) -> str:
    """The layout of the tokens of a text without syntax errors; it ends in one newline."""
    lines = list(_lines(pieces))
    _keep_blanks(lines)
    _nest(lines)
    text = [" " * line.indent + _spread(line.words) for line in lines]
    _align_entries(lines, text)
    _add_comments(lines, text)
    return "".join(
        f"\n{row}\n" if line.spaced else f"{row}\n" for line, row in zip(lines, text, strict=True)
    )


def _keep_blanks(lines: list[_Line]) -> None:
    """Leaves no blank line at the start of the file, behind an opener or before a closer."""
    for line in lines[:1]:
        line.spaced = False
    for above, below in pairwise(lines):
        opens = bool(above.words) and above.words[-1].type in OPENERS
        closes = bool(below.words) and below.words[0].type in CLOSERS
        below.spaced = below.spaced and not opens and not closes


def _lines(pieces: Iterable[Token]) -> Iterator[_Line]:
    """The lines that hold something, in order."""
    line, start, breaks = _Line(False), 0, 0
    above: _Line | None = None
    for piece in pieces:
        if piece.type == "_NL":
            if line.words or line.comment:
                above, breaks = line, 0
                yield line
            for match in _LINE_BREAK.finditer(piece.text):
                breaks, start = breaks + 1, piece.start + match.end()
            line = _Line(spaced=breaks > 1)
        elif piece.type == "COMMENT":
            line.comment, line.column = piece.text.rstrip(), piece.start - start
            line.continues = above is not None and _goes_on(above, line)
        elif piece.type != "WS":
            line.words.append(piece)
    if line.words or line.comment:
        yield line


def _goes_on(above: _Line, line: _Line) -> bool:
    """Whether the comment `line` belongs to the trailing comment `above`.

    Below a text of several lines the columns mean nothing: an indent may equal them by chance.
    """
    if line.words or line.spaced or not above.comment or above.in_several:
        return False
    return bool(above.words or above.continues) and above.column == line.column


def _nest(lines: Iterable[_Line]) -> None:
    """Gives each line its indent and body, and finds its `=`.

    Brackets that open on one line indent what follows once; a closer that begins a line stands
    where the line of its opener begins.
    """
    stack: list[tuple[int, int, str]] = []  # of each open bracket: number, indent, type
    count = 0
    for line in lines:
        closing = 0
        while closing < len(line.words) and line.words[closing].type in CLOSERS:
            closing += 1
        if closing:
            line.indent = stack[-closing][1]
        elif stack:
            line.indent = stack[-1][1] + INDENT
        if not closing and (not stack or stack[-1][2] == "LBRACE"):
            line.body = stack[-1][0] if stack else 0
            line.sets = _only_equals(line.words)
        indent = line.indent
        for word in line.words:
            if word.type in OPENERS:
                count += 1
                stack.append((count, indent, word.type))
            elif word.type in CLOSERS:
                indent = min(indent, stack.pop()[1])


def _only_equals(words: list[Token]) -> int:
    """The index of the `=` of a line that holds one entry, or its beginning; 0 for others.

    A `param` counts among the others: its type stands between the name and the `=`.
    """
    if len(words) > 1 and words[0].type == "PARAM" and words[1].type not in _AFTER_KEY:
        return 0
    depth, found = 0, 0
    for index, word in enumerate(words):
        depth += (word.type in OPENERS) - (word.type in CLOSERS)
        if depth < 0:
            break
        if depth == 0 and word.type == "COMMA" and index < len(words) - 1:
            return 0
        if depth == 0 and word.type in _SETS:
            found = index
    return found


# Columns


def _align_entries(lines: list[_Line], text: list[str]) -> None:
    """Puts the `=` of neighbours into one column."""
    for run in _entries(lines):
        heads = [_spread(line.words[: line.sets + 1]) for _, line in run]
        width = max(map(len, heads))
        for (index, line), head in zip(run, heads, strict=True):
            key, _, sign = head.rpartition(" ")
            begun = " " * line.indent + key.ljust(width - len(sign)) + sign
            rest = _spread(line.words[line.sets + 1 :])
            text[index] = f"{begun} {rest}" if rest else begun


def _entries(lines: list[_Line]) -> Iterator[list[tuple[int, _Line]]]:
    """Lines that set fields of one body one below the other, with their indices."""
    run: list[tuple[int, _Line]] = []
    for index, line in enumerate(lines):
        if line.continues:
            continue
        last = run[-1][1] if run else None
        if last and (line.spaced or line.body != last.body or not line.sets or last.in_several):
            yield run
            run = []
        if line.sets:
            run.append((index, line))
    if run:
        yield run


def _spread(words: list[Token]) -> str:
    """Words with the space that belongs between them."""
    if not words:
        return ""
    parts = [words[0].text]
    for left, right in pairwise(words):
        parts += [_space(left.type, right.type), right.text]
    return "".join(parts)


def _space(left: str, right: str) -> str:
    glued = left in _NO_SPACE_AFTER or (right in _NO_SPACE_BEFORE and left != "LBRACE")
    return "" if glued else " "


def _add_comments(lines: list[_Line], text: list[str]) -> None:
    """Puts comments behind the lines, those of neighbours into one column."""
    for run in _commented(lines):
        width = max(_width(text[index]) for index, line in run if line.words)
        for index, line in run:
            before = text[index] if line.words else ""
            text[index] = before + " " * (width - _width(before)) + BEFORE_COMMENT + line.comment
    for index, line in enumerate(lines):
        if line.comment and not line.words and not line.continues:
            text[index] += line.comment


def _commented(lines: list[_Line]) -> Iterator[list[tuple[int, _Line]]]:
    """Lines with trailing comments one below the other, with their indices."""
    run: list[tuple[int, _Line]] = []
    for index, line in enumerate(lines):
        trails = bool(line.comment) and (bool(line.words) or line.continues)
        if run and (line.spaced or not trails or line.in_several):
            yield run
            run = []
        if trails:
            run.append((index, line))
    if run:
        yield run


def _width(text: str) -> int:
    """Characters of the last line."""
    return len(_LINE_BREAK.split(text)[-1])
