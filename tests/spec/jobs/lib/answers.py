"""Reading answers: shared by the rewards, shipped with a run by `modules = [path("lib/")]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def text(completion: str | Sequence[dict[str, str]]) -> str:
    """What the model said, whether the rows are plain text or conversations."""
    if isinstance(completion, str):
        return completion
    return "".join(message.get("content") or "" for message in completion)


def final_number(answer: str, marker: str = "####") -> Decimal | None:
    """The number behind the last marker, or None where there is no marker or no number."""
    _, found, tail = answer.rpartition(marker)
    match = NUMBER.search(tail) if found else None
    if match is None:
        return None
    try:
        return Decimal(match.group().replace(",", ""))
    except InvalidOperation:
        return None
