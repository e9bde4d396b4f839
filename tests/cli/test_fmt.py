"""`ftc fmt`: what it writes, prints and leaves alone; exit codes; what it loads."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ftlang.cli import fmt
from ftlang.source import SourceFile
from ftlang.syntax import format as formatter
from ftlang.syntax import parse
from ftlang.syntax.format import formatted

ROOT = Path(__file__).resolve().parents[2]
BAD = "run a{x=1}\n"
GOOD = "run a { x = 1 }\n"
BROKEN = "run a { x = }\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pipe(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))


def test_it_writes_what_changes(here: Path, ftc: Any) -> None:
    (here / "good.ft").write_text(GOOD)
    (here / "sub").mkdir()
    (here / "sub/bad.ft").write_text(BAD)
    (here / "sub/bad.ft").chmod(0o640)
    before = (here / "good.ft").stat()
    answer = ftc("fmt", ".", "good.ft")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "Reformatted sub/bad.ft\n2 files: 1 reformatted.\n"
    assert (here / "sub/bad.ft").read_text() == GOOD
    assert (here / "sub/bad.ft").stat().st_mode & 0o777 == 0o640
    assert (here / "good.ft").stat().st_ino == before.st_ino
    assert sorted(p.name for p in here.rglob("*")) == ["bad.ft", "good.ft", "sub"]
    again = ftc("fmt", ".")
    assert (again.code, again.out, again.err) == (0, "", "2 files: nothing to reformat.\n")


def test_check_writes_nothing(here: Path, ftc: Any) -> None:
    for name, text in {"a.ft": BAD, "b.ft": GOOD, "c.ft": BAD}.items():
        (here / name).write_text(text)
    answer = ftc("fmt", ".", "--check")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == (
        "Would reformat a.ft\nWould reformat c.ft\n3 files: 2 would be reformatted.\n"
    )
    assert (here / "a.ft").read_text() == BAD
    assert ftc("fmt", "b.ft", "--check").code == 0


DIFF = """\
--- a/job.ft
+++ b/job.ft
@@ -1,2 +1,2 @@
-run a{x=1}
-tune\u2028full\r
\\ No newline at end of file
+run a { x = 1 }
+tune full
"""


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--check"], 1)])
def test_diff_writes_nothing(here: Path, ftc: Any, options: list[str], code: int) -> None:
    written = "run a{x=1}\ntune\u2028full\r".encode()
    (here / "job.ft").write_bytes(written)
    answer = ftc("fmt", "job.ft", "--diff", *options)
    assert (answer.code, answer.out) == (code, DIFF)
    assert answer.err == "Would reformat job.ft\n1 file: 1 would be reformatted.\n"
    assert (here / "job.ft").read_bytes() == written


def test_no_difference(here: Path, ftc: Any) -> None:
    (here / "job.ft").write_text(GOOD)
    answer = ftc("fmt", "--diff", "--check", "job.ft")
    assert (answer.code, answer.out) == (0, "")


def test_a_broken_file_leaves_every_file_as_it_is(here: Path, ftc: Any) -> None:
    (here / "a.ft").write_text(BAD)
    (here / "b.ft").write_text(BROKEN)
    answer = ftc("fmt", ".")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("error[FT019]: `x` has no value\n ┌─ b.ft:1:11\n")
    assert answer.err.endswith("\n1 error in 1 file. Nothing was written.\n")
    assert (here / "a.ft").read_text() == BAD
    assert (here / "b.ft").read_text() == BROKEN


def test_a_broken_file_beside_others_is_checked(here: Path, ftc: Any) -> None:
    (here / "a.ft").write_text(BAD)
    (here / "b.ft").write_text(BROKEN)
    answer = ftc("fmt", ".", "--check", "--diff")
    assert answer.code == 1
    assert answer.out.startswith("--- a/a.ft\n")
    assert answer.err.endswith(
        "\n1 error in 1 file.\nWould reformat a.ft\n1 file: 1 would be reformatted.\n"
    )
    (here / "a.ft").write_text(GOOD)
    assert ftc("fmt", ".", "--check").code == 1
    assert ftc("fmt", ".", "--diff").code == 1


def test_a_file_that_is_not_text(here: Path, ftc: Any) -> None:
    (here / "a.ft").write_bytes(b"x = \xff\n")
    answer = ftc("fmt", "a.ft")
    assert answer.code == 1
    assert answer.err.startswith("error[FT001]: this file is not UTF-8 text\n")


def test_stdin_goes_to_stdout(ftc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (BAD, GOOD):
        pipe(monkeypatch, text.encode())
        answer = ftc("fmt", "-")
        assert (answer.code, answer.out, answer.err) == (0, GOOD, "")


@pytest.mark.parametrize(("text", "code"), [(BAD, 1), (GOOD, 0)])
def test_stdin_is_checked(ftc: Any, monkeypatch: pytest.MonkeyPatch, text: str, code: int) -> None:
    pipe(monkeypatch, text.encode())
    answer = ftc("fmt", "-", "--check")
    assert (answer.code, answer.out) == (code, "")
    pipe(monkeypatch, text.encode())
    diff = ftc("fmt", "-", "--diff")
    assert diff.code == 0
    assert diff.out.startswith("--- a/<stdin>\n") is bool(code)


@pytest.mark.parametrize(("text", "says"), [(BROKEN.encode(), "FT019"), (b"\xff", "FT001")])
def test_broken_stdin(ftc: Any, monkeypatch: pytest.MonkeyPatch, text: bytes, says: str) -> None:
    pipe(monkeypatch, text)
    answer = ftc("fmt", "-")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"error[{says}]")
    assert "<stdin>:1:" in answer.err
    assert "Nothing was written" not in answer.err


def test_stdin_stands_alone(here: Path, ftc: Any) -> None:
    (here / "a.ft").write_text(BAD)
    answer = ftc("fmt", "a.ft", "-")
    says = "ftc: `-` reads the one spec of standard input; name it alone\n"
    assert (answer.code, answer.err) == (2, says)
    assert (here / "a.ft").read_text() == BAD


def test_paths_that_lead_nowhere_exit_2(here: Path, ftc: Any) -> None:
    answer = ftc("fmt", "none.ft")
    assert (answer.code, answer.err) == (2, "ftc: there is no file `none.ft`\n")


def test_it_writes_through_a_link(here: Path, ftc: Any) -> None:
    (here / "real").mkdir()
    (here / "real/job.ft").write_text(BAD)
    (here / "link.ft").symlink_to("real/job.ft")
    assert ftc("fmt", "link.ft").code == 0
    assert (here / "link.ft").is_symlink()
    assert (here / "real/job.ft").read_text() == GOOD


def test_a_file_that_cannot_be_written(
    here: Path, ftc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.ft").write_text(BAD)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "a.ft")

    monkeypatch.setattr(fmt, "replace", refuse)
    answer = ftc("fmt", "a.ft")
    assert (answer.code, answer.err) == (2, "ftc: `a.ft` cannot be written: Permission denied\n")


def test_a_layout_that_is_not_proven_is_a_bug_and_not_written(
    here: Path, ftc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.ft").write_text(BAD)
    (here / "b.ft").write_text(BAD)
    real, calls = formatter.laid_out, []

    def lie(pieces: Any) -> str:
        calls.append(pieces)
        return real(pieces) if len(calls) < 3 else GOOD.replace("1", "2")

    monkeypatch.setattr(formatter, "laid_out", lie)
    answer = ftc("fmt", "a.ft", "b.ft")
    assert (answer.code, answer.out) == (3, "")
    assert answer.err.startswith("error[FT901]: this is a bug in ftc: Unproven: formatting b.ft ")
    assert (here / "a.ft").read_text() == BAD
    assert (here / "b.ft").read_text() == BAD


def test_it_loads_the_syntax_and_no_compiler(here: Path) -> None:
    (here / "a.ft").write_text(BAD)
    program = "from ftlang.cli import main; main(['fmt', 'a.ft']); import sys; print(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (here / "a.ft").read_text() == GOOD
    modules = answer.stdout.split()
    assert "ftlang.syntax.format" in modules
    assert not {name.partition(".")[0] for name in modules} & {"jinja2", "black", "torch", "trl"}
    ours = {name.split(".")[1] for name in modules if name.startswith("ftlang.")}
    assert not ours & {"schema", "rules", "plan", "emit", "compile"}


def test_every_spec_of_the_repository_is_formatted() -> None:
    """`ftc fmt FILE` mends one; a spec that is broken on purpose has no layout."""
    sources = [
        SourceFile(str(path.relative_to(ROOT)), path.read_bytes().decode(), path)
        for folder in ("examples", "tests")
        for path in sorted((ROOT / folder).rglob("*.ft"))
    ]
    whole = [source for source in sources if not parse(source)[1]]
    assert len(whole) >= 10
    assert [each.name for each in whole if formatted(each)[0] != each.text] == []
