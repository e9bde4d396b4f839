"""`tune lora { … }` and `tune full`: which weights are trained."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block, Family
from ftlang.schema.numbers import Int, Share
from ftlang.schema.shapes import Modules
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice, Flag, ListOf, Word


class Full(Block):
    """Every weight is trained."""

    freeze: Annotated[
        tuple[str, ...] | str | None,
        Modules(),
        Doc("Modules that stay as they are.", planned=True),
    ] = None
    train_only: Annotated[
        tuple[str, ...] | str | None,
        Modules(),
        Doc("Modules that are trained, and no others.", planned=True),
    ] = None
    kind: str = "full"


class Adapter(Block):
    """Few new weights beside frozen ones, by any of PEFT's tuners."""

    train_also: Annotated[
        tuple[str, ...] | str | None,
        Modules(),
        Doc("Modules that are trained whole beside the adapter.", planned=True),
    ] = None
    kind: str = ""


class Lora(Adapter):
    """Low-rank adapters beside frozen weights (Hu et al. 2021, arXiv:2106.09685)."""

    passes: ClassVar[tuple[str, ...]] = ("LoraConfig",)

    r: Annotated[int, Int(at_least=1), Doc("Rank of the update matrices.", "LoraConfig.r")] = 16
    lora_alpha: Annotated[
        int | None,
        Int(at_least=1),
        Doc(
            "The update is scaled by lora_alpha / r; absent: 2 × r.",
            "LoraConfig.lora_alpha",
        ),
    ] = None
    lora_dropout: Annotated[
        float,
        Share(),
        Doc("Dropout on the adapter's input.", "LoraConfig.lora_dropout"),
    ] = 0.0
    target_modules: Annotated[
        tuple[str, ...] | str,
        Modules(("all-linear",)),
        Doc("Which modules get an adapter.", "LoraConfig.target_modules"),
    ] = "all-linear"
    exclude_modules: Annotated[
        tuple[str, ...] | str | None,
        Modules(),
        Doc("Modules that get none.", "LoraConfig.exclude_modules"),
    ] = None
    modules_to_save: Annotated[
        tuple[str, ...] | None,
        ListOf(Word("the name of a module")),
        Doc("Modules trained whole beside the adapters.", "LoraConfig.modules_to_save"),
    ] = None
    use_rslora: Annotated[
        bool,
        Flag(),
        Doc("Scale by lora_alpha / √r (arXiv:2312.03732).", "LoraConfig.use_rslora"),
    ] = False
    use_dora: Annotated[
        bool,
        Flag(),
        Doc("Train magnitudes apart (arXiv:2402.09353).", "LoraConfig.use_dora"),
    ] = False
    bias: Annotated[
        str,
        Choice(("none", "all", "lora_only"), or_none=True),
        Doc("Which biases are trained.", "LoraConfig.bias"),
    ] = "none"
    kind: str = "lora"


Tune = Lora | Full

TUNE = Family(
    "tune",
    {"lora": Lora, "full": Full},
    default=None,
    table="tuners",
    other=Adapter,
    doc="Which weights are trained.",
)
