"""Every syntax code has a page, and its examples are true."""

import re
from pathlib import Path

import pytest

import ftlang
from ftlang.diagnostics import Edit
from ftlang.names.load import load
from ftlang.source import SourceFile
from ftlang.syntax import parse
from ftlang.syntax.pages import PAGES, Page

SYNTAX = Path(ftlang.__file__).parent / "syntax"
WITH_TEXT = [page for page in PAGES.values() if page.wrong is not None]


def codes(text: str) -> list[str]:
    return [each.code for each in parse(SourceFile("page.ft", text))[1]]


@pytest.mark.parametrize("page", WITH_TEXT, ids=lambda page: page.code)
def test_wrong_gives_its_code_once(page: Page) -> None:
    assert page.wrong is not None
    assert codes(page.wrong) == [page.code]


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.code)
def test_right_gives_nothing(page: Page) -> None:
    assert codes(page.right) == []
    assert page.title and page.why


WITH_FIX = [
    (page.wrong, found.fix)
    for page in WITH_TEXT
    for found in parse(SourceFile("page.ft", page.wrong or ""))[1]
    if found.fix is not None
]


@pytest.mark.parametrize(("wrong", "fix"), WITH_FIX, ids=lambda each: repr(each)[:30])
def test_fix_removes_the_mistake(wrong: str, fix: Edit) -> None:
    """A machine-applicable fix of a page's example leaves a text without syntax errors."""
    assert codes(wrong[: fix.span.start] + fix.text + wrong[fix.span.end :]) == []


def test_most_mistakes_have_a_fix() -> None:
    assert len(WITH_FIX) >= 24


def test_every_code_in_use_has_a_page_and_every_page_a_use() -> None:
    used = set()
    for file in [*SYNTAX.glob("*.py"), SYNTAX.parent / "names/load.py"]:
        if file.name != "pages.py":
            used |= set(re.findall(r'"(FT0\d\d|FT290)"', file.read_text(encoding="utf-8")))
    assert used == set(PAGES)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "latin.ft"
    file.write_bytes('about = "é"\n'.encode("latin-1"))
    source, (found,) = load(file)
    assert source is None
    assert found.code == "FT001"
    assert found.span.start == 9
