"""`ftc compile`, `run` and `audit`: what is written, printed and returned."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from ftlang import compile as compiler
from ftlang.cli import training
from ftlang.compile import Options, Result
from ftlang.diagnostics import error, warning
from ftlang.source import Span
from tests.cli.generated import files, script


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: Any) -> Path:
    """A folder with `job.ft` of one run `a`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.ft").write_text("run a {}\n")
    fake.emit = lambda source: [("a", files())]
    return tmp_path


def two_runs(source: object) -> list[tuple[str, dict[str, str]]]:
    return [("a", files()), ("b", files(run="b"))]


def test_compile_writes_and_says_what(here: Path, ftc: Any) -> None:
    first = ftc("compile", "job.ft")
    assert (first.code, first.out) == (0, "")
    assert first.err == "Wrote generated/a/: train.py, launch.sh, train.ftmap.json\n"
    assert (here / "generated/a/train.py").read_text("utf-8") == files()["train.py"]
    assert ftc("compile", "job.ft").err == "Up to date: generated/a/\n"


def test_compile_into_another_folder_and_one_run(here: Path, ftc: Any, fake: Any) -> None:
    fake.emit = two_runs
    assert ftc("compile", "job.ft", "-o", "out", "--run", "b").code == 0
    assert sorted(p.name for p in (here / "out").iterdir()) == ["b"]
    assert fake.options[-1].run == "b"
    assert fake.options[-1].out == Path("out")


def test_errors_write_nothing(here: Path, ftc: Any, fake: Any) -> None:
    fake.find = lambda source: [error("FT301", "no", Span(source, 0, 3))]
    answer = ftc("compile", "job.ft")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.endswith("1 error in 1 file. Nothing was written.\n")
    assert not (here / "generated").exists()


