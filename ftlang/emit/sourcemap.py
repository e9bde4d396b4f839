"""Takes the origin marks off the rendered text and turns them into `train.ftmap.json`."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping

from ftlang.emit.python import MARK, MARK_END
from ftlang.plan.script import Origin, Plan
from ftlang.source import Span

_MARKED = re.compile(f"{MARK}([^{MARK_END}]*){MARK_END}$")


def unmarked(text: str) -> tuple[str, dict[int, tuple[str, ...]]]:
    """The text without marks, and the spec paths behind each line (counted from 1)."""
    paths: dict[int, tuple[str, ...]] = {}
    rows = []
    for number, row in enumerate(text.split("\n"), 1):
        match = _MARKED.search(row)
        if match:
            paths[number] = tuple(match.group(1).split(","))
            row = row[: match.start()]
        rows.append(row)
    return "\n".join(rows), paths


def source_map(
    plan: Plan,
    paths: Mapping[int, tuple[str, ...]],
    sections: Mapping[int, str],
    files: Mapping[str, str],
) -> str:
    """The map as JSON: for each script line the places of the spec that it comes from.

    `sections` names the section that each line stands in, `files` the digests of the other
    files of the folder.  Files of the spec are named as seen from the entry's folder.
    """
    entry = plan.source.path
    folder = entry.parent.absolute().as_posix() if entry is not None else ""
    table = {
        str(number): [place for name in names for place in _places(plan.origins[name], folder)]
        for number, names in sorted(paths.items())
    }
    data = {
        "version": 1,
        "run": plan.run,
        "lines": table,
        "sections": {str(n): name for n, name in sorted(sections.items())},
        "files": dict(sorted(files.items())),
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _places(origin: Origin, folder: str) -> list[dict[str, object]]:
    """Where the value was set, then where the variables in it are defined."""
    layer = {"layer": origin.layer} if origin.kind in ("extends", "profile") else {}
    spans = [(origin.kind, origin.span), *(("definition", span) for span in origin.through)]
    return [_place(origin.path, kind, span, folder) | layer for kind, span in spans]


def _place(path: str, kind: str, span: Span, folder: str) -> dict[str, object]:
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    file = span.source.name
    if span.source.path is not None:
        file = posixpath.relpath(span.source.path.absolute().as_posix(), folder)
    return {
        "path": path,
        "kind": kind,
        "file": file,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": span.source.line(line).strip(),
    }
