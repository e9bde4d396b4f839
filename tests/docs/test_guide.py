"""Every page of docs/guide is walked through: its files are written, its commands run.

A fenced `ft`, `jsonl` or `py` block behind a line such as `` `job.ft`: `` is a file.  In a
`console` block `$ ` begins a command, `# exit 1` at its end names an exit code that is not 0, and
the lines below it must occur in what it prints, in this order; `…` stands for any text in a line.
The commands of a page run one after the other in one folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ftlang.record import Record

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/guide").glob("*.md"))
FENCE = re.compile(r"(?:`([^`\n]+)`:\s*\n+)?```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILES = ("ft", "jsonl", "py")
EXIT = re.compile(r"\s*# exit (\d+)$")


class Command(Record):
    """One command, the lines that it must print, and its exit code."""

    words: str
    lines: tuple[str, ...]
    code: int


def steps(page: str) -> list[tuple[str, str] | Command]:
    """Files (name and text) and commands of a page, in their order."""
    found: list[tuple[str, str] | Command] = []
    for name, kind, text in FENCE.findall(page):
        if kind in FILES and name:
            found.append((name, text))
        elif kind == "console":
            for block in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                words, _, said = block.partition("\n")
                code = EXIT.search(words)
                lines = tuple(line for line in said.splitlines() if line.strip())
                number = int(code.group(1)) if code else 0
                found.append(Command(EXIT.sub("", words), lines, number))
    return found


def missing(lines: tuple[str, ...], printed: str) -> str:
    """The first of the lines that is not printed behind the ones before it, or nothing."""
    said = iter(printed.splitlines())
    for line in lines:
        pattern = re.compile(".*".join(re.escape(part) for part in line.strip().split("…")))
        if not any(pattern.fullmatch(other.strip()) for other in said):
            return line
    return ""


def environment(folder: Path) -> dict[str, str]:
    """What a user has after `pip install`: `ftc` and `python` of this environment, no hub."""
    bin = folder / ".bin"
    bin.mkdir()
    for name, words in (("ftc", "-m ftlang"), ("python", "")):
        (bin / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (bin / name).chmod(0o755)
    names = ("WORLD_SIZE", "RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "NODE_RANK")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return {
        **kept,
        "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}",
        "PYTHON": sys.executable,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "100",
    }


def test_there_is_a_page_for_each_thing_that_is_asked() -> None:
    assert len(PAGES) >= 3
    linked = (ROOT / "README.md").read_text()
    assert "docs/guide" in linked


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_true(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    env = environment(tmp_path)
    commands = 0
    for step in steps(page.read_text("utf-8")):
        if not isinstance(step, Command):
            (tmp_path / step[0]).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / step[0]).write_text(step[1], "utf-8")
            continue
        commands += 1
        done = subprocess.run(
            ["bash", "-c", step.words],
            cwd=tmp_path,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == step.code, f"$ {step.words}\n{done.stdout}"
        gone = missing(step.lines, done.stdout)
        assert not gone, f"$ {step.words}\nnever prints: {gone}\n\n{done.stdout}"
    assert commands > 0
