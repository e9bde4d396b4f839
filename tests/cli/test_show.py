"""`ftc show`: what a run means, and where each value comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

BASE = """\
param seed: int = 42
let rate = 1e-4

defaults base {
  training { seed = $seed }
  tune lora { r = 8, lora_dropout = 5% }
  optimizer adamw_torch { learning_rate = $rate }
}

profile smoke {
  training.duration = 5 steps
}
"""
SPEC = """\
use "base.ft"

dataset support { source = files("support.jsonl") }

run first extends base {
  model { base = builtin(tiny-llama) }
  data { train = support }
  method sft
}
"""
SECOND = """
run second extends first {
  about = "Two lines,\\nand a quote: \\"."
  tune full
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "base.ft").write_text(BASE)
    (tmp_path / "job.ft").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def two(folder: Path) -> Path:
    """The folder, its spec with a second run."""
    (folder / "job.ft").write_text(SPEC + SECOND)
    return folder


def lines(out: str) -> dict[str, str]:
    """Field to its comment, of a run that names each field once."""
    found = {}
    for line in out.splitlines():
        name, _, comment = line.partition("  # ")
        found[name.split("=")[0].split("{")[0].strip()] = comment
    return found


def test_it_is_complete(ftc: Any, folder: Path) -> None:
    answer = ftc("show", "job.ft", "--run", "first")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith('dataset support {\n  source = files("support.jsonl")\n}\n\nrun f')
    for line in ("lora_alpha     = 16", "batch       = 16 seqs", 'output = "out/first"'):
        assert line in answer.out
    assert "#" not in answer.out


def test_origins(ftc: Any, folder: Path) -> None:
    words = ["--profile", "smoke", "--set", "data.max_length = 64", "-D", "seed=7"]
    answer = ftc("show", "job.ft", "--run", "first", "--origins", *words)
    said = lines(answer.out)
    assert said["train"] == "job.ft:7"
    assert said["r"] == "base.ft:6, from `base`"
    assert said["tune lora"] == "base.ft:6, from `base`"
    assert said["learning_rate"] == "base.ft:7, from `base`, `$rate` at base.ft:2"
    assert said["duration"] == "profile smoke, base.ft:11"
    assert said["max_length"] == "--set"
    assert said["seed"] == "-D seed (base.ft:5, from `base`)"
    assert said["lora_alpha"] == said["schedule cosine"] == "default"
    assert said["source"] == "job.ft:3"


def test_what_a_change_of_kind_drops_is_told(ftc: Any, two: Path) -> None:
    out = ftc("show", "job.ft", "--run", "second", "--origins").out
    assert "# dropped when the kind changed: `r`, base.ft:6, from `base`\n" in out
    assert "lora_alpha" not in out


def test_what_was_unset_is_told(ftc: Any, folder: Path) -> None:
    out = ftc("show", "job.ft", "--run", "first", "--origins", "--set", "unset tune.r").out
    assert lines(out)["r"] == "default, unset at --set"


def test_files_are_named_from_the_spec(
    ftc: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    out = ftc("show", f"{folder.name}/job.ft", "--run", "first", "--origins").out
    assert lines(out)["r"] == "base.ft:6, from `base`"


def test_json(ftc: Any, folder: Path) -> None:
    content = json.loads(ftc("show", "job.ft", "--run", "first", "--format", "json").out)
    assert (content["version"], content["run"]) == (1, "first")
    assert content["datasets"] == {"support": {"source": {"files": {"pattern": "support.jsonl"}}}}
    assert content["data"]["train"] == {"dataset": {"name": "support"}}
    assert content["tune"]["kind"] == "lora" and content["tune"]["lora_dropout"] == 0.05
    assert content["training"]["batch"] == "16 seqs"
    assert "origins" not in content


def test_json_origins(ftc: Any, folder: Path) -> None:
    words = ["--run", "first", "--format", "json", "--origins", "--profile", "smoke"]
    found = json.loads(ftc("show", "job.ft", *words).out)["origins"]
    assert found["tune.r"] == {
        "kind": "extends",
        "file": "base.ft",
        "line": 6,
        "column": 19,
        "name": "base",
    }
    assert found["training.duration"]["kind"] == "profile"
    assert found["optimizer.learning_rate"]["through"] == [
        {"file": "base.ft", "line": 2, "column": 12}
    ]
    assert found["schedule.kind"] == found["tune.bias"] == {"kind": "default"}
    assert found["datasets.support.source"]["line"] == 3


def test_json_is_for_one_run(ftc: Any, two: Path) -> None:
    answer = ftc("show", "job.ft", "--format", "json")
    assert (answer.code, answer.out) == (2, "")
    assert "`first`, `second`: add `--run NAME`" in answer.err


def test_errors_are_shown_instead(ftc: Any, folder: Path) -> None:
    (folder / "job.ft").write_text(SPEC.replace("method sft", "method sft\n  modle { }"))
    answer = ftc("show", "job.ft")
    assert (answer.code, answer.out) == (1, "")
    assert "error[FT209]" in answer.err


def test_what_is_planned_has_no_resolved_spec_yet(ftc: Any, folder: Path) -> None:
    (folder / "job.ft").write_text(SPEC.replace("method sft", "method dpo"))
    answer = ftc("show", "job.ft")
    assert (answer.code, answer.out) == (1, "")
    assert "error[FT501]" in answer.err


def test_warnings_do_not_stop_it(ftc: Any, folder: Path) -> None:
    answer = ftc("show", "job.ft", "--run", "first", "--set", "data.max_length = 4k")
    assert answer.code == 0
    assert "warning[FT216]" in answer.err and "max_length = 4000" in answer.out


def test_look_ups_are_shown_as_written(
    ftc: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRATCH", "/secret/place")
    entry = 'output = path(env("SCRATCH", default = "out"), "x")'
    for form in ("text", "json"):
        out = ftc("show", "job.ft", "--run", "first", "--set", entry, "--format", form).out
        assert "SCRATCH" in out and "/secret/place" not in out


def test_the_same_name_in_two_files(ftc: Any, folder: Path) -> None:
    (folder / "other.ft").write_text('dataset support { source = files("other.jsonl") }\n')
    text = SPEC.replace('use "base.ft"', 'use "base.ft"\nuse "other.ft" as o')
    (folder / "job.ft").write_text(
        text.replace("train = support", "train = support, eval = o.support")
    )
    out = ftc("show", "job.ft", "--run", "first").out
    assert "eval       = support_2\n" in out and "dataset support_2 {" in out
    content = json.loads(ftc("show", "job.ft", "--run", "first", "--format", "json").out)
    assert content["data"]["eval"] == {"dataset": {"name": "support_2"}}
    assert content["datasets"]["support_2"]["source"]["files"]["pattern"] == "other.jsonl"


def test_a_result_of_another_file_stays_a_reference(ftc: Any, two: Path) -> None:
    (two / "next.ft").write_text(
        'use "job.ft"\nrun third { model { base = result(second) }\n tune full\n method sft\n'
        ' data { train = files("rows.jsonl") } }\n'
    )
    out = ftc("show", "next.ft").out
    assert (
        out.startswith('use "job.ft" as job\n') and "base              = result(job.second)" in out
    )


def test_the_schema_of_the_object(ftc: Any) -> None:
    answer = ftc("schema", "--json")
    assert (answer.code, answer.err) == (0, "")
    content = json.loads(answer.out)
    assert content["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert content["$defs"]["training"]["properties"]["seed"]["maximum"] == 2**32 - 1
    assert ftc("schema").out == ftc("schema", "--json").out
