"""Machine-applicable fixes, put into the files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ftlang.cli.write import replace
from ftlang.diagnostics import Diagnostic, Edit
from ftlang.record import Record

ROUNDS = 8  # of fixing and checking again; a fix can uncover another mistake


class Done(Record):
    """How many fixes were applied, and to which files."""

    number: int
    files: frozenset[Path]


def applied(found: Iterable[Diagnostic], files: Iterable[Path]) -> Done:
    """Write the fixes that lie in `files`; a file that has changed since it was read is left.

    Only files that the user named are touched, never one that they merely use.
    """
    number, changed = 0, set()
    for path, edits in _by_file(found, files).items():
        before = edits[0].span.source.text
        after, count = edited(before, edits)
        raw = path.read_bytes()
        mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
        if raw not in (before.encode(), mark + before.encode()) or after == before:
            continue
        kept = b"" if before.startswith("\ufeff") else mark
        replace({path.resolve(): kept + after.encode()})  # through a link, not over it
        number += count
        changed.add(path)
    return Done(number, frozenset(changed))


def edited(text: str, edits: Iterable[Edit]) -> tuple[str, int]:
    """The text after the edits, and how many were made; of two that overlap, the first."""
    pieces, at, last, count = [], 0, -1, 0
    unique = {(e.span.start, e.span.end, e.text) for e in edits}
    for start, end, new in sorted(unique):
        if start < at or start == last:
            continue
        pieces += [text[at:start], new]
        at, last, count = end, start, count + 1
    return "".join([*pieces, text[at:]]), count


def _by_file(found: Iterable[Diagnostic], files: Iterable[Path]) -> dict[Path, list[Edit]]:
    named = {path.resolve(): path for path in files}
    groups: dict[Path, list[Edit]] = {}
    for d in found:
        source = d.fix.span.source.path if d.fix else None
        path = named.get(source.resolve()) if source else None
        if d.fix and path:
            groups.setdefault(path, []).append(d.fix)
    return groups
