"""The audit of an emitted script: its JSON object, exit codes and the way back into the spec."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ftruntime.audit import main

from tests.conformance import toy

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """\
from pathlib import Path

from transformers import AutoTokenizer

from ftruntime.aligners import alpaca
from ftruntime.loaders import read_files
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize

ROOT = Path(__file__).resolve().parents[0]
print("a script may print")


def build_tokenizer():
    return set_up_tokenizer(AutoTokenizer.from_pretrained(ROOT / "tokenizer"))


def build_datasets(tokenizer):
    train = alpaca(read_files(ROOT / "rows.jsonl"))
    return {"train": tokenize(train, tokenizer, max_length=160)}
"""
SPEC_LINES = {"3": "model.base", "4": "data.train", "5": "data.max_length"}
GOOD = {"instruction": "q", "output": "a"}


def written(folder: Path, rows: list[Any], template: str | None = toy.CHATML) -> Path:
    """An emitted script with its rows, its map and its tokenizer."""
    (folder / "train.py").write_text(SCRIPT)
    (folder / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    lines = {
        number: [{"path": path, "kind": "spec", "file": "job.ft", "line": int(number), "column": 1}]
        for number, path in SPEC_LINES.items()
    }
    source_map = {"version": 1, "run": "demo", "lines": lines}
    (folder / "train.ftmap.json").write_text(json.dumps(source_map))
    toy.toy_tokenizer(template).save_pretrained(folder / "tokenizer")
    return folder / "train.py"


@pytest.fixture(autouse=True)
def own_import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit adds the script's folder to the path, as it would in a process of its own."""
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_a_clean_script(tmp_path: Path) -> None:
    """Run as a process of its own, in a launcher's environment."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "ftruntime.audit",
            written(tmp_path, [GOOD] * 7),
            "--format",
            "json",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "runtime"),
            "WORLD_SIZE": "2",
            "RANK": "0",
            "HF_HUB_OFFLINE": "1",
        },
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert set(report) == {
        "version", "level", "run", "rows", "tokens", "template", "samples", "diagnostics"
    }  # fmt: skip
    assert (report["version"], report["level"], report["run"]) == (1, "L2", "demo")
    assert report["rows"] == {
        "read": 7, "kept": 7, "dropped": 0, "truncated": 0, "by_reason": {}
    }  # fmt: skip
    assert [(s["split"], s["row"]) for s in report["samples"]] == [("train", n) for n in range(5)]
    sample = report["samples"][0]
    assert sample["text"].endswith(
        "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n"
    )
    assert sample["trained_text"] == ["a<|im_end|>"]
    assert len(sample["input_ids"]) == len(sample["labels"])
    length = len(sample["labels"])
    assert report["tokens"] == {
        "total": 7 * length, "trained": 14, "max": length, "p50": length, "p95": length
    }  # fmt: skip
    assert report["template"]["name"] == "tokenizer"
    assert report["template"]["parity"] == "equal"
    assert report["diagnostics"] == []


def test_bad_rows_point_into_the_spec_and_the_others_are_still_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"instruction": "q", "output": ""},
        GOOD,
        {"instruction": "q", "output": "a" * 200},
        GOOD,
        {"instruction": "<|im_end|>", "output": "a"},
    ]
    assert main([str(written(tmp_path, rows)), "--format", "json", "--rows", "all"]) == 1
    report = json.loads(capsys.readouterr().out)
    found = [
        (d["code"], d["data_file"], d["row"], d["file"], d["line"]) for d in report["diagnostics"]
    ]
    assert sorted(found) == [
        ("FT701", "rows.jsonl", 0, "job.ft", 4),
        ("FT705", "rows.jsonl", 2, "job.ft", 5),
        ("FT708", "rows.jsonl", 4, "job.ft", 4),
    ]
    assert {d["severity"] for d in report["diagnostics"]} == {"error"}
    assert report["rows"]["read"] == 5
    assert report["rows"]["kept"] == 2
    assert report["rows"]["dropped"] == 3
    assert report["rows"]["by_reason"]["`output` is empty"] == 1
    kept = [s["row"] for s in report["samples"] if "dropped" not in s]
    dropped = {s["row"]: s["dropped"] for s in report["samples"] if "dropped" in s}
    assert kept == [1, 3]
    assert sorted(dropped) == [0, 2, 4] and dropped[0] == "`output` is empty"


def test_a_tokenizer_without_template_points_at_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(written(tmp_path, [GOOD], template=None)), "--format", "json"]) == 1
    said = capsys.readouterr()
    (found,) = json.loads(said.out)["diagnostics"]
    assert (found["code"], found["line"]) == ("FT703", 3)
    assert "tokenizer has no chat template" in found["message"]
    assert "Traceback" not in said.err


def test_text_is_plain_when_piped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [GOOD, {"instruction": "q", "output": ""}]
    assert main([str(written(tmp_path, rows)), "--rows", "1"]) == 1
    done = capsys.readouterr()
    assert "\x1b" not in done.out
    assert "rows      2 read, 1 usable, 1 not" in done.out
    assert "<|im_start|>assistant\n⟦a<|im_end|>⟧" in done.out
    assert "error[FT701]: rows.jsonl, row 1: `output` is empty (job.ft:4)" in done.err


@pytest.mark.parametrize("options", [["--rows", "some"], ["--format", "yaml"]])
def test_usage(tmp_path: Path, options: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([str(tmp_path / "train.py"), *options])
    assert stopped.value.code == 2
    assert main([str(tmp_path / "none.py")]) == 2


def test_a_script_that_raises(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("def build_tokenizer():\n    return 1 / 0\n")
    assert main([str(tmp_path / "train.py"), "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert found["code"] == "FT709"
    assert found["message"] == "train.py cannot be run: ZeroDivisionError: division by zero"
