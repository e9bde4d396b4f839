"""The layout of `.ft` files: what is written anew, what is refused, and what is proven."""

from __future__ import annotations

import gc
import time

import pytest

from ftlang.cli.init import SPECS
from ftlang.source import SourceFile
from ftlang.syntax import format as formatter
from ftlang.syntax.format import Unproven, formatted

# before, after; `·` stands for a space that would be hard to see, `→` for a tab
CASES = {
    "spaces between words": (
        'use   "b.ft"as→d\nlet a=1\n\nparam  s :int=2\nrun b  extends d . x{unset a . b}\n',
        'use "b.ft" as d\nlet a = 1\n\nparam s: int = 2\nrun b extends d.x { unset a.b }\n',
    ),
    "values": (
        'x = hf ( "a/b" ,revision="c",k=[ 1,$d.x ,{a=5 %} ] )\n\ny={a . "b c"=3   epochs,}\n',
        'x = hf("a/b", revision = "c", k = [1, $d.x, { a = 5 % }])\n\n'
        'y = { a."b c" = 3 epochs, }\n',
    ),
    "empty brackets": (
        "a{}\nb x {→}\nc = [ ]\n\nlong = f( )\n\nm = {}\nn {,}\n",
        "a { }\nb x { }\nc = []\n\nlong = f()\n\nm = { }\nn { , }\n",
    ),
    "no space turns up in words": (
        'a-b = -1.5e-3\n\nx = "a  b"\n\ny = 2B tokens\n\nz = 5%\n',
        'a-b = -1.5e-3\n\nx = "a  b"\n\ny = 2B tokens\n\nz = 5%\n',
    ),
    "indent by nesting": (
        "run a {\nmodel {\n→→base = 1\n }\n# in\n    }\n# out\n",
        "run a {\n  model {\n    base = 1\n  }\n  # in\n}\n# out\n",
    ),
    "one line stays one line": (
        "training {batch=8,seed=1}\n",
        "training { batch = 8, seed = 1 }\n",
    ),
    "no line is joined or broken": (
        "a { b = 1\n c = 2 }, d x\n\ntune\n{\ne = 1, f = 2\n}\n",
        "a { b = 1\n  c = 2 }, d x\n\ntune\n{\n  e = 1, f = 2\n}\n",
    ),
    "broken lists": (
        "x = [\n1, 2,\n    3,\n ]\n\ny = f(\na,\nb = [1,\n2])\n",
        "x = [\n  1, 2,\n  3,\n]\n\ny = f(\n  a,\n  b = [1,\n    2])\n",
    ),
    "brackets that open together indent once": (
        'x = f("a", [\n1,\n], {\na = 1\n})\ny = g([\n{ a = 1 }\n]\n)\n',
        'x = f("a", [\n  1,\n], {\n  a = 1\n})\ny = g([\n  { a = 1 }\n]\n)\n',
    ),
    "commas may begin lines": (
        "a {\nb = 1\n, c = 22\n}\nx = [1\n,2\n]\n",
        "a {\n  b = 1\n  , c = 22\n}\nx = [1\n  , 2\n]\n",
    ),
    "equals of neighbours": (
        "a = 1\nlong.er = 2\nm = {\nxyz = 1\np=2\n}\nz = 3\n",
        "a       = 1\nlong.er = 2\nm       = {\n  xyz = 1\n  p   = 2\n}\nz = 3\n",
    ),
    "equals of declarations": (
        "let a = 1\nlet long = 2\nparam p: int = 3\nparam pp: float = 4\nlet c = 5\n",
        "let a    = 1\nlet long = 2\nparam p: int = 3\nparam pp: float = 4\nlet c = 5\n",
    ),
    "keywords as names": (
        "let = 1\nunset.x = 2\nparam = 3\nparam.x = 4\nuse {true = 5}\n",
        "let     = 1\nunset.x = 2\nparam   = 3\nparam.x = 4\nuse { true = 5 }\n",
    ),
    "equals of += and =": (
        "a = 1\nb += 2\n\nlong = 3\nc += 4\n",
        "a  = 1\nb += 2\n\nlong = 3\nc   += 4\n",
    ),
    "equals end at a blank line, a comment, a block and a line of several entries": (
        "a = 1\n\nbb = 2\n# c\nccc = 3\ntune full\ndddd = 4\ne = 5, f = 6\nggggg = 7\n",
        "a = 1\n\nbb = 2\n# c\nccc = 3\ntune full\ndddd = 4\ne = 5, f = 6\nggggg = 7\n",
    ),
    "equals of an entry that shares its line with a block": (
        "aa = 1\nb {\nbb = 1\nc = 2 }, d { eeee = 3\n}\n",
        "aa = 1\nb {\n  bb = 1\n  c  = 2 }, d { eeee = 3\n}\n",
    ),
    "arguments are not aligned": (
        "x = f(\na = 1,\nlong = 2,\n)\n",
        "x = f(\n  a = 1,\n  long = 2,\n)\n",
    ),
    "comments of neighbours": (
        "a = 1# x\nlong = 22     # y·\nrun b { # z\n→c = 1\n\n  # own\n}\n",
        "a    = 1   # x\nlong = 22  # y\nrun b {    # z\n  c = 1\n\n  # own\n}\n",
    ),
    "comments keep their words": (
        "#!x\n#  two  blanks\t\n# ft: allow FT321 — why\n",
        "#!x\n#  two  blanks\n# ft: allow FT321 — why\n",
    ),
    "a comment that goes on below": (
        "a {\nbase = 1     # one\n             # two\n  # three\nc = 1 # four\n\n      # five\n}\n",
        "a {\n  base = 1  # one\n            # two\n  # three\n  c = 1  # four\n\n  # five\n}\n",
    ),
    "no comment goes on below a text of several lines": (
        'd = """\nx"""  # one\n              # own\n',
        'd = """\nx"""  # one\n# own\n',
    ),
    "a comment that goes on below keeps neighbours together": (
        "a = 1    # one\n         # two\nlonger = 2\n",
        "a      = 1  # one\n            # two\nlonger = 2\n",
    ),
    "comments in brackets": (
        "x = [ # a\n# b\n1, # c\n# d\n]\n",
        "x = [  # a\n  # b\n  1,  # c\n  # d\n]\n",
    ),
    "blank lines": (
        "\n\n# a\n\n\n\nb {\n\nc = 1\n\n\nd = 2\n\n}\n\n\n",
        "# a\n\nb {\n  c = 1\n\n  d = 2\n}\n",
    ),
    "a blank line that goes joins neighbours": (
        "a {  # x\n\nbbb = 1  # y\n}\n",
        "a {        # x\n  bbb = 1  # y\n}\n",
    ),
    "texts stay": (
        'a = """\n·x··\n→y\n\n\n\n  # z"""  # c\nlong = 1  # d\n',
        'a = """\n·x··\n→y\n\n\n\n  # z"""  # c\nlong = 1  # d\n',
    ),
    "equals end at a text of several lines": (
        'aa = """x\n"""\nb = """y"""\nccc = 1\n',
        'aa = """x\n"""\nb   = """y"""\nccc = 1\n',
    ),
    "comments end at a text of several lines": (
        'a = 1  # w\nb = """\nlong line\n"""  # x\nccc = 1    # y\n',
        'a = 1  # w\nb = """\nlong line\n"""      # x\nccc = 1  # y\n',
    ),
    "line ends": (
        'a = 1\r\nb {\r  c = 2\r\n\r\n\r\n}\nx = """\r\n  y\r\n"""\r\n',
        'a = 1\nb {\n  c = 2\n}\nx = """\r\n  y\r\n"""\n',
    ),
    "a byte order mark and other spaces": (
        "\ufeffa\u00a0=\u30001\n\f\u200bb {\u2028c = 2 }",
        "a = 1\nb { c = 2 }\n",
    ),
    "nothing": ("", ""),
    "nothing but space": (" \r\n\t\n", ""),
    "no newline at the end": ("a = 1", "a = 1\n"),
    "a comment at the end": ("a = 1 # c", "a = 1  # c\n"),
}


