"""JSON text → values with spans, strictly: what a registry in another tool's form is read from."""

from __future__ import annotations

import re

from ftlang.diagnostics import Diagnostic, Label, error
from ftlang.record import Record
from ftlang.source import SourceFile, Span
from ftlang.syntax.literals import clipped

DEEPEST = 64


class Value(Record):
    """Any value.  `kind` is `object`, `list`, `string`, `number`, `true`, `false` or `null`.

    `text` is what a string says, or the numeral as written; `members` are an object's.
    """

    kind: str
    span: Span
    text: str = ""
    members: tuple[Member, ...] = ()


class Member(Record):
    """`"key": value`; `name` spans the key between its quotes."""

    key: str
    name: Span
    value: Value

    @property
    def span(self) -> Span:
        """The key and the value."""
        return self.name.to(self.value.span)


def json_value(source: SourceFile) -> tuple[Value | None, list[Diagnostic]]:
    """The value of a text, and FT151 for each key that an object has twice.

    What breaks JSON's rules gives no value and one FT150, at the first such place.
    """
    scan = _Scan(source)
    try:
        return scan.whole(), scan.found
    except _Broken as broken:
        return None, [broken.found]


class _Broken(Exception):
    def __init__(self, found: Diagnostic) -> None:
        self.found = found


class _Scan:
    def __init__(self, source: SourceFile) -> None:
        self.source, self.text = source, source.text
        self.at = 1 if source.text.startswith("\ufeff") else 0
        self.found: list[Diagnostic] = []
        self.space = re.compile(r"[ \t\n\r]*")
        self.scalar = re.compile(
            r"(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])"
            r"|(?P<word>true|false|null)\b"
        )

    def whole(self) -> Value:
        value = self.value(0)
        if self.next():
            raise self.broken("the end of the file")
        return value

    def next(self) -> str:
        """The next character that is no space, or "" at the end."""
        match = self.space.match(self.text, self.at)
        self.at = match.end() if match is not None else self.at
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Value:
        char, start = self.next(), self.at
        if depth > DEEPEST:
            raise self.wrong(f"nested more than {DEEPEST} deep")
        if char == "{":
            members = self.members(depth + 1)
            return Value("object", Span(self.source, start, self.at), members=members)
        if char == "[":
            self.items(depth + 1)
            return Value("list", Span(self.source, start, self.at))
        if char == '"':
            text = self.string()
            return Value("string", Span(self.source, start, self.at), text)
        match = self.scalar.match(self.text, start)
        if match is None:
            raise self.broken("a value")
        self.at = match.end()
        span = Span(self.source, start, self.at)
        return Value(match["word"] or "number", span, match["number"] or "")

    def members(self, depth: int) -> tuple[Member, ...]:
        """An object from its `{`; of a key that stands twice the first."""
        self.at += 1
        members: dict[str, Member] = {}
        if self.next() == "}":
            self.at += 1
            return ()
        while True:
            if self.next() != '"':
                raise self.broken("a key in double quotes")
            start = self.at
            key = self.string()
            name = Span(self.source, start + 1, self.at - 1)
            if self.next() != ":":
                raise self.broken("`:`")
            self.at += 1
            member = Member(key, name, self.value(depth))
            first = members.setdefault(key, member)
            if first is not member:
                self.found.append(_twice(member, first))
            if not self.goes_on("}"):
                return tuple(members.values())

    def items(self, depth: int) -> None:
        """A list from its `[`; a registry uses none, so only its form counts."""
        self.at += 1
        if self.next() == "]":
            self.at += 1
            return
        self.value(depth)
        while self.goes_on("]"):
            self.value(depth)

    def goes_on(self, closing: str) -> bool:
        """Whether a comma follows, or else the closing bracket."""
        char = self.next()
        if char not in (",", closing) or not char:
            raise self.broken(f"`,` or `{closing}`")
        self.at += 1
        if char == "," and self.next() == closing:
            raise self.wrong(f"a comma before `{closing}`", "remove the comma")
        return char == ","

    def string(self) -> str:
        """A string from its quote."""
        from json import decoder  # only where a job has a JSON file

        text: str
        start, scan = self.at, decoder.scanstring  # type: ignore[attr-defined]
        try:
            text, self.at = scan(self.text, start + 1, True)
        except decoder.JSONDecodeError as problem:
            self.at = min(problem.pos, len(self.text))
            what = problem.msg.removesuffix(" at").removesuffix(" starting").rstrip(": ")
            raise self.wrong(what[:1].lower() + what[1:]) from None
        if any("\ud800" <= char <= "\udfff" for char in text):
            self.at = start
            raise self.wrong("half of a surrogate pair in a string")
        return text

    def broken(self, wanted: str) -> _Broken:
        """What should stand here, and what does."""
        rest = self.text[self.at : self.at + 40].split(maxsplit=1)
        got = f"`{clipped(rest[0])}`" if rest else "the end of the file"
        ways = {"'": "write double quotes", "/": "remove the comment", "#": "remove the comment"}
        way = ways.get(self.text[self.at : self.at + 1], "")
        return self.wrong(f"{wanted} should stand where {got} does", way)

    def wrong(self, what: str, way: str = "") -> _Broken:
        line, column = self.source.position(self.at)
        span = Span(self.source, self.at, min(self.at + 1, len(self.text)))
        return _Broken(
            error(
                "FT150",
                f"this file is not JSON: line {line}, column {column}: {what}",
                span,
                help=(way,) if way else (),
            )
        )


def _twice(again: Member, first: Member) -> Diagnostic:
    return error(
        "FT151",
        f"`{clipped(again.key)}` stands twice in one object",
        again.name,
        labels=(Label(first.name, "first here"),),
        notes=("other tools take the last one and say nothing",),
        help=("remove one of them, or give it another name",),
    )
