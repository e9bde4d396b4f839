"""A value that is written reads back to the same value, whatever it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftlang.diagnostics import has_errors
from ftlang.schema.argument_types import ArgumentType
from ftlang.schema.constructors import BASE, EVAL, FORMAT, SOURCE, OutputFolder
from ftlang.schema.given import Map
from ftlang.schema.lookups import Place, Secrecy
from ftlang.schema.numbers import Amount, Float, Int, Share
from ftlang.schema.python import Python, UserCode
from ftlang.schema.shapes import MapOf, Modules
from ftlang.schema.sizes import Bytes, Duration
from ftlang.schema.sources import Env, Files, Format, Hf, LocalPath, Secret, Split
from ftlang.schema.types import FieldType, Reading
from ftlang.schema.units import Quantity
from ftlang.schema.words import Choice, Flag, ListOf, Text, Word
from ftlang.show.written import written
from ftlang.source import SourceFile
from ftlang.syntax import ast, parse

NAMES: Any = None  # no value here names a data set or a run


def read_back(value: object, of: FieldType) -> object:
    """The value, written, put into a spec, parsed, and read by its type."""
    said = written(value, of, NAMES)
    file, found = parse(SourceFile("x.ft", f"run a {{\n  x = {said}  # why\n}}\n"))
    assert not has_errors(found), f"{said}: {found}"
    block = file.items[0]
    assert isinstance(block, ast.Block) and block.body and isinstance(block.body[0], ast.Attr)
    reading = Reading([], "x", "a")
    read = of.read(block.body[0].value, reading)
    assert not reading.found, f"{said}: {reading.found}"
    return read


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=40)


@given(TEXTS | st.text('\\"\n ab${}#', max_size=12))
@settings(max_examples=400, deadline=None)
def test_any_string(value: str) -> None:
    assert read_back(value, Text()) == value


@given(st.text('\\"\n ab-1.é${}', min_size=1, max_size=8))
@settings(deadline=None)
def test_any_word(value: str) -> None:
    assert read_back(value, Word()) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(deadline=None)
def test_any_number(value: float) -> None:
    assert read_back(value, Float()) == value


@given(st.floats(0, 1, exclude_max=True) | st.integers(0, 9999).map(lambda n: n / 10_000))
@settings(deadline=None)
def test_any_share(value: float) -> None:
    assert read_back(value, Share()) == value
    assert read_back(value, Amount(("steps",), share=True)) == value


@given(st.integers(1, 2**50))
@settings(deadline=None)
def test_any_count_memory_and_time(value: int) -> None:
    assert read_back(value, Int(counts=True)) == value
    assert read_back(value, Bytes()) == value
    assert read_back(value, Duration()) == value
    for unit in ("tokens", "seqs"):
        quantity = Quantity(value, unit)
        assert read_back(quantity, Amount(("tokens", "seqs"))) == quantity


@given(st.floats(1e-6, 1e6))
@settings(deadline=None)
def test_any_share_of_an_epoch(value: float) -> None:
    quantity = Quantity(value, "epochs")
    assert read_back(quantity, Amount(("epochs",), whole=False)) == quantity


@given(st.dictionaries(st.text('ab."-1 ', min_size=1, max_size=6), st.integers(0, 9), max_size=4))
@settings(deadline=None)
def test_any_map(value: dict[str, int]) -> None:
    pairs = Map(tuple(value.items()))
    assert read_back(pairs, MapOf(Int(), "{ a = 1 }")) == pairs
    assert read_back(pairs, ArgumentType("dict[str, int] | None")) == pairs


@pytest.mark.parametrize(
    ("value", "of"),
    [
        (True, Flag()),
        (None, Int(or_none=True)),
        (False, Choice(("bfd",), or_false=True)),
        ("none", Choice(("none", "all"), or_none=True)),
        ("none", ArgumentType("Literal['none', 'all'] | None", ("none", "all"))),
        ("true", Word()),
        ("use", Word()),
        ("yes", Text()),
        (("q_proj", "layers.0"), Modules()),
        (r".*\.(q|v)_proj", Modules()),
        ("all-linear", Modules(("all-linear",))),
        (("${x}", "$${x}"), ListOf(Text())),
        (((1, 2.5), ("a",)), ArgumentType("list[list]")),
        (("a", "b.c"), ArgumentType("list[str]")),
        (Hf("a/b", "main", Secret("TOKEN")), BASE),
        (Hf("a/b"), BASE),
        (LocalPath("a b/c"), BASE),
        (LocalPath("c", Env("SCRATCH", "out")), BASE),
        (LocalPath("", Env("SCRATCH")), Place()),
        (LocalPath("x", Env("SCRATCH")), OutputFolder()),
        ("out/x", OutputFolder()),
        (Files("a/*.jsonl"), SOURCE),
        (Files("a/*.jsonl", Env("DATA")), SOURCE),
        (Split(0.05, 7), EVAL),
        (Format("alpaca"), FORMAT),
        (Format("alpaca", (("system", "house rules"),)), FORMAT),
        (Format("sharegpt", (("roles", (("the user", "user"), ("gpt", "assistant"))),)), FORMAT),
        (Secret("HF_TOKEN"), Secrecy()),
        (UserCode("", "pkg.mod", "f", (("limit", 5), ("names", ("a", "b")))), Python(("row",))),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_value(value: object, of: FieldType) -> None:
    assert read_back(value, of) == value
