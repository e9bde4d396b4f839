"""One line per diagnostic, as compilers have always printed it; for editors and grep."""

from __future__ import annotations

from collections.abc import Iterable

from ftlang.diagnostics import Diagnostic, in_order
from ftlang.report.cells import plain


def render(found: Iterable[Diagnostic]) -> str:
    """`file:line:column: severity[code] message`, a line each, in order."""
    lines = []
    for d in in_order(found):
        line, column = d.span.source.position(d.span.start)
        message = plain(d.message, ascii_only=False)
        lines.append(f"{d.span.source.name}:{line}:{column}: {d.severity}[{d.code}] {message}\n")
    return "".join(lines)
