"""`dataset NAME { … }` and `data { … }`: which rows, in which format, cut at which length."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from collections.abc import Mapping
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import METHOD_CONFIG, Block, Family
from ftlang.schema.constructors import EVAL, FORMAT, SOURCE, TRAIN
from ftlang.schema.later import MIXING
from ftlang.schema.numbers import Int
from ftlang.schema.python import Python, UserCode
from ftlang.schema.rows import LossOn, Rowsets
from ftlang.schema.sources import Files, Format, Reference, Split
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice, Flag, ListOf, Text, Word

LOSS_ON = LossOn(Choice(("assistant",), planned=("last_assistant", "completion", "everything")))
THINKING = Choice(("keep", "strip_history", "strip"))


class Dataset(Block):
    """Rows, declared once and named everywhere."""

    source: Annotated[Files, SOURCE, Doc("Where the rows come from.")]
    format: Annotated[
        Format | None,
        FORMAT,
        Doc("How a row is laid out; absent: inferred from its columns."),
    ] = None
    splits: Annotated[
        tuple[str, ...],
        ListOf(Word("the name of a split")),
        Doc("The splits that the source has, named as `dataset.split`.", planned=True),
    ] = ()
    filter: Annotated[
        UserCode | None, Python(("row",)), Doc("Which rows are kept.", planned=True)
    ] = None
    map: Annotated[
        UserCode | None, Python(("row",)), Doc("A change of each row.", planned=True)
    ] = None
    limit: Annotated[
        int | None, Int(at_least=1, counts=True), Doc("The first so many rows.", planned=True)
    ] = None
    shuffle: Annotated[bool, Flag(), Doc("Put the rows into a seeded order.", planned=True)] = False
    stream: Annotated[
        bool, Flag(), Doc("Read while training, never all at once.", planned=True)
    ] = False
    loss_on: Annotated[
        tuple[str, ...] | str | None,
        LOSS_ON,
        Doc("Whose words carry loss in these rows; absent: as `data` says.", planned=True),
    ] = None
    thinking: Annotated[
        str | None,
        THINKING,
        Doc("What becomes of reasoning in these rows; absent: as `data` says.", planned=True),
    ] = None
    kind: str = ""


class Data(Block):
    """What is trained and evaluated on."""

    families: ClassVar[Mapping[str, Family]] = {"mixing": MIXING}
    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)

    train: Annotated[Files | Reference, Rowsets(TRAIN), Doc("The rows to train on.")]
    eval: Annotated[
        Files | Reference | Split | None,
        Rowsets(EVAL, named=True),
        Doc("The rows to evaluate on, or a share to cut off."),
    ] = None
    format: Annotated[
        Format | None,
        FORMAT,
        Doc("How a row of `files(…)` is laid out; absent: inferred from its columns."),
    ] = None
    max_length: Annotated[
        int | None,
        Int(at_least=8, counts=True, or_none=True, warn_si=True),
        Doc("The longest row in tokens; `none` for no bound.", "SFTConfig.max_length"),
    ] = 2048
    too_long: Annotated[
        str,
        Choice(("error",), planned=("drop", "truncate", "split")),
        Doc("What happens to a longer row."),
    ] = "error"
    loss_on: Annotated[
        tuple[str, ...] | str,
        LOSS_ON,
        Doc("Whose words carry loss."),
    ] = "assistant"
    packing: Annotated[
        str | bool,
        Choice(("bfd",), planned=("bfd_split", "wrapped"), or_false=True),
        Doc(
            "Put several conversations into one row of max_length (best-fit decreasing).",
            "SFTConfig.packing",
        ),
    ] = False
    system: Annotated[
        str | None, Text(), Doc("The system message where a row has none.", planned=True)
    ] = None
    template: Annotated[
        str | None,
        Word("the name of a chat template"),
        Doc("The chat template; absent: the tokenizer's.", planned=True),
    ] = None
    thinking: Annotated[
        str, THINKING, Doc("What becomes of reasoning in the rows.", planned=True)
    ] = "keep"
    limit: Annotated[
        int | None, Int(at_least=1, counts=True), Doc("The first so many rows.", planned=True)
    ] = None
    shuffle: Annotated[
        bool, Flag(), Doc("Put the rows into a seeded order once.", planned=True)
    ] = False
    special_tokens_in_text: Annotated[
        str,
        Choice(("error", "escape", "allow")),
        Doc("What happens to control tokens in a row's text.", planned=True),
    ] = "error"
    tools: Annotated[
        str | None,
        Text(),
        Doc("The column of a row's tools.", planned=True),
    ] = None
    kind: str = ""


DATASET = Family(
    "dataset",
    {"": Dataset},
    default=None,
    doc="Rows, declared once and named everywhere.",
)
DATA = Family("data", {"": Data}, default=None, doc="What is trained and evaluated on.")
