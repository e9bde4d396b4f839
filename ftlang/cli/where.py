"""`ftc where`: the spec line behind a line of a generated script."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from ftlang.cli.arguments import Refusal
from ftlang.cli.write import MAP, is_unedited

_SECTION = re.compile(r"\s*# (?P<title>[^·]+) · (?P<block>\S+)\s*")


def exit_code(arguments: argparse.Namespace) -> int:
    """0 for every line that exists, whether or not a value of the spec stands behind it."""
    script, number = _place(arguments.place)
    lines = _text(script).splitlines()
    if not 1 <= number <= len(lines):
        raise Refusal(f"`{script}` has {len(lines)} lines, and no line {number}")
    origins = _map(script).get(str(number), [])
    if not is_unedited(_text(script)):
        print(f"ftc: `{script}` was edited, so its lines may have moved", file=sys.stderr)
    print("\n".join(map(_origin, origins)) if origins else _nothing(lines, number))
    return 0


def _place(text: str) -> tuple[Path, int]:
    script, colon, number = text.rpartition(":")
    if not (colon and script and number.isascii() and number.isdigit()):
        raise Refusal(f"`{text}` is no SCRIPT:LINE, such as generated/job/train.py:12")
    return Path(script), int(number)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape")
    except OSError as refused:
        raise Refusal(f"`{path}` cannot be read: {refused.strerror}") from refused


def _map(script: Path) -> dict[str, list[dict[str, Any]]]:
    """Origins by line number, from the map beside the script."""
    path = script.with_name(MAP)
    if script.is_file() and not path.exists():
        raise Refusal(f"there is no `{path}`; ftc writes it with the script")
    try:
        content = json.loads(_text(path))
        lines: dict[str, list[dict[str, Any]]] = content["lines"]
        version = content["version"]
    except (ValueError, TypeError, KeyError) as broken:
        raise Refusal(f"`{path}` is no map that ftc wrote; compile the spec again") from broken
    if version != 1:
        raise Refusal(f"`{path}` is of version {version}, which this ftc does not read")
    return lines


def _origin(origin: dict[str, Any]) -> str:
    if origin["kind"] == "default":
        return f"{origin['path']}: our default; the spec says nothing"
    first = str(origin.get("text", "")).strip()
    return f"{origin['file']}:{origin['line']}:{origin['column']}: {origin['path']}\n    {first}"


def _nothing(lines: list[str], number: int) -> str:
    """What to say of a line with no value behind it: its section, from the comment above it."""
    for line in reversed(lines[:number]):
        if match := _SECTION.fullmatch(line):
            return f"no value of the spec; part of {match['title']}, from `{match['block']}`"
    return "no value of the spec; every script has this line"
