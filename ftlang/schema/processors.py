"""`processor { … }` and `template NAME { … }`: how pictures and conversations become tokens."""

# Annotations stay unpostponed: the reader takes types and docs from them.

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block
from ftlang.schema.numbers import Int
from ftlang.schema.shapes import FileText
from ftlang.schema.types import Doc
from ftlang.schema.words import Flag, ListOf, Text


class Processor(Block):
    """How pictures, sound and film become tokens."""

    min_pixels: Annotated[
        int | None, Int(at_least=1, counts=True), Doc("The smallest picture.", planned=True)
    ] = None
    max_pixels: Annotated[
        int | None, Int(at_least=1, counts=True), Doc("The largest picture.", planned=True)
    ] = None
    do_image_splitting: Annotated[
        bool | None, Flag(), Doc("Cut large pictures into tiles.", planned=True)
    ] = None
    kind: str = ""


class Template(Block):
    """A chat template of your own."""

    jinja: Annotated[str, FileText(), Doc("The template.", planned=True)]
    eos: Annotated[str | None, Text(), Doc("The token that ends a turn.", planned=True)] = None
    stop: Annotated[
        tuple[str, ...], ListOf(Text()), Doc("Further tokens that end an answer.", planned=True)
    ] = ()
    system: Annotated[
        str | None, Text(), Doc("The system message where a row has none.", planned=True)
    ] = None
    kind: str = ""
