"""A secret that somebody wrote into a spec must not travel on into a log."""

from __future__ import annotations

from collections.abc import Sequence

from ftlang.diagnostics import Diagnostic, Label
from ftlang.record import replaced
from ftlang.source import SourceFile, Span

WRITTEN_OUT = "FT139"


def masked(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics over texts in which every secret that FT139 found is crossed out."""
    secrets = [d.span for d in found if d.code == WRITTEN_OUT]
    if not secrets:
        return list(found)
    hidden: dict[int, SourceFile] = {}
    for span in secrets:
        source = hidden.get(id(span.source), span.source)
        crossed = "".join(c if c in '"\r\n' else "*" for c in span.text)
        text = source.text[: span.start] + crossed + source.text[span.end :]
        # A text from the command line is named by its content.
        name = source.name.replace(span.text, crossed) if span.text else source.name
        hidden[id(span.source)] = SourceFile(name, text, source.path)
    return [_over(d, hidden) for d in found]


def _over(d: Diagnostic, hidden: dict[int, SourceFile]) -> Diagnostic:
    def moved(span: Span) -> Span:
        return Span(hidden.get(id(span.source), span.source), span.start, span.end)

    labels = tuple(Label(moved(label.span), label.message) for label in d.labels)
    context = moved(d.context) if d.context is not None else None
    return replaced(d, span=moved(d.span), labels=labels, context=context)
