"""`# ft: allow FT321 — reason`: what a comment silences, on its line or alone on the line above."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ftlang.diagnostics import Diagnostic, Severity, error, warning
from ftlang.record import Record
from ftlang.source import SourceFile, Span
from ftlang.syntax import tokens

FORM = "# ft: allow FT321 — the reason"
_COMMENT = re.compile(r"#+\s*ft:\s*(\S*)\s*(.*)")


class Allow(Record):
    """One code that a comment allows, and the line that it is for; `span` covers the code."""

    code: str
    line: int
    span: Span


def silenced(
    found: Sequence[Diagnostic], entry: SourceFile, told: Iterable[Span] | None
) -> list[Diagnostic]:
    """The diagnostics without the warnings and notes that a comment on their line allows.

    `told` are the parts of the entry file of which every warning is known, so that an allow in
    them that silences nothing can be reported (FT140); None where that is not so.
    """
    allows: dict[int, list[Allow]] = {}
    result: list[Diagnostic] = []
    used: set[Span] = set()
    for source in _sources(found, entry):
        allows[id(source)], wrong = _read(source)
        result += wrong if source is entry else []
    for one in found:
        span = one.span
        match = [
            a for a in allows.get(id(span.source), ()) if a.code == one.code and a.line == span.line
        ]
        used.update(a.span for a in match)
        if match and one.severity is Severity.ERROR:
            result.append(_not_an_error(match[0]))
        if not match or one.severity is Severity.ERROR:
            result.append(one)
    for allow in allows.get(id(entry), ()):
        inside = told is not None and any(
            s.start <= allow.span.start and allow.span.end <= s.end for s in _lines(told)
        )
        if inside and allow.span not in used:
            result.append(_unused(allow))
    return result


def _lines(spans: Iterable[Span]) -> Iterable[Span]:
    """The spans with the rest of their last line, where a comment may stand."""
    for span in spans:
        text = span.source.text
        end = next((i for i in range(span.end, len(text)) if text[i] in "\r\n"), len(text))
        yield Span(span.source, span.start, end)


def _sources(found: Iterable[Diagnostic], entry: SourceFile) -> list[SourceFile]:
    sources = {id(entry): entry} | {id(d.span.source): d.span.source for d in found}
    return [s for s in sources.values() if "ft:" in s.text]


def _read(source: SourceFile) -> tuple[list[Allow], list[Diagnostic]]:
    """The allows of a text, and what is wrong with its comments to ftc (FT141)."""
    allows: list[Allow] = []
    wrong: list[Diagnostic] = []
    for token in tokens(source):
        match = _COMMENT.match(token.text) if token.type == "COMMENT" else None
        if match is None:
            continue
        span = token.span(source)
        alone = not source.text[source.line_starts[span.line - 1] : span.start].strip()
        if match[1] != "allow":
            wrong.append(_malformed(span, f"`ft: {match[1]}` is no comment to ftc"))
            continue
        codes = re.match(r"(?:FT\d{3}[\s,]*)*", match[2])
        listed = codes[0] if codes else ""
        reason = match[2][len(listed) :].strip(" \t—–-:.")
        if not listed:
            wrong.append(_malformed(span, "this allow names no code"))
        elif not reason:
            wrong.append(_malformed(span, "this allow gives no reason"))
        else:
            offset = token.start + match.start(2)
            for code in re.finditer(r"FT\d{3}", listed):
                place = Span(source, offset + code.start(), offset + code.end())
                allows.append(Allow(code[0], span.line + alone, place))
    return allows, wrong


def _malformed(span: Span, message: str) -> Diagnostic:
    return error(
        "FT141",
        message,
        span,
        notes=("who reads it next must know why the warning does not count here",),
        help=(f"write `{FORM}`",),
    )


def _not_an_error(allow: Allow) -> Diagnostic:
    return error(
        "FT141",
        f"{allow.code} is an error here, which no comment allows",
        allow.span,
        help=("mend what it says, and remove the comment",),
    )


def _unused(allow: Allow) -> Diagnostic:
    return warning(
        "FT140",
        f"nothing here gives {allow.code}",
        allow.span,
        help=("remove it, or move it to the line that the warning names",),
    )
