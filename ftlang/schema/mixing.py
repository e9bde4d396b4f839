"""`mixing { … }` in `data`: how several sets become one stream."""

# Annotations stay unpostponed: the reader takes types and docs from them.

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block
from ftlang.schema.numbers import Int
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice


class Mixing(Block):
    """How several sets become one stream."""

    by: Annotated[
        str,
        Choice(("rows", "tokens")),
        Doc("What the shares are counted in.", planned=True),
    ] = "rows"
    stop: Annotated[
        str,
        Choice(("first_exhausted", "all_exhausted")),
        Doc("When it ends.", planned=True),
    ] = "first_exhausted"
    seed: Annotated[int, Int(at_least=0, at_most=2**32 - 1), Doc("Of the order.", planned=True)] = (
        42
    )
    kind: str = ""
