"""Near names for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable


def edit_distance(a: str, b: str) -> int:
    """Damerau-Levenshtein distance with adjacent transpositions (optimal string alignment)."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def near(word: str, names: Iterable[str]) -> list[str]:
    """At most three of the names within 2 edits or a third of the word's length, nearest first."""
    bound = max(2, len(word) // 3)
    scored = [(edit_distance(word.lower(), n.lower()), n) for n in names]
    within = sorted(
        (d, n) for d, n in scored if d <= bound and d < max(len(word), len(n))
    )
    return [n for _, n in within[:3]]


def did_you_mean(word: str, names: Iterable[str]) -> tuple[str, ...]:
    """Help lines for a misspelt word, empty when nothing is near."""
    candidates = near(word, names)
    if not candidates:
        return ()
    return ("did you mean " + " or ".join(f"`{c}`" for c in candidates) + "?",)
