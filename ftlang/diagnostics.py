"""Diagnostics are values: made anywhere, collected, sorted and rendered last (`report/`)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from ftlang.record import Record
from ftlang.source import Span


class Severity(StrEnum):
    """How bad it is: only errors stop the compiler."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Label(Record):
    """A second place that explains a diagnostic, such as where a value was inherited from."""

    span: Span
    message: str


class Edit(Record):
    """A machine-applicable fix: put `text` in place of what `span` covers."""

    span: Span
    text: str


class Diagnostic(Record):
    """One finding.

    `message` is one line without a final stop and names what the user wrote.  `span` is tight;
    `context` is the wider block to show.  `notes` say why, `help` names ways out in the
    imperative.  `label` stands beside the carets under `span`.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    label: str = ""
    context: Span | None = None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    fix: Edit | None = None


def error(code: str, message: str, span: Span, **more: object) -> Diagnostic:
    """A diagnostic of severity error; `more` are the other fields of `Diagnostic`."""
    return Diagnostic(code, Severity.ERROR, message, span, **more)  # type: ignore[arg-type]


def warning(code: str, message: str, span: Span, **more: object) -> Diagnostic:
    """A diagnostic of severity warning; `more` are the other fields of `Diagnostic`."""
    return Diagnostic(code, Severity.WARNING, message, span, **more)  # type: ignore[arg-type]


def has_errors(found: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops the compiler."""
    return any(d.severity is Severity.ERROR for d in found)


def in_order(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file, offset and code, each distinct diagnostic once."""
    unique = dict.fromkeys(found)
    return sorted(unique, key=lambda d: (d.span.source.name, d.span.start, d.span.end, d.code))
