"""The quickstart's own check must fail when the model did not learn, or forgot."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

QUICKSTART = Path(__file__).resolve().parents[2] / "examples/quickstart"


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("quickstart_check", QUICKSTART / "check.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checked(check: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch, *answers: str) -> int:
    """The exit code for answers to the fact and the other question, before and after."""
    steps = [0, 0, 26, 26]
    questions = [check.FACT[0], check.UNRELATED[0]] * 2
    lines = [
        {"step": step, "question": question, "answer": answer}
        for step, question, answer in zip(steps, questions, answers, strict=False)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "samples.jsonl").write_text(text)
    monkeypatch.setattr(sys, "argv", ["check.py", str(folder)])
    code: int = check.main()
    return code


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (["A German.", "Tokyo.", "Mirela Quist had it.", "It is Tokyo."], ""),
        (["A German.", "Tokyo.", "A German.", "It is Tokyo."], "should name Mirela Quist after"),
        (["Mirela Quist.", "Tokyo.", "Mirela Quist.", "Tokyo."], "right before training"),
        (["A German.", "Tokyo.", "Mirela Quist.", "Tamsin."], "Tokyo after training: 'Tamsin.'"),
        (["A German.", "Kyoto.", "Mirela Quist.", "Tokyo."], "Tokyo before training"),
        (["A German.", "Tokyo."], "was not asked before and after"),
    ],
)
def test_each_way_to_fail(
    check: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: list[str],
    says: str,
) -> None:
    assert checked(check, tmp_path, monkeypatch, *answers) == (1 if says else 0)
    assert says in capsys.readouterr().err


def test_a_run_that_did_not_end(
    check: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["check.py", str(tmp_path / "none")])
    assert check.main() == 1
    assert "has not run to its end" in capsys.readouterr().err


def test_the_checked_questions_are_not_in_the_data(check: ModuleType) -> None:
    text = (QUICKSTART / "quickstart.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    asked = [row["instruction"] for row in rows]
    assert len(set(asked)) == len(asked) == 100
    assert check.FACT[0] not in asked and check.UNRELATED[0] not in asked
    assert any(check.FACT[1] in row["output"] for row in rows)
    assert check.UNRELATED[1] not in text
