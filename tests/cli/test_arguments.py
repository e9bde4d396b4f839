"""What `ftc` accepts, and that it starts light."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ftlang import __version__, cli

COMMANDS = [
    "check",
    "fmt",
    "compile",
    "run",
    "audit",
    "show",
    "explain",
    "where",
    "schema",
    "version",
    "init",
]


def test_help_lists_only_what_exists(ftc: Any) -> None:
    answer = ftc("--help")
    assert answer.code == 0
    listed = [
        line.split()[0]
        for line in answer.out.split("commands:")[1].split("output:")[0].splitlines()
        if line.startswith("    ") and not line.startswith("     ")
    ]
    assert [name for name in listed if name != "COMMAND"] == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(ftc: Any, name: str) -> None:
    answer = ftc(name, "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"usage: ftc {name}")
    assert "--merge" not in answer.out
    takes = name in ("check", "compile", "run", "audit", "show")
    assert all((option in answer.out) is takes for option in ("--profile", "--set", "-D"))


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["plan", "x.ft"],
        ["check"],
        ["check", "x.ft", "--profile"],
        ["compile", "x.ft", "--check", "--stdout"],
        ["compile", "a.ft", "b.ft"],
        ["audit", "x.ft", "--rows", "-1"],
        ["audit", "x.ft", "--rows", "some"],
        ["init", "dpo"],
        ["explain"],
        ["--color", "sometimes", "version"],
    ],
)
def test_wrong_arguments_exit_2(ftc: Any, argv: list[str]) -> None:
    answer = ftc(*argv)
    assert answer.code == 2
    assert answer.err.startswith("usage: ftc")


@pytest.mark.parametrize("argv", [["--debug", "check", "{}"], ["check", "{}", "--debug"]])
def test_a_bug_is_FT901_and_exit_3(fake: Any, ftc: Any, tmp_path: Path, argv: list[str]) -> None:
    def broken(source: object) -> list[Any]:
        raise KeyError("inner")

    fake.find = broken
    spec = tmp_path / "job.ft"
    spec.write_text("")
    plain = ftc("check", spec)
    assert plain.code == 3
    assert plain.err.startswith("error[FT901]: this is a bug in ftc: KeyError: 'inner'\n")
    assert "Traceback" not in plain.err
    debug = ftc(*(word.format(spec) for word in argv))
    assert debug.code == 3
    assert "Traceback (most recent call last)" in debug.err


def loaded(program: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after the program."""
    root = Path(__file__).resolve().parents[2]
    answer = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    return {name.partition(".")[0] for name in answer.stdout.splitlines()[-1].split()}


HEAVY = {"torch", "transformers", "trl", "peft", "datasets", "ftruntime", "numpy", "rich"}


def test_importing_the_command_line_loads_no_compiler() -> None:
    assert not loaded("import ftlang, ftlang.cli") & (HEAVY | {"lark", "jinja2", "black"})


def test_check_loads_no_emitter(tmp_path: Path) -> None:
    spec = tmp_path / "job.ft"
    spec.write_text("run a { method sft }\n")
    found = loaded(f"from ftlang.cli import main; print(main(['check', {str(spec)!r}]))")
    assert "lark" in found
    assert not found & (HEAVY | {"jinja2", "black", "merge3"})


def test_version_imports_no_library() -> None:
    assert not loaded("from ftlang.cli import main; main(['version'])") & (HEAVY | {"lark"})


def test_python_m_ftlang_is_ftc() -> None:
    root = Path(__file__).resolve().parents[2]
    answer = subprocess.run(
        [sys.executable, "-m", "ftlang", "version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=root,
    )
    assert answer.returncode == 0
    assert answer.stdout.startswith("ftc 0.1.0 ")


@pytest.mark.parametrize("command", [["version"], ["init", "sft"], ["explain", "--list"]])
def test_output_is_utf8_whatever_the_locale(command: list[str]) -> None:
    root = Path(__file__).resolve().parents[2]
    answers = [
        subprocess.run(
            [sys.executable, "-m", "ftlang", *command],
            capture_output=True,
            timeout=60,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        ).stdout
        for encoding in ("utf-8", "ascii", "cp1252")
    ]
    assert answers[0].decode("utf-8")
    assert answers[0] == answers[1] == answers[2]


def test_a_reader_that_stops_reading_is_no_bug() -> None:
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-m", "ftlang", "explain", "--list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(timeout=60) == 1


@pytest.mark.parametrize("paths", [["a.ft"], ["a.ft", "b", "c d.ft"]])
def test_the_short_way_of_a_plain_check_is_what_the_parser_makes(paths: list[str]) -> None:
    words = ["check", *paths]
    plain = cli._plain_check(words)
    assert plain is not None
    assert vars(plain) == vars(cli._parsed(words))


@pytest.mark.parametrize(
    "words", [[], ["check"], ["check", "-h"], ["check", "a.ft", "--fix"], ["fmt", "a.ft"], ["-D"]]
)
def test_only_a_plain_check_takes_the_short_way(words: list[str]) -> None:
    assert cli._plain_check(words) is None


def test_the_version_is_an_option_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"ftc {__version__}\n"
