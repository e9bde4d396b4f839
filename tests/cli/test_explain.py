"""`ftc explain` knows every code that the compiler and the runtime can give."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ftlang.cli import pages
from ftlang.rules import registry

ROOT = Path(__file__).resolve().parents[2]


def given() -> set[str]:
    """Codes that stand as strings in the source; FT901 is printed by hand."""
    texts = [
        path.read_text("utf-8")
        for folder in ("ftlang", "runtime/ftruntime")
        for path in (ROOT / folder).rglob("*.py")
    ]
    return {"FT901", *re.findall(r'"(FT\d{3})"', "\n".join(texts))}


def test_every_code_has_one_page_and_every_page_a_code() -> None:
    rules, others = dict(registry.codes()), dict(pages.codes())
    assert not rules.keys() & others.keys()
    assert sorted(given() - rules.keys() - others.keys()) == []
    assert sorted((rules.keys() | others.keys()) - given()) == []


def test_list_is_every_code_in_order(ftc: Any) -> None:
    answer = ftc("explain", "--list")
    assert answer.code == 0
    codes = [line.split()[0] for line in answer.out.splitlines()]
    assert codes == sorted(given())


@pytest.mark.parametrize("code", ["FT601", "ft601"])
def test_a_page(ftc: Any, code: str) -> None:
    answer = ftc("explain", code)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("FT601 · A generated file was edited\n\n`ftc compile` found")


def test_a_rule_explains_itself(ftc: Any) -> None:
    code, title = registry.codes()[0]
    answer = ftc("explain", code)
    assert answer.out == registry.page(code)
    assert title in answer.out


def test_an_unknown_code(ftc: Any) -> None:
    answer = ftc("explain", "FT000")
    assert answer.code == 2
    assert "there is no code `FT000`" in answer.err
