"""`ftc where`: the spec line behind a line of a generated script."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from ftlang.cli import terminal
from ftlang.cli.refusal import Refusal
from ftlang.cli.write import MAP, SCRIPT, is_unedited


def exit_code(arguments: argparse.Namespace) -> int:
    """0 for every line that exists, whether or not a value of the spec stands behind it."""
    script, number = _place(arguments.place)
    if script.exists() and script.suffix != ".py":
        raise Refusal(f"`{script}` is no script; only lines of `{SCRIPT}` are mapped to the spec")
    text = _text(script)
    last = len(text.removesuffix("\n").split("\n"))
    if not 1 <= number <= last:
        raise Refusal(f"`{script}` has {last} lines, and no line {number}")
    content = _map(script)
    origins = content["lines"].get(str(number), [])
    if not is_unedited(text):
        print(f"ftc: `{script}` was edited, so its lines may have moved", file=sys.stderr)
    answer = "\n".join(map(_origin, origins)) if origins else _nothing(content, number)
    terminal.put(f"{answer}\n")
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


def _map(script: Path) -> dict[str, Any]:
    """The map beside the script; `lines` holds origins by line number."""
    path = script.with_name(MAP)
    if script.is_file() and not path.exists():
        raise Refusal(f"there is no `{path}`; ftc writes it with the script")
    try:
        content: dict[str, Any] = json.loads(_text(path))
        version = content["version"]
        if version == 1 and not isinstance(content["lines"], dict):
            raise TypeError("lines")
    except (ValueError, TypeError, KeyError) as broken:
        raise Refusal(f"`{path}` is no map that ftc wrote; compile the spec again") from broken
    if version != 1:
        raise Refusal(f"`{path}` is of version {version}, which this ftc does not read")
    return content


def _origin(origin: dict[str, Any]) -> str:
    place = f"{origin['file']}:{origin['line']}:{origin['column']}"
    kind, layer = origin["kind"], origin.get("layer", "")
    if kind == "default":
        return f"{place}: {origin['path']} is not set here; the value is our default"
    how = {
        "extends": f", inherited from `{layer}`",
        "profile": f", by the profile `{layer}`",
        "set": ", by the command line",
        "definition": ", the definition behind it",
    }.get(kind, "")
    return f"{place}: {origin['path']}{how}\n    {origin['text']}"


def _nothing(content: dict[str, Any], number: int) -> str:
    """What to say of a line with no value behind it: the section that it stands in."""
    starts = [int(start) for start in content.get("sections", {}) if int(start) <= number]
    if not starts:
        return "no value of the spec; every script has such a line"
    return f"no value of the spec; part of `{content['sections'][str(max(starts))]}`"
