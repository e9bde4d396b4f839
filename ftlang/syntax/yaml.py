"""A pasted YAML file, told by its lines: one cause, where each line would be a mistake."""

from __future__ import annotations

import re

from ftlang.diagnostics import Diagnostic, error
from ftlang.source import SourceFile, Span

_KEY = r"""[ ]*(?:- +)?(?:[A-Za-z_][\w.-]*|"[^"\n]*"|run [\w-]+)[ ]*:(?:[ \t]|$)"""
_FEWEST = 3  # lines that look like YAML's; fewer are mistakes of their own


def yaml(source: SourceFile) -> Diagnostic | None:
    """The error of a text that is YAML and no spec, at its first line; None of any other.

    Most of its lines have the form `name: …` or `- …`, and no line opens or closes a block.
    """
    key = re.compile(_KEY)
    every = re.split(r"\r\n|\r|\n", source.text)
    lines = [line for line in every if line.strip() and line.lstrip()[0] != "#"]
    alike = [line for line in lines if key.match(line) or line.lstrip().startswith("- ")]
    top = [line for line in lines if not line[0].isspace() and line.strip() != "---"]
    if len(alike) < _FEWEST or 2 * sum(line in alike for line in top) <= len(top):
        return None
    if any(re.match(r"\s*[\w.-]+( [\w.-]+)*\s*(\{|\+?=(\s|$))|\s*\}", line) for line in lines):
        return None
    start = source.line_starts[every.index(alike[0])]
    span = Span(source, start, start + len(alike[0].rstrip()))
    return error(
        "FT052",
        "this is YAML, not a spec",
        span,
        notes=("a spec has blocks in braces and fields set with `=`",),
        help=(
            "`ftc init sft` prints a spec to start from",
            "`ftc explain lora_r` says what a name of another tool is here",
        ),
    )
