"""The JSON lines that a run writes while it trains, and how they are read again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def append_line(file: Path, line: dict[str, Any]) -> None:
    """Adds one JSON line and closes the file, so that a reader never sees half a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def lines_of(file: Path) -> list[dict[str, Any]]:
    """The lines of a file, none where it is missing; what a killed run wrote half is left out."""
    return [line for _, line in _parsed(file)]


def keep_lines_until(file: Path, step: int) -> None:
    """Drops the lines of later steps: all of an earlier run, those past a resumed checkpoint."""
    kept = [text for text, line in _parsed(file) if line["step"] <= step] if step > 0 else []
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(text + "\n" for text in kept), encoding="utf-8")


def _parsed(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if not file.is_file():
        return
    # A line ends with \n alone: an answer may hold what splitlines() takes for an end too.
    for text in file.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and "step" in line:
            yield text, line
