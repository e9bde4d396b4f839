"""The jobs of `tests/spec/jobs`: what their README says of each is what the compiler does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ftlang.compile import Options, check, compile
from ftlang.diagnostics import Severity
from ftlang.names.resolve import Asked

JOBS = Path(__file__).resolve().parent / "jobs"
SHARED = {"base.ft", "models.ft", "registry.ft", "corpora.ft"}


def rows(heading: str) -> dict[str, list[str]]:
    """The cells of a table of the README by the file that they are about."""
    text = (JOBS / "README.md").read_text("utf-8").partition(f"## {heading}")[2]
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row for row in cells if row[0].endswith(".ft")}


COMPILES, PLANNED = rows("Compiles"), rows("Planned")


def test_every_file_is_listed_once() -> None:
    files = {path.name for path in JOBS.glob("*.ft")}
    assert not COMPILES.keys() & PLANNED.keys()
    assert files == COMPILES.keys() | PLANNED.keys() | SHARED
    assert len(files) >= 34


@pytest.mark.parametrize("name", COMPILES)
def test_a_job_that_compiles(name: str) -> None:
    result = compile(JOBS / name)
    wrong = [(d.code, d.message) for d in result.found if d.severity is not Severity.NOTE]
    assert wrong == []
    runs = {run.strip() for run in COMPILES[name][1].split(",")}
    assert {one.run for one in result.outputs} == runs


@pytest.mark.parametrize("name", PLANNED)
def test_a_planned_job_is_read_up_to_what_is_planned(name: str) -> None:
    found = check(JOBS / name).found
    others = [(d.code, d.message) for d in found if d.code not in ("FT501", "FT134")]
    assert others == []
    messages = [d.message for d in found if d.code == "FT501"]
    for construct in re.findall(r"`([^`]+)`", PLANNED[name][3]):
        last = construct.rpartition(".")[2]
        said = [m for m in messages if f"`{construct}`" in m or m.startswith(f"`{last}")]
        assert said, f"no FT501 says {construct}: {messages}"
    places = [(d.span.source.name, d.span.start) for d in found if d.code == "FT501"]
    assert len(places) == len(set(places))


@pytest.mark.parametrize("name", sorted(SHARED))
def test_a_shared_file_stands_by_itself(name: str) -> None:
    found = check(JOBS / name).found
    assert {d.code for d in found} <= {"FT501"}


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("sft_parameters.ft", Asked(defines=("rank=64", "rate=2e-4", "length=3 epochs"))),
        ("sft_lora.ft", Asked(profiles=("smoke",))),
        ("sft_lora.ft", Asked(profiles=("cpu",))),
        ("sft_lora.ft", Asked(profiles=("smoke", "cpu"))),
        ("sft_lora.ft", Asked(profiles=("cpu",), sets=("tune.r = 4", "training.seed = 1"))),
    ],
)
def test_options_reach_the_script(name: str, asked: Asked) -> None:
    plain, result = compile(JOBS / name), compile(JOBS / name, Options(asked=asked))
    assert [d.code for d in result.found if d.severity is Severity.ERROR] == []
    for before, after in zip(plain.outputs, result.outputs, strict=True):
        assert before.files["train.py"] != after.files["train.py"]
        assert after.files["train.py"].splitlines()[1].startswith("# with [")
