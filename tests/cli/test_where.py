"""`ftc where`, `version`, `init`."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from ftlang import __version__
from ftlang.schema import signatures
from tests.cli.generated import files

BODY = "x = 1\n# Training · a.training\ny = 2\n"


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name, text in files(BODY).items():
        Path(name).write_text(text, "utf-8")
    return "train.py"


def test_a_line_with_origins(ftc: Any, train: str) -> None:
    answer = ftc("where", f"{train}:2")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        "job.ft:12:5: training.batch\n    batch = 64\n"
        "job.ft:9:3: training.seed is not set here; the value is our default\n"
    )


def test_only_the_script_is_mapped(ftc: Any, train: str) -> None:
    Path("launch.sh").write_text("exec python train.py\n")
    answer = ftc("where", "launch.sh:1")
    assert (answer.code, answer.out) == (2, "")
    assert "`launch.sh` is no script; only lines of `train.py` are mapped" in answer.err


def test_lines_without_origins_name_their_section(ftc: Any, train: str) -> None:
    for line in (3, 4):
        answer = ftc("where", f"{train}:{line}")
        assert answer.out == "no value of the spec; part of `Training · a.training`\n"
    first = ftc("where", f"{train}:1")
    assert first.out == "no value of the spec; every script has such a line\n"


def test_an_edited_script_is_said_to_be(ftc: Any, train: str) -> None:
    path = Path(train)
    path.write_text(path.read_text("utf-8") + "z = 3\n", "utf-8")
    answer = ftc("where", f"{train}:2")
    assert answer.code == 0
    assert answer.err == "ftc: `train.py` was edited, so its lines may have moved\n"


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("train.py", "is no SCRIPT:LINE"),
        ("train.py:x", "is no SCRIPT:LINE"),
        (":3", "is no SCRIPT:LINE"),
        ("train.py:0", "has 4 lines, and no line 0"),
        ("train.py:99", "has 4 lines, and no line 99"),
        ("none.py:1", "`none.py` cannot be read: No such file or directory"),
    ],
)
def test_places_that_do_not_exist(ftc: Any, train: str, place: str, says: str) -> None:
    answer = ftc("where", place)
    assert answer.code == 2
    assert says in answer.err


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"version": 1}', '{"version": 1, "lines": 3}']
)
def test_a_broken_map(ftc: Any, train: str, content: str) -> None:
    Path("train.ftmap.json").write_text(content)
    answer = ftc("where", "train.py:2")
    assert answer.code == 2
    assert "is no map that ftc wrote" in answer.err


def test_a_missing_or_newer_map(ftc: Any, train: str) -> None:
    Path("train.ftmap.json").write_text('{"version": 2, "lines": {}}')
    assert "is of version 2" in ftc("where", "train.py:2").err
    Path("train.ftmap.json").unlink()
    assert "there is no `train.ftmap.json`" in ftc("where", "train.py:2").err


def test_version_compares_tested_and_installed(ftc: Any) -> None:
    answer = ftc("version")
    assert answer.code == 0
    assert answer.out.startswith(f"ftc {__version__} · Python 3.")
    rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines()[2:]}
    for name, tested in signatures.versions().items():
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = "-"
        assert rows[name] == [tested, installed]


def test_init_prints_a_spec_without_mistakes(ftc: Any, tmp_path: Path) -> None:
    printed = ftc("init", "sft")
    assert printed.code == 0
    spec = tmp_path / "job.ft"
    spec.write_text(printed.out, "utf-8")
    (tmp_path / "rows.jsonl").write_text('{"prompt": "1 + 1?", "completion": "2"}\n')
    answer = ftc("check", spec, "--strict")
    assert answer.err == "1 file checked at level L1: no problems.\n"
    assert answer.code == 0
