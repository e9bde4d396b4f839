"""REFERENCE.md is what the schema says today, and every spec in it compiles."""

from __future__ import annotations

import argparse
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from ftlang.cli import pages
from ftlang.cli.arguments import COMMANDS
from ftlang.manual import json_schema
from ftlang.rules import registry
from ftlang.schema import catalogue
from ftlang.source import SourceFile
from ftlang.syntax.format import formatted
from tests.spec import page as pages_of_the_language
from tests.spec.page import Case
from tests.spec.test_pages import check_case

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "REFERENCE.md"
TOOL = runpy.run_path(str(ROOT / "tools/reference.py"))


def test_it_is_current(request: pytest.FixtureRequest) -> None:
    """`python tools/reference.py`, or `--update` here, writes it anew."""
    now = TOOL["text"]()
    if request.config.getoption("--update"):
        PATH.write_text(now, encoding="utf-8")
    assert PATH.read_text("utf-8") == now


def test_the_json_schema_is_current(request: pytest.FixtureRequest) -> None:
    """What editors and other programs read: `ftc schema`, committed."""
    path = ROOT / "docs/spec.schema.json"
    if request.config.getoption("--update"):
        path.write_text(json_schema.text(), encoding="utf-8")
    assert path.read_text("utf-8") == json_schema.text()


def text() -> str:
    return PATH.read_text("utf-8")


CASES = pages_of_the_language.cases(PATH)


def test_it_shows_a_whole_job() -> None:
    job = next(case for case in CASES if case.heading == "A whole job")
    assert set(job.files) == {"base.ft", "registry.ft", "spec.ft"}
    assert job.files["spec.ft"].count("\nrun ") == 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.heading}-{case.line}")
def test_its_specs(
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    check_case(case, tmp_path, monkeypatch, request, capsys)


def test_every_field_stands_in_it() -> None:
    sections = dict(re.findall(r"^### `([\w.]+)`\n(.*?)(?=^##)", text(), re.MULTILINE | re.DOTALL))
    assert set(sections) == {place.path or "run" for place in catalogue.places()}
    for place in catalogue.places():
        section = sections[place.path or "run"]
        for kind in place.kinds:
            assert not kind.name or f"`{kind.name}`" in section or f" {kind.name}`" in section
            if kind.planned:
                continue
            for field in catalogue.fields(place.path, kind.name):
                assert f"| `{field.name}` |" in section, f"{place.path} {kind.name} {field.name}"


def test_every_code_has_a_severity_and_stands_in_it() -> None:
    found = dict(re.findall(r"^\| (FT\d{3}) \| ([a-z ]+) \|", text(), re.MULTILINE))
    assert set(found) == {code for code, _ in (*registry.codes(), *pages.codes())}
    assert set(found.values()) == {"error", "warning", "note", "error or warning"}
    assert found["FT301"] == "error" and found["FT134"] == "note" and found["FT216"] == "warning"


def test_what_is_planned_is_marked_in_one_way() -> None:
    body: Any = text()
    for place in catalogue.places():
        if place.planned and "." not in place.path and place.path != "template":
            assert re.search(rf"^\| \[`{place.path}`\].*\| \*planned\*: ", body, re.MULTILINE)


def test_the_forms_of_commands_are_those_of_the_command_line() -> None:
    assert list(TOOL["FORMS"]) == list(COMMANDS)
    for name, form in TOOL["FORMS"].items():
        takes = argparse.ArgumentParser(add_help=False)
        COMMANDS[name][1](takes)
        options = {o for action in takes._actions for o in action.option_strings}
        named = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z]*", form))
        assert named <= options, name
        assert options - named <= {"--run", "--profile", "-D", "--set"}, name


def test_links_lead_somewhere() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#{2,3} (.+)$", text(), re.MULTILINE)
    }
    linked = set(re.findall(r"\]\(#([\w-]+)\)", text()))
    assert linked and linked <= anchors


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.heading}-{case.line}")
def test_its_specs_are_in_the_one_layout(case: Case) -> None:
    for file, content in case.files.items():
        assert formatted(SourceFile(file, content)) == (content, [])
