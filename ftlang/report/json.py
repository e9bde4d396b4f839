"""Diagnostics for programs: one JSON object, its form a contract with other people's CI."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ftlang.diagnostics import Diagnostic, in_order
from ftlang.source import Span

VERSION = 1


def render(found: Iterable[Diagnostic], files: Iterable[str], level: str) -> str:
    """The object as text.  `files` are those that were asked for, `level` L0 to L4."""
    report = {
        "version": VERSION,
        "level": level,
        "files": list(files),
        "diagnostics": [_diagnostic(d) for d in in_order(found)],
    }
    return json.dumps(report, indent=2) + "\n"


def _diagnostic(d: Diagnostic) -> dict[str, object]:
    fix = d.fix and {**_place(d.fix.span), "text": d.fix.text}
    return {
        "code": d.code,
        "severity": str(d.severity),
        "message": d.message,
        **_place(d.span),
        "labels": [{**_place(label.span), "message": label.message} for label in d.labels],
        "notes": list(d.notes),
        "help": list(d.help),
        "fix": fix,
    }


def _place(span: Span) -> dict[str, object]:
    """Lines and columns count from 1, columns in characters; the end is exclusive."""
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }
