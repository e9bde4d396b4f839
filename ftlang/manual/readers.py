"""Which rules look at a field, read off their source: attributes of the Spec, and paths in text."""

from __future__ import annotations

import inspect
import re
from functools import cache

from ftlang.rules.registry import Rule, rules

_ATTRIBUTE = re.compile(r"\bspec\.([a-z_]+(?:\.[a-z_]+)*)")
_PATH = re.compile(r'"([a-z_]+(?:\.[a-z_]+)+)"')


def rules_on(path: str) -> tuple[Rule, ...]:
    """The rules whose own code names the field, in the order of their codes.

    A rule that reads a field through a function of another module is not seen.
    """
    return tuple(rule for rule in rules() if path in _named(rule))


@cache
def _named(rule: Rule) -> frozenset[str]:
    try:
        source = inspect.getsource(rule.check)
    except OSError:  # an installation without sources
        return frozenset()
    body = source.replace(inspect.getdoc(rule.check) or "", "")
    return frozenset((*_ATTRIBUTE.findall(body), *_PATH.findall(body)))
