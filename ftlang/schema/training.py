"""`method`, `optimizer`, `schedule`, `training`, `hardware`: how the weights move, and on what."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import Annotated, ClassVar

from ftlang.schema.block import Block, Family
from ftlang.schema.numbers import Amount, Float, Int
from ftlang.schema.types import Doc
from ftlang.schema.units import NATURAL, Quantity
from ftlang.schema.words import Choice, Flag

ONE_EPOCH = Quantity(1, "epochs")
ONE = Quantity(1, NATURAL)
SIXTEEN = Quantity(16, NATURAL)


class Sft(Block):
    """Supervised fine-tuning: the assistant's words are learnt as they stand."""

    planned: ClassVar[frozenset[str]] = frozenset({"loss_type"})
    kind: str = "sft"


METHOD = Family(
    "method",
    {"sft": Sft},
    default=None,
    later=(
        *(
            "pretrain",
            "dpo",
            "kto",
            "reward_model",
            "orpo",
            "simpo",
            "cpo",
            "grpo",
            "rloo",
            "ppo",
        ),
        *("online_dpo", "gkd", "distillation"),
    ),
    doc="What is learnt from the rows.",
)


class Optimizer(Block):
    """An optimizer without moments to set."""

    learning_rate: Annotated[
        float | None,
        Float(above=0.0),
        Doc(
            "Peak learning rate; absent: 1e-4 for adapters, 1e-5 for full tuning.",
            "SFTConfig.learning_rate",
        ),
    ] = None
    weight_decay: Annotated[
        float,
        Float(at_least=0.0),
        Doc("Decoupled weight decay.", "SFTConfig.weight_decay"),
    ] = 0.0
    max_grad_norm: Annotated[
        float,
        Float(at_least=0.0),
        Doc("Gradients are clipped to this norm.", "SFTConfig.max_grad_norm"),
    ] = 1.0
    kind: str = "sgd"


class Adam(Optimizer):
    """AdamW and its 8-bit and paged forms (arXiv:1711.05101)."""

    adam_beta1: Annotated[
        float,
        Float(at_least=0.0, at_most=0.9999999),
        Doc("Decay of the first moment.", "SFTConfig.adam_beta1"),
    ] = 0.9
    adam_beta2: Annotated[
        float,
        Float(at_least=0.0, at_most=0.9999999),
        Doc("Decay of the second moment.", "SFTConfig.adam_beta2"),
    ] = 0.999
    adam_epsilon: Annotated[
        float,
        Float(above=0.0),
        Doc("Added to the denominator.", "SFTConfig.adam_epsilon"),
    ] = 1e-8
    kind: str = "adamw_torch_fused"


ADAMS = (
    *("adamw_torch_fused", "adamw_torch", "adamw_8bit", "adamw_bnb_8bit"),
    *("paged_adamw_8bit", "paged_adamw_32bit"),
)

OPTIMIZER = Family(
    "optimizer",
    {**dict.fromkeys(ADAMS, Adam), "adafactor": Optimizer, "sgd": Optimizer},
    default="adamw_torch_fused",
    later=(
        "lion_8bit",
        "lion_32bit",
        "ademamix",
        "rmsprop",
        "adagrad",
        "schedule_free_adamw",
        "muon",
        "custom",
    ),
    doc="How gradients move the weights.",
)


class Constant(Block):
    """The learning rate never changes (the library's `constant` has no warm-up)."""

    kind: str = "constant"


class Warmed(Block):
    """A schedule that rises linearly before it starts."""

    warmup: Annotated[
        Quantity | float,
        Amount(("steps",), share=True, example="3%` or `200 steps"),
        Doc(
            "How long the rate rises from 0: a share of all steps, or steps.",
            "SFTConfig.warmup_steps",
        ),
    ] = 0.03
    kind: str = "cosine"


Schedule = Constant | Warmed

SCHEDULE = Family(
    "schedule",
    {
        "cosine": Warmed,
        "linear": Warmed,
        "constant_with_warmup": Warmed,
        "constant": Constant,
    },
    default="cosine",
    later=(
        *(
            "warmup_stable_decay",
            "cosine_with_min_lr",
            "cosine_with_restarts",
            "polynomial",
        ),
        *("inverse_sqrt", "reduce_lr_on_plateau", "cosine_warmup_with_min_lr"),
    ),
    doc="How the learning rate changes over the run.",
)


class Training(Block):
    """How long, in which batches, at which precision."""

    planned: ClassVar[frozenset[str]] = frozenset(
        {
            "neftune_noise_alpha",
            "torch_compile",
            "profiler",
            "deterministic",
            "group_by_length",
            "generation_batch",
        }
    )

    duration: Annotated[
        Quantity,
        Amount(("epochs", "steps"), planned=("tokens",), whole=False),
        Doc("How long to train: `3 epochs` or `500 steps`."),
    ] = ONE_EPOCH
    batch: Annotated[
        Quantity,
        Amount(
            ("seqs", "rows", "tokens"),
            natural=NATURAL,
            planned=("pairs", "prompts", "completions"),
        ),
        Doc("One optimizer step over all devices: `64 seqs`; packed, `16 rows` or `32Ki tokens`."),
    ] = SIXTEEN
    micro_batch: Annotated[
        Quantity,
        Amount(
            ("seqs", "rows"),
            natural=NATURAL,
            planned=("pairs", "prompts", "completions"),
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
    kind: str = ""


TRAINING = Family("training", {"": Training}, doc="How long, in which batches, at which precision.")


class Hardware(Block):
    """What the run is meant for.  Without `gpus_per_node` the script takes what it finds."""

    planned: ClassVar[frozenset[str]] = frozenset({"nodes", "gpu", "gpu_memory"})

    gpus_per_node: Annotated[
        int | None,
        Int(at_least=0, at_most=1024),
        Doc("How many devices; 0 for a CPU, absent for what is there."),
    ] = None
    kind: str = ""


HARDWARE = Family("hardware", {"": Hardware}, doc="What the run is meant for.")
