"""`ftc check`: find mistakes in specs, and mend those that are certain."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ftlang import compile as compiler
from ftlang.cli import terminal
from ftlang.cli.refusal import Refusal
from ftlang.cli.specs import asked, specs
from ftlang.compile import Options
from ftlang.diagnostics import Diagnostic, Severity, has_errors
from ftlang.names.files import Loader
from ftlang.report.counted import counted

if TYPE_CHECKING:
    import argparse

    from ftlang.cli.fixes import Done

LEVEL = "L1"


def exit_code(arguments: argparse.Namespace) -> int:
    """1 if there is an error, or a warning under `--strict`."""
    entries = specs(arguments.paths, (".ft",) if arguments.fix else (".ft", ".json"))
    options = Options(arguments.run, asked=asked(arguments))
    found = _found(entries, options)
    if arguments.fix:
        done, found = _fixed(entries, found, options)
        if done.number:
            what = counted(done.number, "problem"), counted(len(done.files), "file")
            print(f"Fixed {what[0]} in {what[1]}.", file=sys.stderr)
    _report(found, entries, arguments)
    strict = arguments.strict and any(d.severity is Severity.WARNING for d in found)
    return 1 if has_errors(found) or strict else 0


def _found(entries: Iterable[str], options: Options) -> list[Diagnostic]:
    """What is wrong in any entry; a file that several entries use is read and reported once."""
    loader = Loader()
    every = (d for entry in entries for d in compiler.check(entry, options, loader).found)
    same = {(d.span.source.name, d.span.start, d.span.end, d.code, d.message): d for d in every}
    return list(same.values())


def _fixed(
    entries: list[str], found: list[Diagnostic], options: Options
) -> tuple[Done, list[Diagnostic]]:
    """Apply fixes and check again until nothing changes; a fix may make another possible."""
    from pathlib import Path

    from ftlang.cli import fixes

    done = fixes.Done(0, frozenset())
    for _ in range(fixes.ROUNDS):
        try:
            now = fixes.applied(found, map(Path, entries))
        except OSError as refused:
            what = f"`{refused.filename}` cannot be mended: {refused.strerror}"
            raise Refusal(what) from refused
        if not now.number:
            break
        done = fixes.Done(done.number + now.number, done.files | now.files)
        found = _found(entries, options)
    return done, found


def _report(found: list[Diagnostic], entries: list[str], arguments: argparse.Namespace) -> None:
    if arguments.format == "json":
        from ftlang.report import json

        terminal.put(json.render(found, entries, LEVEL))
    elif arguments.format == "short":
        from ftlang.report import short

        terminal.put(short.render(found))
    elif found:
        terminal.show(found, arguments)
        mendable = sum(d.fix is not None for d in found)
        if mendable and not arguments.fix:
            print(f"`ftc check --fix` can fix {mendable} of them.", file=sys.stderr)
    else:
        files = counted(len(entries), "file")
        print(f"{files} checked at level {LEVEL}: no problems.", file=sys.stderr)
