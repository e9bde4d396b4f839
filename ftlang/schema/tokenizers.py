"""`tokenizer { … }` and `template NAME { … }`: how text becomes tokens."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block, Family
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice, ListOf, Text


class Tokenizer(Block):
    """How the tokenizer loads, and what is added to it."""

    passes: ClassVar[tuple[str, ...]] = ("AutoTokenizer.from_pretrained",)

    add_tokens: Annotated[
        tuple[str, ...],
        ListOf(Text()),
        Doc("Tokens that it learns; the embeddings grow.", planned=True),
    ] = ()
    add_special_tokens: Annotated[
        tuple[str, ...],
        ListOf(Text()),
        Doc("Tokens that never stand for a row's text.", planned=True),
    ] = ()
    pad_token: Annotated[
        str | None, Text(), Doc("The token that pads; absent: the tokenizer's.", planned=True)
    ] = None
    eos_token: Annotated[str | None, Text(), Doc("The token that ends a text.", planned=True)] = (
        None
    )
    padding_side: Annotated[
        str | None, Choice(("left", "right")), Doc("Where padding goes.", planned=True)
    ] = None
    init: Annotated[
        str,
        Choice(("mean", "random")),
        Doc("How the embeddings of new tokens start.", planned=True),
    ] = "mean"
    kind: str = ""


TOKENIZER = Family("tokenizer", {"": Tokenizer}, doc="How text becomes tokens.")
