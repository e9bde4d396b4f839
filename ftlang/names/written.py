"""The names that a text mentions, whatever they turn out to mean."""

from __future__ import annotations

import re

from ftlang.record import Record
from ftlang.syntax import ast

# `${name}`, and `$${` for a literal `${`.
INTERPOLATION = re.compile(r"\$(\$)?\{(?(1)|([^}]*)\}?)")


def words_in(node: object) -> set[str]:
    """The first part of each path, variable and interpolation below a node."""
    words: set[str] = set()
    todo = [node]
    while todo:
        one = todo.pop()
        match one:
            case tuple():
                todo += one
            case ast.Var():
                words.add(one.name.partition(".")[0])
            case ast.Path(parts=(ast.Name(text=text), *_)):
                words.add(text)
            case ast.Str() if "${" in one.value:
                inside = (m.group(2) or "" for m in INTERPOLATION.finditer(one.value))
                words |= {text.strip().partition(".")[0] for text in inside}
            case Record():
                todo += [v for v in one.__dict__.values() if isinstance(v, Record | tuple)]
    return words
