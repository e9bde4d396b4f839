"""What the language has and this release lacks: one diagnostic at the word, nothing else."""

from __future__ import annotations

from ftlang.diagnostics import Diagnostic, error
from ftlang.source import Span


def planned(span: Span, what: str) -> Diagnostic:
    """FT501 for a construct of the language that a later release emits."""
    return error(
        "FT501",
        f"{what} is not in this release of ftc",
        span,
        notes=("the word is part of the language, but nothing is emitted for it yet",),
        help=("remove it, or wait for the release that has it (`ftc version` prints yours)",),
    )
