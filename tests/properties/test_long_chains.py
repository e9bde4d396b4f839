"""Long chains of names end in a diagnostic: no recursion error, no value that fills the memory."""

from __future__ import annotations

import time

import pytest

from ftlang.compile import Options, analyse
from ftlang.diagnostics import in_order
from ftlang.source import SourceFile

RUN = """\
run {name} {{
  model {{ base = {base} }}
  tune full
  data {{ train = files("rows.jsonl") }}
  method sft
  {entry}
}}
"""
TINY = 'builtin("tiny-llama")'


def codes(text: str) -> list[str]:
    start = time.process_time()
    _, found = analyse(SourceFile("job.ft", text), Options())
    assert time.process_time() - start < 5
    return [d.code for d in in_order(found)]


def lets(first: str, form: str, count: int, entry: str) -> str:
    """Constants that each hold the one before, and a run that takes the last."""
    rows = [f"let x0 = {first}", *(f"let x{n} = {form % {'x': n - 1}}" for n in range(1, count))]
    run = RUN.format(name="job", base=TINY, entry=entry % f"$x{count - 1}")
    return "\n".join(rows) + "\n" + run


@pytest.mark.parametrize(
    ("first", "form", "entry"),
    [
        ('"aa"', '"${x%(x)d}${x%(x)d}"', "about = %s"),
        ("7", "$x%(x)d", "training { seed = %s }"),
        ('["a"]', "[$x%(x)d, $x%(x)d]", "evaluate { samples = %s }"),
    ],
)
@pytest.mark.parametrize("count", [30, 400])
def test_constants(first: str, form: str, entry: str, count: int) -> None:
    found = codes(lets(first, form, count, entry))
    assert "FT142" in found
    assert set(found) <= {"FT142", "FT203"}  # a list inside a list is no list of strings
    assert len(found) < 8


def test_a_value_that_doubles() -> None:
    assert codes(lets('"a"', '"${x%(x)d}"', 20, "about = %s")) == []
    assert codes(lets('"a"', '"${x%(x)d}${x%(x)d}"', 20, "about = %s")) == ["FT142"]


@pytest.mark.parametrize("backwards", [False, True])
def test_results(backwards: bool) -> None:
    runs = [
        RUN.format(name=f"r{n}", base=f"result(r{n - 1})" if n else TINY, entry="")
        for n in range(200)
    ]
    found = codes("".join(reversed(runs) if backwards else runs))
    assert set(found) <= {"FT142", "FT136"}
    assert "FT142" in found
    assert codes("".join(runs[:8])) == []


def test_bases() -> None:
    names = [f"defaults d{n} extends d{n - 1} {{ }}\n" for n in range(1, 400)]
    base = RUN.format(name="d0", base=TINY, entry="").replace("run d0", "defaults d0")
    assert codes(base + "".join(names) + "run job extends d399 { }\n") == []
