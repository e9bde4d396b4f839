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
    """At most three names that the word may have meant: the nearest by edits, or those it begins.

    Near is within 2 edits or a third of the word's length; a word of three letters allows one.
    Names at the same distance keep their order.
    """
    known = list(dict.fromkeys(names))
    bound = max(2, len(word) // 3) if len(word) > 3 else 1
    scored = [(edit_distance(word.lower(), n.lower()), n) for n in known]
    scored.sort(key=lambda pair: pair[0])
    close = [(d, n) for d, n in scored if d <= bound and d < max(len(word), len(n))]
    if close:
        return [n for d, n in close if d == close[0][0]][:3]
    begun = [n for n in known if len(word) >= 3 and n.lower().startswith(word.lower())]
    return begun[:3]


def did_you_mean(word: str, names: Iterable[str]) -> tuple[str, ...]:
    """Help lines for a misspelt word, empty when nothing is near."""
    candidates = near(word, names)
    if not candidates:
        return ()
    return ("did you mean " + " or ".join(f"`{c}`" for c in candidates) + "?",)
