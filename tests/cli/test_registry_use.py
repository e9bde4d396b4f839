"""`use "dataset_info.json"`: what a job gets of another tool's registry, end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

JOB = """\
use "lf/dataset_info.json" as old

run a {{
  model {{ base = builtin("tiny-llama") }}
  tune lora
  data {{ train = old.{train}, eval = old.{eval} }}
  method sft
  hardware {{ gpus_per_node = 0 }}
}}
"""
ENTRIES = {
    "faq": {"file_name": "faq.json", "columns": {"prompt": "q", "response": "a"}},
    "talks": {
        "file_name": "talks",
        "formatting": "sharegpt",
        "tags": {"role_tag": "from", "content_tag": "value", "user_tag": "customer"},
    },
    "hub": {"hf_hub_url": "o/n"},
    "photos": {"file_name": "p.json", "formatting": "sharegpt", "columns": {"images": "images"}},
    "ranked": {
        "file_name": "r.json",
        "ranking": True,
        "formatting": "sharegpt",
        "columns": {"chosen": "chosen", "rejected": "rejected", "system": "s", "tools": "t"},
        "tags": {"role_tag": "from", "content_tag": "value", "user_tag": "customer"},
    },
    "liked": {
        "file_name": "l.json",
        "columns": {"prompt": "q", "query": "i", "response": "a", "kto_tag": "k", "history": "h"},
    },
    "pages": {"file_name": "p.txt", "columns": {"prompt": "text", "images": "i"}},
    "elsewhere": {"ms_hub_url": "o/n"},
    "more": {"file_name": "more.json", "typo": 1},
    "v0.5": {"file_name": "v.json"},
}


@pytest.fixture
def job(tmp_path: Path) -> Callable[..., Path]:
    def write(train: str, eval: str = "talks", entries: object = ENTRIES) -> Path:
        (tmp_path / "lf/talks").mkdir(parents=True, exist_ok=True)
        (tmp_path / "lf/talks/a.jsonl").touch()
        text = entries if isinstance(entries, str) else json.dumps(entries, indent=2)
        (tmp_path / "lf/dataset_info.json").write_text(text, "utf-8")
        (tmp_path / "job.ft").write_text(JOB.format(train=train, eval=eval), "utf-8")
        return tmp_path / "job.ft"

    return write


def codes(answer: Any) -> list[str]:
    return [d["code"] for d in json.loads(answer.out)["diagnostics"]]


def test_entries_are_data_sets(ftc: Any, job: Callable[..., Path]) -> None:
    """Other entries have flaws of their own, of which this job hears nothing."""
    path = job("talks", "v0_5")
    assert "no problems" in ftc("check", "--strict", path).err
    assert ftc("compile", path).code == 0
    script = (path.parent / "generated/a/train.py").read_text("utf-8")
    assert 'read_files(ROOT / "lf/talks/*.jsonl")' in script
    assert 'roles={"customer": "user"}' in script
    assert 'alpaca(read_files(ROOT / "lf/v.json"))' in script


def test_a_part_that_rows_lack_is_none_in_the_script(ftc: Any, job: Callable[..., Path]) -> None:
    path = job("faq", "more")
    assert ftc("compile", path).code == 0
    script = (path.parent / "generated/a/train.py").read_text("utf-8")
    words = "".join(script.split())
    assert 'instruction="q",input=None,output="a"' in words


@pytest.mark.parametrize(
    ("train", "expected"),
    [
        ("more", ["FT153"]),
        ("elsewhere", ["FT117", "FT152"]),
        ('"v0.5"', ["FT117"]),
        ("hub", ["FT501"]),
        ("photos", ["FT501"]),
        ("ranked", ["FT501"]),
        ("liked", ["FT501"]),
        ("pages", ["FT501"]),
        ("absent", ["FT117"]),
    ],
)
def test_what_a_job_hears(
    ftc: Any, job: Callable[..., Path], train: str, expected: list[str]
) -> None:
    assert codes(ftc("check", "--format", "json", job(train))) == expected


def test_the_mended_name_is_offered(ftc: Any, job: Callable[..., Path]) -> None:
    answer = ftc("check", job('"v0.5"'))
    assert "did you mean `old.v0_5`?" in answer.err


def test_the_registry_itself_tells_everything(ftc: Any, job: Callable[..., Path]) -> None:
    path = job("faq").parent / "lf/dataset_info.json"
    answer = ftc("check", "--format", "json", path)
    assert codes(answer) == [*["FT501"] * 5, "FT152", "FT153", "FT154"]


def test_a_broken_registry_is_one_error(ftc: Any, job: Callable[..., Path]) -> None:
    """The names in it are unknown, and nobody says that they are not declared."""
    answer = ftc("check", "--format", "short", job("faq", "talks", '{\n  "faq": {\n'))
    assert answer.code == 1
    (line,) = answer.out.splitlines() or answer.err.splitlines()
    assert "lf/dataset_info.json:3:1: error[FT150]" in line
