"""`ftc fmt`: lay specs out in the one way there is; nothing but whitespace changes."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from pathlib import Path

from ftlang.cli import terminal
from ftlang.cli.refusal import Refusal
from ftlang.cli.specs import specs
from ftlang.cli.write import place, replace
from ftlang.diagnostics import Diagnostic, has_errors
from ftlang.names.load import decoded, load
from ftlang.record import Record
from ftlang.report.counted import counted
from ftlang.source import SourceFile
from ftlang.syntax.format import formatted

STDIN = Path("-")


class Laid(Record):
    """A text and its layout."""

    source: SourceFile
    text: str

    @property
    def changes(self) -> bool:
        """Whether the layout is another than the text has."""
        return self.text != self.source.text


def exit_code(arguments: argparse.Namespace) -> int:
    """1 if a text has syntax errors, which leaves every file as it is, or (`--check`) changes."""
    piped = STDIN in arguments.paths
    if piped and len(arguments.paths) > 1:
        raise Refusal("`-` reads the one spec of standard input; name it alone")
    asks = arguments.check or arguments.diff
    laid, found = _laid([STDIN] if piped else map(Path, specs(arguments.paths)))
    broken = has_errors(found)
    terminal.show(found, arguments, "" if asks or piped else "Nothing was written.")
    changed = [each for each in laid if each.changes]
    if arguments.diff:
        terminal.put("".join(map(_diff, changed)))
    if piped and not asks:
        terminal.put("".join(each.text for each in laid))
    elif not asks and not broken:
        _write(changed)
    if laid and (asks or not (piped or broken)):
        _summarize(laid, changed, asks)
    return 1 if broken or (arguments.check and changed) else 0


def _laid(paths: Iterable[Path]) -> tuple[list[Laid], list[Diagnostic]]:
    """Every text with its layout, and why others have none."""
    laid: list[Laid] = []
    every: list[Diagnostic] = []
    for path in paths:
        if path == STDIN:
            source, found = decoded(sys.stdin.buffer.read(), "<stdin>")
        else:
            source, found = load(path)
        every += found
        if source is not None:
            text, found = formatted(source)
            every += found
            laid += [Laid(source, text)] if text is not None else []
    return laid, every


def _write(changed: Iterable[Laid]) -> None:
    files = {each.source.path: each.text.encode() for each in changed if each.source.path}
    try:
        replace({path.resolve(): content for path, content in files.items()})  # through links
    except OSError as refused:
        raise Refusal(f"`{refused.filename}` cannot be written: {refused.strerror}") from refused


def _summarize(laid: list[Laid], changed: list[Laid], asks: bool) -> None:
    for each in changed:
        print(f"{'Would reformat' if asks else 'Reformatted'} {each.source.name}", file=sys.stderr)
    files = counted(len(laid), "file")
    if not changed:
        print(f"{files}: nothing to reformat.", file=sys.stderr)
    else:
        done = "would be reformatted" if asks else "reformatted"
        print(f"{files}: {len(changed)} {done}.", file=sys.stderr)


def _diff(laid: Laid) -> str:
    name = place(laid.source.path) if laid.source.path else laid.source.name
    lines = unified_diff(
        list(_lines(laid.source.text)), list(_lines(laid.text)), f"a/{name}", f"b/{name}"
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str) -> Iterator[str]:
    """Lines with their ends; a CR is shown as part of its line, since the layout takes it out."""
    return (match[0] for match in re.finditer(r"[^\n]*\n|[^\n]+", text))
