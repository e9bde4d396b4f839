"""Each rule's page is its test: Wrong yields exactly this code, Right yields nothing."""

from __future__ import annotations

import pytest

from ftlang.compile import Options, analyse
from ftlang.rules.registry import Rule, page, rules
from ftlang.source import SourceFile
from tests.rules.stock import completed

RULES = {r.code: r for r in rules()}


def codes(text: str, disabled: frozenset[str] = frozenset()) -> list[str]:
    source = SourceFile("stock.ft", text)
    _, found = analyse(source, Options(disabled=disabled))
    return [d.code for d in found]


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_the_page_has_all_sections(rule: Rule) -> None:
    for heading in ("Why", "Wrong", "Right"):
        assert rule.section(heading), f"{rule.code} has no {heading}"
    shown = page(rule.code)
    assert shown is not None
    assert rule.title in shown


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_wrong_yields_exactly_this_code(rule: Rule) -> None:
    assert codes(completed(rule.section("Wrong"))) == [rule.code]


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_right_yields_nothing(rule: Rule) -> None:
    assert codes(completed(rule.section("Right"))) == []


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_the_hook_turns_it_off(rule: Rule) -> None:
    assert codes(completed(rule.section("Wrong")), frozenset({rule.code})) == []


def test_there_are_at_least_seventy_rules() -> None:
    assert len(RULES) >= 70


def test_the_batch_message_shows_the_arithmetic() -> None:
    text = completed(RULES["FT301"].section("Wrong"))
    source = SourceFile("stock.ft", text)
    _, [found] = analyse(source, Options())
    assert found.message == "a batch of 64 seqs cannot be split over 3 devices × 4 each"
    assert found.span.text == "64 seqs"
    assert found.label == "64 = 12 × 5.33"
    assert "`60 seqs` or `72 seqs`" in found.help[0]
    assert [label.span.text for label in found.labels] == ["4 seqs", "3"]
