"""The registry of rules: a rule's docstring is its page, its explanation and its test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ftlang.diagnostics import Diagnostic
from ftlang.record import Record
from ftlang.schema.run import Spec

Check = Callable[[Spec], Iterator[Diagnostic]]


class Rule(Record):
    """One rule: its code, its name, and the function that finds its diagnostics."""

    code: str
    name: str
    check: Check

    @property
    def title(self) -> str:
        """The first line of the docstring."""
        return (self.check.__doc__ or "").strip().split("\n")[0].rstrip(".")

    def section(self, heading: str) -> str:
        """The text under `Why:`, `Wrong:` or `Right:`, its indent taken off."""
        from inspect import cleandoc  # a check reads no page

        text = cleandoc(self.check.__doc__ or "")
        match = re.search(rf"^{heading}:\n((?:[ \t]+.*\n?|\n)+)", text, re.MULTILINE)
        return cleandoc(match.group(1)) if match else ""


_RULES: dict[str, Rule] = {}


def rule(code: str, name: str) -> Callable[[Check], Check]:
    """Registers a check under its code; raises ValueError when the code is taken."""

    def register(check: Check) -> Check:
        if code in _RULES:
            raise ValueError(f"{code} is taken by {_RULES[code].name}")
        _RULES[code] = Rule(code, name, check)
        return check

    return register


def rules() -> tuple[Rule, ...]:
    """All rules in the order of their codes."""
    from ftlang.rules import (  # noqa: F401
        adapters,
        bases,
        batch,
        best,
        data,
        loading,
        model,
        modules,
        optimizer,
        precision,
        rank,
        saving,
        schedule,
        sources,
        starts,
    )

    return tuple(_RULES[code] for code in sorted(_RULES))


def check(spec: Spec, disabled: frozenset[str] = frozenset()) -> list[Diagnostic]:
    """What every rule, less the disabled ones, finds in a spec."""
    return [d for r in rules() if r.code not in disabled for d in r.check(spec)]


def codes() -> list[tuple[str, str]]:
    """Code and title of each rule."""
    return [(r.code, r.title) for r in rules()]


def page(code: str) -> str | None:
    """The page of a rule as text, or None for a code that is no rule's."""
    found = next((r for r in rules() if r.code == code), None)
    if found is None:
        return None
    parts = [f"{found.code} · {found.name}", found.title + "."]
    for heading in ("Why", "Wrong", "Right"):
        body = found.section(heading)
        shown = body if heading == "Why" else "\n".join("    " + row for row in body.split("\n"))
        parts.append(f"{heading}\n{shown}")
    return "\n\n".join(parts) + "\n"
