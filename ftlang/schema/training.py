"""`training`: how long, in which batches, at which precision."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import METHOD_CONFIG, Block, Family
from ftlang.schema.numbers import Amount, Int
from ftlang.schema.types import Doc
from ftlang.schema.units import NATURAL, Quantity
from ftlang.schema.words import Choice, Flag

ONE_EPOCH = Quantity(1, "epochs")
ONE = Quantity(1, NATURAL)
SIXTEEN = Quantity(16, NATURAL)


class Training(Block):
    """How long, in which batches, at which precision."""

    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)

    duration: Annotated[
        Quantity,
        Amount(("epochs", "steps"), planned=("tokens",), whole=False),
        Doc("How long to train: `3 epochs` or `500 steps`."),
    ] = ONE_EPOCH
    batch: Annotated[
        Quantity,
        Amount(
            ("seqs", "rows", "tokens", "pairs", "prompts", "completions"),
            natural=NATURAL,
        ),
        Doc("One optimizer step over all devices: `64 seqs`; packed, `16 rows` or `32Ki tokens`."),
    ] = SIXTEEN
    micro_batch: Annotated[
        Quantity,
        Amount(
            ("seqs", "rows", "pairs", "prompts", "completions"),
            natural=NATURAL,
        ),
        Doc(
            "What one device computes at a time.",
            "SFTConfig.per_device_train_batch_size",
        ),
    ] = ONE
    precision: Annotated[
        str | None,
        Choice(("bf16", "fp16", "fp32", "bf16_pure"), planned=("fp8",)),
        Doc("How the steps compute; absent: bf16 by autocast on a GPU, fp32 on a CPU."),
    ] = None
    activation_checkpointing: Annotated[
        bool | None,
        Flag(),
        Doc(
            "Recompute activations to save memory; absent: on a GPU.",
            "SFTConfig.activation_checkpointing",
        ),
    ] = None
    seed: Annotated[
        int,
        Int(at_least=0, at_most=2**32 - 1),
        Doc("Of everything random.", "SFTConfig.seed"),
    ] = 42
    generation_batch: Annotated[
        Quantity | None,
        Amount(("completions", "prompts")),
        Doc("Answers that are sampled at a time, over all devices.", planned=True),
    ] = None
    profiler: Annotated[
        bool, Flag(), Doc("Record where the first steps spend their time.", planned=True)
    ] = False
    kind: str = ""


TRAINING = Family("training", {"": Training}, doc="How long, in which batches, at which precision.")
