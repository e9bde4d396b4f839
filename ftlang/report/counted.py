"""A number with its noun."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number and its noun: `1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
