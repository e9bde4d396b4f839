"""The first line of a script: who made it, from what, and a digest that shows edits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ftlang import __version__


def body_digest(body: str) -> str:
    """The first eight hex digits of sha256 over everything below line 1, with LF endings."""
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(text.encode()).hexdigest()[:8]


OPTIONS = "# with "


def options_line(words: Sequence[str]) -> list[str]:
    """The line with the options that the script was compiled with; none without options.

    JSON, so that it reads back exactly, whatever characters a `--set` has.
    """
    return [OPTIONS + json.dumps(list(words))] if words else []


def header(spec_name: str, run: str, source: str, body: str) -> str:
    """Line 1 of `train.py`; the file name of a spec is the user's, so only its printable part."""
    name = "".join(c if c.isprintable() else "?" for c in spec_name)
    return f"# ftc {__version__} · {name} › {run} · source {source} · body {body_digest(body)}"