def test_warnings_are_shown_and_files_written(
    here: Path, ftc: Any, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warned(entry: Path, options: Options) -> Result:
        made = fake.compile(entry, options)
        found = [warning("FT302", "hm", Span(made.sources[0], 0, 3))]
        return Result(found, made.outputs, made.sources)

    monkeypatch.setattr(compiler, "compile", warned)
    answer = ftc("compile", "job.ft")
    assert answer.code == 0
    assert "warning[FT302]: hm" in answer.err
    assert "Wrote generated/a/" in answer.err


@pytest.mark.parametrize("command", ["compile", "run", "audit"])
def test_a_spec_must_be_a_file_that_exists(here: Path, ftc: Any, command: str) -> None:
    assert ftc(command, "none.ft").code == 2
    folder = ftc(command, ".")
    assert (folder.code, folder.err) == (2, "ftc: `.` is a folder; name one `.ft` file\n")


def test_an_edited_script_stops_with_ways_out(here: Path, ftc: Any, fake: Any) -> None:
    ftc("compile", "job.ft")
    path = here / "generated/a/train.py"
    path.write_text(path.read_text("utf-8") + "print('mine')\n", "utf-8")
    fake.emit = lambda source: [("a", files("print(2)\n"))]
    answer = ftc("compile", "job.ft")
    assert answer.code == 1
    assert answer.err.startswith("error[FT601]: `generated/a/train.py` was edited")
    assert "2. or move or delete `generated/a/train.py`" in answer.err
    assert answer.err.endswith("Nothing was written.\n")
    assert path.read_text("utf-8").endswith("print('mine')\n")


def test_stdout_prints_the_script_alone(here: Path, ftc: Any, fake: Any) -> None:
    answer = ftc("compile", "job.ft", "--stdout")
    assert (answer.code, answer.out, answer.err) == (0, files()["train.py"], "")
    assert not (here / "generated").exists()
    fake.emit = two_runs
    several = ftc("compile", "job.ft", "--stdout")
    assert several.code == 2
    assert "the spec has `a`, `b`: add `--run NAME`" in several.err
    assert "› b ·" in ftc("compile", "job.ft", "--stdout", "--run", "b").out


def test_check_compares_and_writes_nothing(here: Path, ftc: Any, fake: Any) -> None:
    missing = ftc("compile", "job.ft", "--check")
    assert missing.code == 1
    assert "--- /dev/null\n+++ b/generated/a/train.py\n" in missing.out
    assert missing.err == "1 run out of date: `a`. `ftc compile job.ft` updates.\n"
    elsewhere = ftc("compile", "job.ft", "--check", "-o", "other")
    assert elsewhere.err == "1 run out of date: `a`. `ftc compile job.ft -o other` updates.\n"
    assert not (here / "generated").exists()

    ftc("compile", "job.ft")
    fresh = ftc("compile", "job.ft", "--check")
    assert (fresh.code, fresh.out, fresh.err) == (0, "", "Up to date: generated/a/\n")

    fake.emit = lambda source: [("a", files("print(2)\n"))]
    stale = ftc("compile", "job.ft", "--check")
    assert stale.code == 1
    assert "\n-print(1)\n" in stale.out
    assert "\n+print(2)\n" in stale.out
    assert (here / "generated/a/train.py").read_text("utf-8") == script("print(1)\n")


def test_check_where_a_folder_is_a_file(here: Path, ftc: Any) -> None:
    (here / "generated").write_text("")
    answer = ftc("compile", "job.ft", "--check")
    assert answer.code == 2
    assert "cannot be read" in answer.err


PYTHON_SHIM = """#!/bin/sh
case "$1" in -c) echo {lacking}; exit 0;; esac
echo "$@" > {log}; exit {code}
"""


@pytest.fixture
def shim(here: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An interpreter of our own: says what it lacks, and records what it is asked to run."""

    def make(lacking: str = "", code: int = 0) -> Path:
        path, log = here / "shim", here / "log"
        path.write_text(PYTHON_SHIM.format(lacking=lacking, log=log, code=code))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PYTHON", str(path))
        return log

    return make


@pytest.mark.parametrize("command", ["run", "audit"])
def test_missing_packages_are_named_with_the_line_that_installs(
    here: Path, ftc: Any, shim: Any, command: str
) -> None:
    shim(lacking="trl peft")
    answer = ftc(command, "job.ft")
    assert answer.code == 2
    assert f"ftc: `{here / 'shim'}` lacks packages that training needs: trl, peft\n" in answer.err
    assert "pip install 'ftlang[train]'" in answer.err
    assert not (here / "generated").exists()


def test_an_interpreter_that_does_not_run(
    here: Path, ftc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON", str(here / "none"))
    answer = ftc("audit", "job.ft")
    assert answer.code == 2
    assert f"the interpreter `{here / 'none'}` does not run" in answer.err


@pytest.mark.parametrize("code", [0, 1, 3])
def test_audit_runs_ftruntime_on_the_script(here: Path, ftc: Any, shim: Any, code: int) -> None:
    log = shim(code=code)
    assert ftc("audit", "job.ft", "--rows", "all", "--format", "json").code == code
    train = here / "generated/a/train.py"
    assert log.read_text() == f"-m ftruntime.audit {train} --rows all --format json\n"
    assert train.exists()
    ftc("audit", "job.ft")
    assert log.read_text().endswith(" --rows 5 --format text\n")


def test_audit_of_a_broken_spec_in_json(here: Path, ftc: Any, fake: Any) -> None:
    fake.find = lambda source: [error("FT301", "no", Span(source, 0, 3))]
    answer = ftc("audit", "job.ft", "--format", "json")
    assert answer.code == 1
    assert json.loads(answer.out)["diagnostics"][0]["code"] == "FT301"


def test_audit_in_json_is_of_one_run(here: Path, ftc: Any, fake: Any) -> None:
    fake.emit = two_runs
    assert ftc("audit", "job.ft", "--format", "json").code == 2


def test_run_starts_the_launch_file(
    here: Path, ftc: Any, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "PACKAGES", ("json",))
    launch = '#!/bin/sh\necho "$PYTHON"; echo trained > trained; exit 7\n'
    fake.emit = lambda source: [("a", files(launch=launch)), ("b", files(launch=launch))]
    answer = ftc("run", "job.ft", "-o", "out")
    assert answer.code == 7
    assert answer.out == f"{sys.executable}\n"  # the second run is not started
    assert (here / "trained").exists()
    assert os.access(here / "out/a/launch.sh", os.X_OK)
    (here / "out/a/launch.sh").chmod(0o644)  # as after a download
    assert ftc("run", "job.ft", "-o", "out").code == 7


def test_a_launch_file_that_a_signal_ends(
    here: Path, ftc: Any, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "PACKAGES", ("json",))
    fake.emit = lambda source: [("a", files(launch="#!/bin/sh\nkill -9 $$\n"))]
    assert ftc("run", "job.ft").code == 137
