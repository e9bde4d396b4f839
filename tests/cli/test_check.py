"""`ftc check`: paths, formats, exit codes and fixes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ftlang.cli import fixes
from ftlang.diagnostics import Diagnostic, Edit, error, warning
from ftlang.source import SourceFile, Span


def bad(source: SourceFile) -> list[Diagnostic]:
    """Every `bad` is an error that `good` mends, every `odd` a warning."""
    found = []
    for match in re.finditer(r"bad|odd", source.text):
        span = Span(source, *match.span())
        if match[0] == "bad":
            found.append(error("FT200", "a bad word", span, fix=Edit(span, "good")))
        else:
            found.append(warning("FT201", "an odd word", span))
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    fake.find = bad
    return tmp_path


def test_exit_codes(here: Path, ftc: Any) -> None:
    for name, text in {"ok": "fine", "warn": "odd", "err": "bad odd"}.items():
        (here / f"{name}.ft").write_text(text)
    clean = ftc("check", "ok.ft")
    assert (clean.code, clean.out) == (0, "")
    assert clean.err == "1 file checked at level L1: no problems.\n"
    assert ftc("check", "warn.ft").code == 0
    assert ftc("check", "warn.ft", "--strict").code == 1
    assert ftc("check", "ok.ft", "--strict").code == 0
    broken = ftc("check", "err.ft")
    assert (broken.code, broken.out) == (1, "")
    assert broken.err.startswith("error[FT200]: a bad word\n ┌─ err.ft:1:1\n")
    assert broken.err.endswith(
        "1 error and 1 warning in 1 file.\n`ftc check --fix` can fix 1 of them.\n"
    )


def test_folders_are_searched_in_order(here: Path, ftc: Any) -> None:
    for name in ("b.ft", "a.ft", "sub/c.ft", ".venv/d.ft", "sub/e.txt"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text("bad")
    answer = ftc("check", ".", "a.ft", "--format", "short")
    assert answer.code == 1
    assert answer.out.splitlines() == [
        f"{name}:1:1: error[FT200] a bad word" for name in ("a.ft", "b.ft", "sub/c.ft")
    ]
    assert answer.err == ""


def test_json_goes_to_stdout(here: Path, ftc: Any) -> None:
    (here / "a.ft").write_text("odd")
    answer = ftc("check", "a.ft", "--format", "json")
    assert (answer.code, answer.err) == (0, "")
    report = json.loads(answer.out)
    assert (report["version"], report["level"], report["files"]) == (1, "L1", ["a.ft"])
    assert [d["code"] for d in report["diagnostics"]] == ["FT201"]


def test_a_shared_file_is_reported_once(here: Path, ftc: Any, fake: Any) -> None:
    (here / "a.ft").write_text("")
    (here / "b.ft").write_text("")
    fake.find = lambda source: bad(SourceFile("base.ft", "bad"))
    answer = ftc("check", "a.ft", "b.ft", "--format", "short")
    assert answer.out == "base.ft:1:1: error[FT200] a bad word\n"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("none.ft", "ftc: there is no file `none.ft`; did you mean `job.ft`?\n"),
        ("job", "ftc: there is no file `job`; did you mean `job.ft`?\n"),
        ("empty", "ftc: there is no `.ft` file below `empty`\n"),
    ],
)
def test_paths_that_lead_nowhere_exit_2(here: Path, ftc: Any, path: str, says: str) -> None:
    (here / "job.ft").write_text("")
    (here / "empty").mkdir()
    answer = ftc("check", path)
    assert (answer.code, answer.err) == (2, says)


def test_an_unreadable_file_exits_2(here: Path, ftc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "job.ft").write_text("")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may read every file
    assert ftc("check", "job.ft").err == "ftc: `job.ft` cannot be read: permission denied\n"


def test_fix_mends_files_and_reports_the_rest(here: Path, ftc: Any) -> None:
    (here / "a.ft").write_bytes(b"bad bad odd\r\nbad\r\n")
    (here / "a.ft").chmod(0o640)
    (here / "b.ft").write_bytes(b"fine\n")
    answer = ftc("check", ".", "--fix")
    assert answer.code == 0
    assert answer.err.startswith("Fixed 3 problems in 1 file.\nwarning[FT201]: an odd word\n")
    assert (here / "a.ft").read_bytes() == b"good good odd\r\ngood\r\n"
    assert (here / "a.ft").stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in here.iterdir()) == ["a.ft", "b.ft"]


def test_fix_goes_on_while_a_fix_uncovers_another(here: Path, ftc: Any, fake: Any) -> None:
    (here / "a.ft").write_text("x3")

    def countdown(source: SourceFile) -> list[Diagnostic]:
        number = int(source.text[1:])
        span = Span(source, 1, 2)
        fix = Edit(span, str(number - 1))
        return [error("FT200", "too many", span, fix=fix)] if number else []

    fake.find = countdown
    assert ftc("check", "a.ft", "--fix").err.startswith("Fixed 3 problems in 1 file.\n1 file")
    assert (here / "a.ft").read_text() == "x0"


def test_fix_leaves_files_that_were_not_named(here: Path, ftc: Any, fake: Any) -> None:
    (here / "a.ft").write_text("")
    (here / "base.ft").write_text("bad")
    used = SourceFile("base.ft", "bad", here / "base.ft")
    fake.find = lambda source: bad(used)
    assert ftc("check", "a.ft", "--fix").code == 1
    assert (here / "base.ft").read_text() == "bad"


def test_fix_leaves_a_file_that_changed_meanwhile(here: Path) -> None:
    path = here / "a.ft"
    path.write_text("now something else, bad")
    source = SourceFile("a.ft", "bad", path)
    assert fixes.applied(bad(source), [path]).number == 0
    assert path.read_text() == "now something else, bad"


def test_fix_goes_through_a_link(here: Path, ftc: Any) -> None:
    (here / "real").mkdir()
    (here / "real" / "job.ft").write_text("bad")
    (here / "link.ft").symlink_to("real/job.ft")
    assert ftc("check", "link.ft", "--fix").code == 0
    assert (here / "link.ft").is_symlink()
    assert (here / "real" / "job.ft").read_text() == "good"


def test_fix_keeps_a_byte_order_mark(here: Path) -> None:
    path = here / "a.ft"
    path.write_bytes(b"\xef\xbb\xbfbad")
    for text in ("bad", "\ufeffbad"):
        path.write_bytes(b"\xef\xbb\xbfbad")
        assert fixes.applied(bad(SourceFile("a.ft", text, path)), [path]).number == 1
        assert path.read_bytes() == b"\xef\xbb\xbfgood"


def test_fix_of_a_file_that_cannot_be_written(
    here: Path, ftc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.ft").write_text("bad")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "a.ft")

    monkeypatch.setattr(fixes, "replace", refuse)
    answer = ftc("check", "a.ft", "--fix")
    assert (answer.code, answer.err) == (2, "ftc: `a.ft` cannot be mended: Permission denied\n")


def test_edits_that_overlap_wait_for_the_next_round() -> None:
    source = SourceFile("a", "abcdef")

    def edit(start: int, end: int, text: str) -> Edit:
        return Edit(Span(source, start, end), text)

    edits = [edit(4, 4, "!"), edit(2, 4, "X"), edit(1, 3, "Y"), edit(1, 3, "Y"), edit(4, 5, "")]
    assert fixes.edited("abcdef", edits) == ("aYd!ef", 2)


@pytest.mark.parametrize(
    ("options", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {}, False),
    ],
)
def test_colour_when_piped(
    here: Path,
    ftc: Any,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    environment: dict[str, str],
    coloured: bool,
) -> None:
    (here / "a.ft").write_text("bad")
    monkeypatch.setattr(os, "environ", {**os.environ, **environment})
    assert ("\x1b[" in ftc("check", "a.ft", *options).err) is coloured


def test_ascii(here: Path, ftc: Any) -> None:
    (here / "a.ft").write_text("bad")
    assert ftc("check", "a.ft", "--ascii").err.isascii()
