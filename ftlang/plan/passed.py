"""Library arguments that a block passes on: each under its own name, with its value as Python."""

from __future__ import annotations

from ftlang.plan.script import Argument, Entries, Expression, Items
from ftlang.schema.block import Block
from ftlang.schema.given import Map


def passed_arguments(block: Block, path: str) -> tuple[tuple[str, Expression, str], ...]:
    """Name, value and spec path of each argument that the block passes on, in its order."""
    return tuple((name, expression(value), f"{path}.{name}") for name, value in block.passed.pairs)


def expression(value: object) -> Expression:
    """A value of the Spec as an expression; raises TypeError for one that has no such form."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return Items(tuple(expression(item) for item in value))
    if isinstance(value, Map):
        return Entries(tuple(Argument(key, expression(item)) for key, item in value.pairs))
    raise TypeError(f"no expression for {type(value).__name__}")
