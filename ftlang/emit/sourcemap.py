"""Takes the origin marks off the rendered text and turns them into `train.ftmap.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ftlang.emit.python import MARK, MARK_END
from ftlang.plan.script import Origin

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
    run: str,
    paths: Mapping[int, tuple[str, ...]],
    origins: Mapping[str, Origin],
    sections: Mapping[int, str],
    files: Mapping[str, str],
) -> str:
    """The map as JSON: for each script line the spec lines that it comes from.

    `sections` names the section that each line stands in, `files` the digests of the other
    files of the folder.
    """
    table = {str(n): [_place(origins[p]) for p in names] for n, names in sorted(paths.items())}
    data = {
        "version": 1,
        "run": run,
        "lines": table,
        "sections": {str(n): name for n, name in sorted(sections.items())},
        "files": dict(sorted(files.items())),
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _place(origin: Origin) -> dict[str, object]:
    span = origin.span
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    name = span.source.path.name if span.source.path else span.source.name
    return {
        "path": origin.path,
        "kind": origin.kind,
        "file": name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": span.source.line(line).strip(),
    }
