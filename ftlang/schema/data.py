"""`dataset NAME { … }` and `data { … }`: which rows, in which format, cut at which length."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import Annotated, ClassVar

from ftlang.schema.block import Block, Family
from ftlang.schema.constructors import EVAL, FORMAT, SOURCE, TRAIN
from ftlang.schema.numbers import Int
from ftlang.schema.sources import Files, Format, Reference, Split
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice


class Dataset(Block):
    """Rows, declared once and named everywhere."""

    planned: ClassVar[frozenset[str]] = frozenset(
        {"splits", "filter", "map", "limit", "stream", "loss_on", "thinking"}
    )

    source: Annotated[Files, SOURCE, Doc("Where the rows come from.")]
    format: Annotated[
        Format | None,
        FORMAT,
        Doc("How a row is laid out; absent: inferred from its columns."),
    ] = None
    kind: str = ""


class Data(Block):
    """What is trained and evaluated on."""

    planned: ClassVar[frozenset[str]] = frozenset(
        {
            "system",
            "template",
            "mixing",
            "thinking",
            "limit",
            "shuffle",
            "special_tokens_in_text",
            "tools",
        }
    )

    train: Annotated[Files | Reference, TRAIN, Doc("The rows to train on.")]
    eval: Annotated[
        Files | Reference | Split | None,
        EVAL,
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
        str,
        Choice(("assistant",), planned=("last_assistant", "completion", "everything")),
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
    kind: str = ""


DATASET = Family(
    "dataset",
    {"": Dataset},
    default=None,
    doc="Rows, declared once and named everywhere.",
)
DATA = Family("data", {"": Data}, default=None, doc="What is trained and evaluated on.")
