"""Diagnostics for people: the message, the lines it is about, why, and ways out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ftlang.diagnostics import Diagnostic, Severity, in_order
from ftlang.record import Record
from ftlang.report.cells import laid_out, plain, window
from ftlang.report.counted import counted
from ftlang.report.secrets import masked
from ftlang.source import SourceFile, Span

LIMIT = 20
_LONGEST = 120  # characters of a source line that are printed
_CONTEXT = 6  # lines of a context that are shown whole
_INK = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}
_FRAME = "34"


class Style(Record):
    """How the terminal is: `colour` adds ANSI codes, `ascii_only` draws without box characters."""

    colour: bool = False
    ascii_only: bool = False

    def ink(self, code: str, text: str) -> str:
        """The text in a colour, where colours are on."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


class _Mark(Record):
    """A range of characters of one line to underline, `[start, end)` counted from 0."""

    line: int
    start: int
    end: int
    message: str
    primary: bool


def render(found: Iterable[Diagnostic], style: Style = Style(), outcome: str = "") -> str:
    """Every diagnostic in order, at most `LIMIT` of them, and the closing line.

    `outcome` ends the closing line, such as "Nothing was written."  Empty without diagnostics.
    """
    ordered = in_order(found)
    if not ordered:
        return ""
    blocks = [_block(d, style) for d in masked(_selected(ordered))]
    hidden = len(ordered) - len(blocks)
    if hidden:
        blocks.append(f"{hidden} more not shown.\n")
    return "\n".join([*blocks, _closing(ordered, outcome)])


def _selected(ordered: list[Diagnostic]) -> list[Diagnostic]:
    """The first `LIMIT`, errors before the rest, still in order."""
    by_weight = sorted(ordered, key=lambda d: list(Severity).index(d.severity))
    kept = {id(d) for d in by_weight[:LIMIT]}
    return [d for d in ordered if id(d) in kept]


def _closing(found: Sequence[Diagnostic], outcome: str) -> str:
    counts = [
        counted(number, severity.value)
        for severity in Severity
        if (number := sum(d.severity is severity for d in found))
    ]
    files = len({d.span.source.name for d in found})
    tail = f" {outcome}" if outcome else ""
    return f"{_listed(counts)} in {counted(files, 'file')}.{tail}\n"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _block(d: Diagnostic, style: Style) -> str:
    marks: dict[SourceFile, list[_Mark]] = {d.span.source: list(_marks(d.span, d.label, True))}
    places = {d.span.source: d.span}
    for label in d.labels:
        source = label.span.source
        marks.setdefault(source, []).extend(_marks(label.span, label.message, False))
        places.setdefault(source, label.span)
    shown = {source: _lines(source, marks[source], d.context) for source in marks}
    gutter = max(len(str(lines[-1])) for lines in shown.values())
    head = style.ink(_INK[d.severity], f"{d.severity}[{d.code}]")
    rows = [f"{head}: {style.ink('1', plain(d.message, style.ascii_only))}"]
    for source, lines in shown.items():
        rows += _section(places[source], lines, marks[source], d, gutter, style)
    rows += [row for note in d.notes for row in _remark("why", [note], gutter, style)]
    rows += _remark("help", d.help, gutter, style)
    return "".join(f"{row}\n" for row in rows)


def _marks(span: Span, message: str, primary: bool) -> Iterator[_Mark]:
    """The underlines of a span: one, or the first and the last line of a long one."""
    source = span.source
    line, column = source.position(span.start)
    last, end = source.position(max(span.start, span.end - 1))
    if line == last:
        yield _Mark(line, column - 1, end, message, primary)
        return
    yield _Mark(line, column - 1, max(column, len(source.line(line).rstrip())), "", primary)
    text = source.line(last)
    indent = min(len(text) - len(text.lstrip()), end - 1)
    yield _Mark(last, indent, end, message, primary)


def _lines(source: SourceFile, marks: list[_Mark], context: Span | None) -> list[int]:
    """Numbers of the lines to print: the marked ones, context, and gaps of one line."""
    wanted = {mark.line for mark in marks}
    if context is not None and context.source is source:
        first = context.line
        last = source.position(max(context.start, context.end - 1))[0]
        wanted |= set(range(first, last + 1)) if last - first < _CONTEXT else {first}
    wanted |= {number + 1 for number in wanted if number + 2 in wanted}
    return sorted(wanted)


def _section(
    place: Span, lines: list[int], marks: list[_Mark], d: Diagnostic, gutter: int, style: Style
) -> Iterator[str]:
    """The part of a block that shows one file."""
    corner, bar, gap = ("+-", "|", ":") if style.ascii_only else ("┌─", "│", "┆")
    pad = " " * gutter
    source = place.source
    line, column = source.position(place.start)
    name = plain(source.name, ascii_only=False)
    yield f"{pad}{style.ink(_FRAME, corner)} {name}:{line}:{column}"
    if not source.text:
        return
    if source is d.span.source:
        yield pad + style.ink(_FRAME, bar)
    for before, number in zip([lines[0] - 1, *lines], lines, strict=False):
        if number != before + 1:
            yield pad + style.ink(_FRAME, gap)
        here = sorted((m for m in marks if m.line == number), key=lambda m: not m.primary)
        text, underlines = _underlined(source.line(number), here, d.severity, style)
        yield style.ink(_FRAME, f"{number:>{gutter}}{bar}") + (f" {text}" if text else "")
        for underline in underlines:
            yield f"{pad}{style.ink(_FRAME, bar)} {underline}"


def _underlined(
    line: str, marks: list[_Mark], severity: Severity, style: Style
) -> tuple[str, list[str]]:
    """A source line as printed, and a row of carets or dashes for each mark."""
    first, last = window(line, marks[0].start if marks else 0, _LONGEST)
    dots = "..." if style.ascii_only else "…"
    before, after = dots if first else "", dots if last < len(line) else ""
    cells = laid_out(line[first:last])
    rows = []
    for mark in marks:
        start = cells.column(max(mark.start - first, 0))
        size = max(cells.column(max(mark.end - first, 0)) - start, 1)
        ink = _INK[severity] if mark.primary else _FRAME
        message = f" {plain(mark.message, style.ascii_only)}" if mark.message else ""
        underline = style.ink(ink, ("^" if mark.primary else "-") * size + message)
        rows.append(" " * (len(before) + start) + underline)
    return f"{before}{cells.text.rstrip()}{after}", rows


def _remark(head: str, texts: Sequence[str], gutter: int, style: Style) -> Iterator[str]:
    """`= help: …`, numbered if there are several, later lines indented below the first."""
    lead = f"{' ' * gutter}{style.ink(_FRAME, '=')} {style.ink('1', f'{head}:')} "
    hanging = " " * (gutter + len(f"= {head}: "))
    for number, text in enumerate(texts, 1):
        if len(texts) > 1:
            text = f"{number}. {text}"
        for at, part in enumerate(text.splitlines()):
            indent = hanging if at or number > 1 else lead
            yield indent + ("   " if at and len(texts) > 1 else "") + plain(part, style.ascii_only)
