"""No dead knob: changing any field changes the emitted files, or it is documented as check-only."""

from __future__ import annotations

from pathlib import Path

import pytest

from ftlang.compile import Options, compile
from ftlang.rules.registry import codes
from ftlang.schema import catalogue
from ftlang.schema.catalogue import Place
from tests.fields import NEEDED, Case, cases
from tests.rules.stock import STOCK

# Whether a value reaches the script is asked here, not whether it trains.
WITHOUT_RULES = Options(disabled=frozenset(code for code, _ in codes()))
CASES = cases()
PLACES = [p for p in catalogue.places() if not p.planned and "." not in p.path]
KINDS = [p for p in PLACES if sum(not k.planned for k in p.kinds) > 1]


def emitted(text: str, folder: Path) -> dict[str, str]:
    path = folder / "a.ft"
    path.write_text(text)
    result = compile(path, WITHOUT_RULES)
    assert [d for d in result.found if d.severity == "error"] == [], text
    files = dict(result.outputs[0].files)
    del files["train.ftmap.json"]
    files["train.py"] = files["train.py"].split("\n", 1)[1]  # the header's digest always changes
    return files


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_field_changes_the_output(case: Case, tmp_path: Path) -> None:
    one, other = case.values
    first = emitted(case.run(one), tmp_path)
    second = emitted(case.run(other), tmp_path)
    assert first != second
    if case.field.passed:
        assert f"{case.field.name}" in first["train.py"]


@pytest.mark.parametrize("place", KINDS, ids=lambda p: p.path)
def test_a_kind_changes_the_output(place: Place, tmp_path: Path) -> None:
    """Every two kinds of a family emit different scripts."""
    kinds = [k.name for k in place.kinds if not k.planned]
    seen = set()
    for kind in kinds:
        body = dict(STOCK, training="training { duration = 100 steps }")
        head = f"{place.path} {kind}"
        body[place.path] = f"{head} {{ {NEEDED.get(head, '')} }}"
        seen.add(emitted("run a {\n" + "\n".join(body.values()) + "\n}\n", tmp_path)["train.py"])
    assert len(seen) == len(kinds)


def test_check_only_fields_say_so() -> None:
    """What changes no file is read by rules, and its line says that."""
    silent = [
        field
        for place in catalogue.places()
        for kind in place.kinds
        for field in catalogue.fields(place.path, kind.name)
        if field.check_only
    ]
    assert {f.name for f in silent} == {"nodes", "gpu", "gpu_memory"}


def test_the_number_of_planned_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints how much of the language nothing is emitted for yet."""
    planned = catalogue.planned_kinds()
    with capsys.disabled():
        print(f" {len(planned)} planned kinds ", end="")
    assert "method dpo" in planned
    assert "method sft" not in planned
    assert "optimizer galore_adamw" in planned
    assert "optimizer adamw_torch" not in planned
