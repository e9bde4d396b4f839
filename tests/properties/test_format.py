"""`ftc fmt` round trip: it keeps tokens, comments and tree, is idempotent, and knows one layout.

A failing example prints its seed; `written(random.Random(seed))` makes its text again.  What is
kept is looked at in other ways than the formatter's own proof does.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftlang.source import SourceFile
from ftlang.syntax import parse, tokens
from ftlang.syntax.format import formatted

ROOT = Path(__file__).resolve().parents[2]
SPECS = [
    text
    for path in sorted([*ROOT.glob("examples/*/*.ft"), *ROOT.glob("tests/**/*.ft")])
    if not parse(SourceFile(path.name, text := path.read_bytes().decode()))[1]
]
# Without comments directly below trailing ones: whether such go on is told by their column.
PLAIN = [text for text in SPECS if not re.search(r"\S.*#.*\n[ \t]*#", text)]
SEEDS = st.integers(0, 2**32 - 1)
COMMENTS = ["# c", "#c  ", "#", '# """ { [ "', "# ft: allow FT321 — why\t", "# é日本"]
NAMES = ["a", "lora_alpha", "all-linear", "données", "use", "let", "param", "true", "none", "x9"]
WORDS = [
    '"s"', '"a  \\" # b"', '""', "16", "-1", "2e-4", "1_000", "5%", "4Ki", "80GiB", "30m", "true",
    "false", "none", "$seed", "$d.rate", "bfloat16", "ultrachat.train_sft", '"""t"""',
    '"""\n  a  \n\tb\n\n\n  # {"""', '"""\r\n a\r\n"""',
]  # fmt: skip
UNITS = ["epochs", "%", "Ki", "GiB"]


class Writer:
    """Writes a spec of every construct, badly."""

    def __init__(self, source: random.Random) -> None:
        self.pick = source.choice
        self.number = source.randint

    def some(self, part: str, most: int = 3) -> list[str]:
        return [getattr(self, part)() for _ in range(self.number(0, most))]

    def between(self) -> str:
        return self.pick([" ", " ", "  ", "\t", " \u00a0", "\f "])

    def maybe(self) -> str:
        return self.pick(["", "", " ", "   ", "\t", "\ufeff"])

    def line_end(self) -> str:
        comment = self.pick(["", "", *COMMENTS])
        return self.maybe() + comment + self.pick(["\n", "\n", "\n\n", "\r\n", "\r", "\n \n\n"])

    def line_ends(self) -> str:
        return self.line_end() + "".join(self.some("line_end", 2)) + self.maybe()

    def inside(self) -> str:
        return self.pick([self.maybe(), self.maybe(), self.line_ends()])

    def before_brace(self) -> str:
        return self.pick([self.maybe(), self.maybe(), self.maybe(), self.line_ends()])

    def separator(self) -> str:
        comma = self.maybe() + "," + self.maybe()
        return self.pick([self.line_ends(), self.line_ends(), comma, comma + self.line_ends()])

    def name(self) -> str:
        return self.pick(NAMES)

    def plain_name(self) -> str:
        return self.pick(NAMES[:4])

    def path(self) -> str:
        dot = self.maybe() + "." + self.maybe()
        last = self.pick([[], [self.plain_name()], ['"layers.0"']])
        return dot.join([self.plain_name(), *self.some("plain_name", 1), *last])

    def body(self, part: str, depth: int) -> str:
        if depth > 3:
            return "{" + self.maybe() + "}"
        entries = [getattr(self, part)(depth + 1) for _ in range(self.number(0, 4))]
        text = entries[0] if entries else ""
        for entry in entries[1:]:
            text += self.separator() + entry
        return "{" + self.inside() + text + self.pick([self.maybe(), self.separator()]) + "}"

    def value(self, depth: int) -> str:
        kind = self.number(0, 9) if depth < 4 else 0
        if kind == 6:
            return self.pick(["3", "0.25", "80"]) + self.between() + self.pick(UNITS)
        if kind == 7:
            items = [self.value(depth + 1) for _ in range(self.number(0, 4))]
            return "[" + self.joined(items) + "]"
        if kind == 8:
            arguments = [self.value(depth + 1) for _ in range(self.number(0, 2))]
            for _ in range(self.number(0, 2)):
                arguments.append(self.plain_name() + self.equals() + self.value(depth + 1))
            return self.plain_name() + self.maybe() + "(" + self.joined(arguments) + ")"
        if kind == 9:
            return self.body("pair", depth)
        return self.pick(WORDS)

    def joined(self, items: list[str]) -> str:
        text = self.inside()
        for index, item in enumerate(items):
            last = index == len(items) - 1
            comma = self.pick(["", ","]) if last else ","
            text += item + self.inside() + comma + self.inside()
        return text

    def equals(self) -> str:
        return self.maybe() + "=" + self.maybe()

    def pair(self, depth: int) -> str:
        return self.pick([self.path(), '"b.0"']) + self.equals() + self.value(depth)

    def entry(self, depth: int) -> str:
        kind = self.number(0, 5)
        if kind == 0:
            return "unset" + self.between() + self.path()
        if kind == 1:
            return self.plain_name() + self.between() + self.plain_name()
        if kind == 2:
            kinds = self.pick([[], [self.plain_name()]])
            head = self.between().join([self.plain_name(), *kinds])
            return head + self.before_brace() + self.body("entry", depth)
        sign = self.pick(["=", "=", "=", "+="])
        key = self.pick([self.path(), self.name()])
        return key + self.maybe() + sign + self.maybe() + self.value(depth)

    def item(self) -> str:
        gap, kind = self.between, self.number(0, 6)
        if kind == 0:
            alias = self.pick(["", f"{gap()}as{gap()}d"])
            return f'use{gap()}"base.ft"{alias}'
        if kind == 1:
            return f"let{gap()}{self.plain_name()}{self.equals()}{self.value(1)}"
        if kind == 2:
            default = self.pick(["", self.equals() + self.value(1)])
            head = f"param{gap()}{self.plain_name()}{self.maybe()}"
            return f"{head}:{self.maybe()}int{default}"
        if kind == 3:
            base = f"{gap()}extends{gap()}{self.pick(['base', 'd.base', 'd . base'])}"
            body = self.before_brace() + self.body("entry", 1)
            return f"run{gap()}{self.plain_name()}{base}{body}"
        return self.entry(1)


def written(source: random.Random) -> str:
    """A spec without syntax errors, laid out by chance."""
    writer = Writer(source)
    text = writer.pick(["", "\ufeff", "\n\n", writer.line_ends()])
    for item in writer.some("item", 8):
        text += item + writer.pick([writer.line_ends(), writer.line_end()])
    return text + writer.pick(["", writer.maybe(), writer.line_ends(), "# end"])


def solid(text: str) -> str:
    """The characters that are no white space, in order."""
    return re.sub(r"[\s\u200b\ufeff]+", "", text)


def kept(text: str) -> list[str]:
    """Everything that may hold white space of its own."""
    holders = ("STRING", "TEXT", "COMMENT")
    pieces = tokens(SourceFile("job.ft", text))
    return [piece.text.rstrip() for piece in pieces if piece.type in holders]


def tree(text: str) -> str:
    items, found = parse(SourceFile("job.ft", text))
    assert found == []
    return re.sub(r"Span\('job.ft', \d+, \d+\)", "", repr(items.items))


def lines(text: str) -> list[str]:
    """What stands on each line that holds something, texts cut out."""
    pieces = tokens(SourceFile("job.ft", text))
    shape = "".join('"""' if piece.type == "TEXT" else piece.text for piece in pieces)
    return [line for line in map(solid, re.split(r"\r\n?|\n", shape)) if line]


def holds(text: str) -> str:
    """The layout of a right text; everything but its white space is as it was."""
    new, found = formatted(SourceFile("job.ft", text))
    assert found == []
    assert new is not None
    assert solid(new) == solid(text)
    assert kept(new) == kept(text)
    assert lines(new) == lines(text)
    assert tree(new) == tree(text)
    assert formatted(SourceFile("job.ft", new)) == (new, [])
    pieces = tokens(SourceFile("job.ft", new))
    shape = "".join({"TEXT": '"""', "COMMENT": "#"}.get(p.type, p.text) for p in pieces)
    assert not re.search(r"[^\S\n](\n|\Z)|\n\n\n|\A\n|\n\n\Z|[{\[(]\n\n|\n\n *[}\])]", shape)
    assert new == "" or new.endswith("\n")
    assert not any(p.text[-1].isspace() for p in pieces if p.type == "COMMENT")
    bare = "".join(piece.text for piece in pieces if piece.type in ("WS", "_NL"))
    assert set(bare) <= {" ", "\n"}
    return new


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_any_spec(seed: int) -> None:
    holds(written(random.Random(seed)))


def test_the_writer_uses_the_whole_language() -> None:
    source = random.Random(7)
    texts = [written(source) for _ in range(200)]
    seen = {piece.type for text in texts for piece in tokens(SourceFile("job.ft", text))}
    every = {"USE", "AS", "LET", "PARAM", "EXTENDS", "UNSET", "TRUE", "FALSE", "NONE", "VAR"}
    every |= {"STRING", "TEXT", "NUMBER", "PERCENT", "NAME", "PLUS_EQ", "COLON", "COMMENT", "DOT"}
    assert every <= seen
    assert sum(formatted(SourceFile("job.ft", text))[0] != text for text in texts) > 150


def respaced(text: str, source: random.Random) -> str:
    """The text with other spaces where it has some, and other indents; its lines stay."""
    parts = []
    for piece in tokens(SourceFile("job.ft", text)):
        if piece.type == "WS":
            parts.append(source.choice([" ", "  ", "\t", "      ", "\u3000"]))
        elif piece.type == "_NL":
            ends = re.sub(r"[^\r\n]", "", piece.text)
            parts.append(ends + source.choice(["", " ", "\t", "   "]))
        else:
            parts.append(piece.text)
    return "".join(parts)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_there_is_one_layout(seed: int) -> None:
    source = random.Random(seed)
    text = source.choice(PLAIN)
    assert holds(respaced(text, source)) == holds(text)


PIECES = [
    *"{}[]()=,\n:;.\"'-#%$\\", " ", "\t", "\r", "\r\n", "\n\n\n", "\u200b", "+=", '"""', "${x}",
    "//", "/*", "use", "unset", "true", "x", "a.b", "1", "5%", '"s"', "org/x", "$x", "# c\n", "\0",
]  # fmt: skip


def mutated(text: str, source: random.Random) -> str:
    """The text with a few places taken out or put in."""
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(text) + 1)
        put_in = source.choice(["", source.choice(PIECES)])
        text = text[:at] + put_in + text[at + source.choice([0, 0, 1, 1, 5]) :]
    return text


@settings(max_examples=250, deadline=None)
@given(seed=SEEDS)
def test_any_mutation_of_a_spec(seed: int) -> None:
    source = random.Random(seed)
    text = mutated(source.choice(SPECS), source)
    found = parse(SourceFile("job.ft", text))[1]
    if found:
        new, said = formatted(SourceFile("job.ft", text))
        assert new is None
        assert [each.code for each in said] == [each.code for each in found]
    else:
        holds(text)


def test_mutations_are_of_both_kinds() -> None:
    source = random.Random(7)
    texts = [mutated(source.choice(SPECS), source) for _ in range(200)]
    right = sum(not parse(SourceFile("job.ft", text))[1] for text in texts)
    assert 20 < right < 180


@pytest.mark.parametrize("text", ["", "\ufeff", "\r\n \u200b\r", "# c", "a = 1#c\r"])
def test_the_smallest_texts(text: str) -> None:
    holds(text)
