"""`optimizer`: how gradients move the weights."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import METHOD_CONFIG, Block, Family
from ftlang.schema.numbers import Float, Int
from ftlang.schema.python import Python, UserCode
from ftlang.schema.types import Doc
from ftlang.schema.words import Flag


class Optimizer(Block):
    """An optimizer without settings of its own."""

    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)
    withheld: ClassVar[frozenset[str]] = frozenset({"optim_args", "optim_target_modules"})

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
    kind: str = "adafactor"


class Moments(Optimizer):
    """An optimizer with two decaying moments, such as Lion (arXiv:2302.06675)."""

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
    kind: str = "lion_32bit"


class Adam(Moments):
    """AdamW and its 8-bit and paged forms (arXiv:1711.05101)."""

    adam_epsilon: Annotated[
        float,
        Float(above=0.0),
        Doc("Added to the denominator.", "SFTConfig.adam_epsilon"),
    ] = 1e-8
    kind: str = "adamw_torch_fused"


class AdEmaMix(Adam):
    """AdamW with a second, slower average of gradients (arXiv:2409.03137)."""

    beta3: Annotated[
        float | None,
        Float(at_least=0.0, at_most=0.9999999),
        Doc("Decay of the slow average."),
    ] = None
    alpha: Annotated[
        float | None,
        Float(at_least=0.0),
        Doc("Weight of the slow average."),
    ] = None
    t_alpha: Annotated[
        int | None,
        Int(at_least=1),
        Doc("Steps over which alpha grows to its value."),
    ] = None
    t_beta3: Annotated[
        int | None,
        Int(at_least=1),
        Doc("Steps over which beta3 grows to its value."),
    ] = None
    kind: str = "ademamix"


class Sgd(Optimizer):
    """Stochastic gradient descent."""

    momentum: Annotated[
        float | None,
        Float(at_least=0.0),
        Doc("Share of the last step that is kept."),
    ] = None
    dampening: Annotated[
        float | None,
        Float(at_least=0.0),
        Doc("How much less the gradient counts in the momentum."),
    ] = None
    nesterov: Annotated[
        bool | None,
        Flag(),
        Doc("Look ahead by the momentum."),
    ] = None
    kind: str = "sgd"


class Adagrad(Optimizer):
    """Rates that shrink with the squares of all gradients so far."""

    lr_decay: Annotated[
        float | None,
        Float(at_least=0.0),
        Doc("Decay of the learning rate per step."),
    ] = None
    eps: Annotated[
        float | None,
        Float(above=0.0),
        Doc("Added to the denominator."),
    ] = None
    kind: str = "adagrad"


class RmsProp(Optimizer):
    """Rates by a decaying average of squared gradients."""

    momentum: Annotated[
        float | None,
        Float(at_least=0.0),
        Doc("Share of the last step that is kept."),
    ] = None
    alpha: Annotated[
        float | None,
        Float(at_least=0.0, at_most=0.9999999),
        Doc("Decay of the average."),
    ] = None
    eps: Annotated[
        float | None,
        Float(above=0.0),
        Doc("Added to the denominator."),
    ] = None
    centered: Annotated[
        bool | None,
        Flag(),
        Doc("Divide by the variance instead."),
    ] = None
    kind: str = "rmsprop"


class OtherOptimizer(Adam):
    """An optimizer of a package that is not among the tested ones."""

    withheld: ClassVar[frozenset[str]] = frozenset()
    kind: str = ""


class Custom(Optimizer):
    """An optimizer that the user's own function builds."""

    passes: ClassVar[tuple[str, ...]] = ()

    build: Annotated[
        UserCode | None,
        Python(("model", "learning_rate")),
        Doc("A function that returns the optimizer.", planned=True),
    ] = None
    kind: str = "custom"


ADAMS = (
    *("adamw_torch_fused", "adamw_torch", "adamw_8bit", "adamw_bnb_8bit"),
    *("paged_adamw_8bit", "paged_adamw_32bit"),
)
ADEMAMIXES = ("ademamix", "ademamix_8bit", "paged_ademamix_32bit", "paged_ademamix_8bit")
LIONS = ("lion_32bit", "lion_8bit", "paged_lion_32bit", "paged_lion_8bit")
# What needs the package of that name.
BITSANDBYTES = (
    *(kind for kind in ADAMS if "torch" not in kind),
    *LIONS,
    *ADEMAMIXES,
)
# Settings that the library takes as one string, `optim_args`.
OPTIM_ARGS = (
    *("momentum", "dampening", "nesterov", "lr_decay", "alpha", "eps", "centered"),
    *("beta3", "t_alpha", "t_beta3"),
)

OPTIMIZER = Family(
    "optimizer",
    {
        **dict.fromkeys(ADAMS, Adam),
        "adafactor": Optimizer,
        "sgd": Sgd,
        "adagrad": Adagrad,
        "rmsprop": RmsProp,
        **dict.fromkeys(LIONS, Moments),
        **dict.fromkeys(ADEMAMIXES, AdEmaMix),
    },
    default="adamw_torch_fused",
    later={"custom": Custom},
    table="optimizers",
    other=OtherOptimizer,
    doc="How gradients move the weights.",
)
