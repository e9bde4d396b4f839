"""The text form of diagnostics, byte by byte."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftlang.compile import Options, analyse
from ftlang.diagnostics import Diagnostic, Label, Severity, error, in_order, warning
from ftlang.report import text
from ftlang.source import SourceFile, Span

PLAIN = text.Style()


def span(source: SourceFile, part: str) -> Span:
    start = source.text.index(part)
    return Span(source, start, start + len(part))


def test_a_diagnostic_with_everything() -> None:
    spec = SourceFile(
        "job.ft",
        "run a {\n  training {\n    batch       = 64 seqs\n    micro_batch = 4 rows\n  }\n}\n",
    )
    base = SourceFile("base.ft", "defaults b {\n  hardware.gpus_per_node = 3\n}\n")
    found = error(
        "FT301",
        "a batch of 64 sequences cannot be split over 3 devices × 4 each",
        span(spec, "64 seqs"),
        label="64 = 4 × 3 × 5.33…",
        labels=(Label(span(spec, "4 rows"), "per device"), Label(span(base, "3"), "from here")),
        context=span(spec, spec.text[10:-3]),
        notes=("every device must take the same number of sequences",),
        help=("set `batch` to `60 seqs`", "or set `gpus_per_node` to 4"),
    )
    assert text.render([found], PLAIN, "Nothing was written.") == (
        """\
error[FT301]: a batch of 64 sequences cannot be split over 3 devices × 4 each
 ┌─ job.ft:3:19
 │
2│   training {
3│     batch       = 64 seqs
 │                   ^^^^^^^ 64 = 4 × 3 × 5.33…
4│     micro_batch = 4 rows
 │                   ------ per device
5│   }
 ┌─ base.ft:2:28
2│   hardware.gpus_per_node = 3
 │                            - from here
 = why: every device must take the same number of sequences
 = help: 1. set `batch` to `60 seqs`
         2. or set `gpus_per_node` to 4

1 error in 1 file. Nothing was written.
"""
    )


def test_ascii_draws_without_box_characters() -> None:
    source = SourceFile("a.ft", "x = 1\n")
    found = warning("FT200", "no “x” × 2…", span(source, "x"), label="here")
    drawn = text.render([found], text.Style(ascii_only=True))
    assert drawn == (
        'warning[FT200]: no "x" x 2...\n +- a.ft:1:1\n |\n1| x = 1\n | ^ here\n\n'
        "1 warning in 1 file.\n"
    )


def test_several_lines_show_the_first_and_the_last() -> None:
    source = SourceFile("a.ft", "  a {\n\n\n    b = 1   \n  }\n")
    found = error("FT1", "m", Span(source, 2, len(source.text)), label="all of it")
    assert " │   ^^^\n ┆\n5│   }\n │   ^ all of it\n" in text.render([found], PLAIN)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_an_empty_span_at_the_end_gets_one_caret(ending: str) -> None:
    source = SourceFile("a.ft", f"run a {{{ending}")
    end = len(source.text)
    drawn = text.render([error("FT1", "m", Span(source, end, end), label="here")], PLAIN)
    assert drawn.count("^") == 1
    assert "^ here" in drawn


def test_an_empty_file_shows_only_its_name() -> None:
    source = SourceFile("a.ft", "")
    drawn = text.render([error("FT1", "m", Span(source, 0, 0))], PLAIN)
    assert drawn == "error[FT1]: m\n ┌─ a.ft:1:1\n\n1 error in 1 file.\n"


@pytest.mark.parametrize(
    ("line", "shown", "column"),
    [
        ("\tx", "    x", 4),
        ("ab\tx", "ab  x", 4),
        ("好好x", "好好x", 4),
        ("e\u0301x", "e\u0301x", 1),
        ("\x1b[2Jx", "\ufffd[2Jx", 4),
        ("\u202eax", "\ufffdax", 2),
    ],
)
def test_carets_stand_below_their_character(line: str, shown: str, column: int) -> None:
    source = SourceFile("a.ft", line)
    rows = text.render([error("FT1", "m", span(source, "x"))], PLAIN).splitlines()
    assert rows[3] == f"1│ {shown}"
    assert rows[4] == f" │ {' ' * column}^"


def test_a_wide_character_takes_two_carets() -> None:
    source = SourceFile("a.ft", "= 好")
    assert " │   ^^\n" in text.render([error("FT1", "m", span(source, "好"))], PLAIN)


def test_a_very_long_line_is_cut_around_the_span() -> None:
    source = SourceFile("a.ft", "a" * 5000 + "HERE" + "b" * 5000)
    rows = text.render([error("FT1", "m", span(source, "HERE"))], PLAIN).splitlines()
    assert len(rows[3]) < 140
    start = rows[4].index("^")
    assert rows[3][start : start + 4] == "HERE"
    assert rows[4].endswith("^^^^")


def test_sorted_and_each_once() -> None:
    b, a = SourceFile("b.ft", "x y"), SourceFile("a.ft", "x y")
    later, first = error("FT2", "later", span(a, "y")), error("FT9", "first", span(a, "x"))
    last = error("FT1", "last", span(b, "x"))
    drawn = text.render([last, later, first, first], PLAIN)
    order = [drawn.index(word) for word in ("first", "later", "last")]
    assert order == sorted(order)
    assert drawn.endswith("3 errors in 2 files.\n")


def test_capped_with_a_count_and_errors_kept() -> None:
    source = SourceFile("a.ft", "x" * 40)
    many = [warning("FT2", f"w{i:02}", Span(source, i, i + 1)) for i in range(25)]
    drawn = text.render([*many, error("FT1", "the error", Span(source, 39, 40))], PLAIN)
    assert "the error" in drawn
    assert drawn.count("warning[") == 19
    assert "\n6 more not shown.\n" in drawn
    assert drawn.endswith("1 error and 25 warnings in 1 file.\n")


def test_colour_only_adds_escapes() -> None:
    source = SourceFile("a.ft", "x = 1\n")
    found = [error("FT1", "m", span(source, "x"), label="l", notes=("n",), help=("h",))]
    coloured = text.render(found, text.Style(colour=True))
    assert "\x1b[1;31m^ l\x1b[0m" in coloured
    stripped = coloured
    for code in ("0", "1", "1;31", "34"):
        stripped = stripped.replace(f"\x1b[{code}m", "")
    assert stripped == text.render(found, PLAIN)


@given(st.text(max_size=60), st.data())
def test_any_span_of_any_text_can_be_drawn(body: str, data: st.DataObject) -> None:
    source = SourceFile("a.ft", body)
    start = data.draw(st.integers(0, len(body)))
    end = data.draw(st.integers(start, len(body)))
    place = Span(source, start, end)
    found = Diagnostic("FT1", Severity.ERROR, "m", place, label="L", labels=(Label(place, "2"),))
    drawn = text.render([found], PLAIN)
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cs") for c in drawn)
    assert in_order([found]) == [found]
    if body:
        assert "^ L\n" in drawn
        assert "- 2\n" in drawn


def test_a_secret_in_the_spec_stays_out_of_the_report() -> None:
    token = "hf_" + "a1B2" * 8
    spec = (
        'run a {\n  model { base = hf("a/b", token = "' + token + '"), dtyp = 1 }\n'
        f'  publish {{ repo = "a/b", token = secret("{token}") }}\n}}\n'
    )
    _, found = analyse(SourceFile("job.ft", spec), Options())
    assert [d.code for d in found].count("FT139") == 2
    said = text.render(found)
    assert token not in said
    assert 'token = "' + "*" * len(token) + '"), dtyp = 1' in said
