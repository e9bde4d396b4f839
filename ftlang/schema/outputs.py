"""`save`, `evaluate`, `report`: what a run leaves behind, and when it speaks."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import METHOD_CONFIG, Block, Family
from ftlang.schema.lookups import Place
from ftlang.schema.numbers import Amount, Int
from ftlang.schema.shapes import Either
from ftlang.schema.sources import LocalPath
from ftlang.schema.types import Doc
from ftlang.schema.units import NATURAL, Quantity
from ftlang.schema.words import Choice, ListOf, Text, Word
from ftlang.syntax import ast

_EVERY = Amount(("steps", "epochs"), whole=False, example="200 steps` or `1 epoch")
TEN_STEPS = Quantity(10, "steps")


class Save(Block):
    """Checkpoints on the way; the result itself is always saved."""

    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)

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
    resume: Annotated[
        str | LocalPath,
        Either(
            (
                ((ast.Path, ast.Str), Choice(("auto", "never", "force"))),
                ((ast.Call,), Place(own=False)),
            )
        ),
        Doc(
            "Where a second start goes on: `auto` from the last whole checkpoint, "
            '`path("…")` from that one, `never` from the beginning; `force` like `auto`, also '
            "where script, data or template differ."
        ),
    ] = "auto"
    best: Annotated[
        str | None,
        Word("a metric, or the name of an evaluation set"),
        Doc("Keep the checkpoint that is best by this.", planned=True),
    ] = None
    kind: str = ""


class Evaluate(Block):
    """The evaluation set's loss on the way, and answers to read."""

    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)

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
    batch: Annotated[
        Quantity | None,
        Amount(("seqs", "rows", "pairs"), natural=NATURAL),
        Doc(
            "What one device evaluates at a time; absent: the micro batch.",
            planned=True,
        ),
    ] = None
    early_stopping: Annotated[
        int | None,
        Int(at_least=1),
        Doc("End after so many evaluations without a better one.", planned=True),
    ] = None
    metrics: Annotated[
        tuple[str, ...],
        ListOf(Choice(("accuracy", "perplexity", "bleu", "rouge", "exact_match"))),
        Doc("What is measured beside the loss.", planned=True),
    ] = ()
    kind: str = ""


class Report(Block):
    """How often metrics are written, and to whom beside `metrics.jsonl`."""

    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)

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
