"""`save`, `evaluate`, `report`: what a run leaves behind, and when it speaks."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import Annotated, ClassVar

from ftlang.schema.block import Block, Family
from ftlang.schema.numbers import Amount, Int
from ftlang.schema.types import Doc
from ftlang.schema.units import Quantity
from ftlang.schema.words import Choice, ListOf, Text

_EVERY = Amount(("steps", "epochs"), single="epochs", example="200 steps` or `1 epoch")
TEN_STEPS = Quantity(10, "steps")


class Save(Block):
    """Checkpoints on the way; the result itself is always saved."""

    planned: ClassVar[frozenset[str]] = frozenset({"resume", "best", "only_model"})

    every: Annotated[
        Quantity | None,
        _EVERY,
        Doc(
            "How often: `200 steps` or `1 epoch`; absent: every 500 steps.",
            "SFTConfig.save_steps",
        ),
    ] = None
    save_total_limit: Annotated[
        int | None,
        Int(at_least=1),
        Doc("Keep only the last so many.", "SFTConfig.save_total_limit"),
    ] = None
    kind: str = ""


class Evaluate(Block):
    """The evaluation set's loss on the way, and answers to read."""

    planned: ClassVar[frozenset[str]] = frozenset(
        {"metrics", "early_stopping", "batch", "at_start"}
    )

    every: Annotated[
        Quantity | None,
        _EVERY,
        Doc(
            "How often: `200 steps` or `1 epoch`; absent: each epoch where there is a set.",
            "SFTConfig.eval_steps",
        ),
    ] = None
    samples: Annotated[
        tuple[str, ...],
        ListOf(Text()),
        Doc("Questions answered greedily before, at each evaluation, and after."),
    ] = ()
    kind: str = ""


class Report(Block):
    """How often metrics are written, and to whom beside `metrics.jsonl`."""

    every: Annotated[
        Quantity,
        Amount(("steps",), example="10 steps"),
        Doc(
            "Steps between two lines of metrics; absent: 10, or the run if it is shorter.",
            "SFTConfig.logging_steps",
        ),
    ] = TEN_STEPS
    to: Annotated[
        tuple[str, ...],
        ListOf(
            Choice(
                (),
                planned=(
                    "wandb",
                    "tensorboard",
                    "mlflow",
                    "trackio",
                    "swanlab",
                    "comet_ml",
                ),
            )
        ),
        Doc("Trackers; only `[]` in this release."),
    ] = ()
    kind: str = ""


SAVE = Family("save", {"": Save}, doc="Checkpoints on the way.")
EVALUATE = Family("evaluate", {"": Evaluate}, doc="Evaluation on the way, and answers to read.")
REPORT = Family("report", {"": Report}, doc="How often metrics are written.")
