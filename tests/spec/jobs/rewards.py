"""Rewards of the RL jobs: each takes a batch of completions and gives one number a completion."""

from __future__ import annotations

from typing import Any

from answers import final_number, text


def correct(completions: list[Any], answer: list[str], **columns: object) -> list[float]:
    """1 where the final number equals the one in the data set's solution, else 0."""
    said = [final_number(text(completion)) for completion in completions]
    truth = [final_number(solution) for solution in answer]
    return [float(s is not None and s == t) for s, t in zip(said, truth, strict=True)]


def ends_with_answer(
    completions: list[Any], marker: str = "####", **columns: object
) -> list[float]:
    """1 where the last line holds the marker and a number, else 0."""
    scores = []
    for completion in completions:
        lines = text(completion).strip().splitlines()
        scores.append(float(bool(lines) and final_number(lines[-1], marker) is not None))
    return scores


def brief(completions: list[Any], most: int = 120, **columns: object) -> list[float]:
    """1 up to `most` words, falling to 0 at twice as many."""
    words = [len(text(completion).split()) for completion in completions]
    return [min(1.0, max(0.0, 2.0 - count / most)) for count in words]