def layout(text: str) -> str:
    new, found = formatted(SourceFile("job.ft", text))
    assert found == []
    assert new is not None
    return new


def shown(text: str) -> str:
    return text.replace("·", " ").replace("→", "\t")


@pytest.mark.parametrize("case", CASES)
def test_layout(case: str) -> None:
    before, after = map(shown, CASES[case])
    assert layout(before) == after
    assert layout(after) == after


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("run a {", "FT010"),
        ("a =\n", "FT019"),
        ('a = "x\n', "FT004"),
        ("a = 1; b = 2\n", "FT009"),
        ("a = 1 // c\n", "FT008"),
        ("a = org/name\n", "FT017"),
    ],
)
def test_broken_texts_are_refused(text: str, code: str) -> None:
    new, found = formatted(SourceFile("job.ft", text))
    assert new is None
    assert [each.code for each in found] == [code]


def test_names_mean_nothing_to_it() -> None:
    assert layout("nonsense{ x=$y }\n") == "nonsense { x = $y }\n"


WRITTEN = "a {\n  r = [1,\n    2]  # c\n}\n"
LIES = {
    "a text with errors": "a {\n  r = [1,\n    2]  # c\n",
    "a word, a comment or a line": "a {\n  r = [1,\n    3]  # c\n}\n",
    "a comment or a line": "a {\n  r = [1,\n    2]\n}\n",
    "or a line": "a {\n  r = [1, 2]  # c\n}\n",
    "twice is not formatting it once": "a {\n  r = [1,\n    2]   # c\n}\n",
}


@pytest.mark.parametrize("what", LIES)
def test_a_wrong_layout_is_not_handed_out(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lies = iter([LIES[what], WRITTEN])
    monkeypatch.setattr(formatter, "laid_out", lambda pieces: next(lies))
    with pytest.raises(Unproven, match=what):
        formatted(SourceFile("job.ft", WRITTEN))


def test_another_meaning_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter, "laid_out", lambda pieces: "a = 2\n")
    monkeypatch.setattr(formatter, "_written", lambda pieces: [])
    with pytest.raises(Unproven, match="what it says"):
        formatted(SourceFile("job.ft", "a = 1\n"))


@pytest.mark.parametrize("method", SPECS)
def test_what_init_prints_is_formatted(method: str) -> None:
    assert layout(SPECS[method]) == SPECS[method]


def seconds(text: str) -> float:
    source = SourceFile("long.ft", text)
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        assert formatted(source)[0] not in (None, text)
        return time.process_time() - start
    finally:
        gc.enable()


FIVE_LINES = 'run a{x=1,y="two"  # c\n  lo=[1,2,\n3]\n\n}\n'


def test_5000_lines_take_a_few_seconds() -> None:
    assert seconds(FIVE_LINES * 1000) < 6


@pytest.mark.parametrize(
    "lines", [FIVE_LINES, "x=1 # c\n" * 5, "# c\n\n" * 5, "let a=[{b=1}]\n" * 5]
)
def test_long_files_take_linear_time(lines: str) -> None:
    """Four times the text takes about four times the time; quadratic would be sixteen times."""
    short, long = (min(seconds(lines * n) for _ in range(2)) for n in (60, 240))
    assert long < 9 * short + 0.1
