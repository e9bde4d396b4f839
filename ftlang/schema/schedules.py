"""`schedule`: how the learning rate changes over the run."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block, Family
from ftlang.schema.numbers import Amount
from ftlang.schema.types import Doc
from ftlang.schema.units import Quantity


class Scheduler(Block):
    """A schedule whose arguments are those of the library's function."""

    kind: str = ""


class Constant(Scheduler):
    """The learning rate never changes (the library's `constant` has no warm-up)."""

    kind: str = "constant"


class Warmed(Scheduler):
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


class Restarts(Warmed):
    """Several falls along a cosine, each from the top."""

    passes: ClassVar[tuple[str, ...]] = ("schedule.cosine_with_restarts",)
    kind: str = "cosine_with_restarts"


class Polynomial(Warmed):
    """A fall along a power of the steps that are left."""

    passes: ClassVar[tuple[str, ...]] = ("schedule.polynomial",)
    kind: str = "polynomial"


class InverseSqrt(Warmed):
    """A fall with the square root of the steps."""

    passes: ClassVar[tuple[str, ...]] = ("schedule.inverse_sqrt",)
    kind: str = "inverse_sqrt"


class MinLr(Warmed):
    """A cosine that stops at a lowest rate."""

    passes: ClassVar[tuple[str, ...]] = ("schedule.cosine_with_min_lr",)
    kind: str = "cosine_with_min_lr"


class WarmMinLr(Warmed):
    """The same, with a warm-up that starts above 0."""

    passes: ClassVar[tuple[str, ...]] = ("schedule.cosine_warmup_with_min_lr",)
    kind: str = "cosine_warmup_with_min_lr"


class WarmupStableDecay(Warmed):
    """A rise, a plateau, and a fall at the end (arXiv:2405.18392)."""

    passes: ClassVar[tuple[str, ...]] = ("schedule.warmup_stable_decay",)

    decay: Annotated[
        Quantity | float,
        Amount(("steps",), share=True, example="10%` or `200 steps"),
        Doc(
            "How long the rate falls at the end: a share of all steps, or steps.",
        ),
    ] = 0.1
    kind: str = "warmup_stable_decay"


Schedule = Scheduler

SCHEDULE = Family(
    "schedule",
    {
        "cosine": Warmed,
        "linear": Warmed,
        "constant_with_warmup": Warmed,
        "constant": Constant,
        "cosine_with_restarts": Restarts,
        "polynomial": Polynomial,
        "inverse_sqrt": InverseSqrt,
        "cosine_with_min_lr": MinLr,
        "cosine_warmup_with_min_lr": WarmMinLr,
        "warmup_stable_decay": WarmupStableDecay,
    },
    default="cosine",
    table="schedulers",
    other=Scheduler,
    doc="How the learning rate changes over the run.",
)
