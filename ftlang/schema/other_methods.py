"""The methods that are typed and that nothing is emitted for yet."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from collections.abc import Mapping
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block, Family
from ftlang.schema.constructors import JUDGE
from ftlang.schema.later import REWARD
from ftlang.schema.numbers import Float
from ftlang.schema.python import Python, UserCode
from ftlang.schema.shapes import Either
from ftlang.schema.sources import Hf, LocalPath
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice, ListOf
from ftlang.syntax import ast

REFERENCE = Either(
    (
        ((ast.Path, ast.Str), Choice(("auto", "adapter_off", "frozen", "precomputed"))),
        ((ast.Call,), JUDGE),
    )
)


class Pretrain(Block):
    """Continued pretraining: every token of plain text is learnt."""

    passes: ClassVar[tuple[str, ...]] = ("SFTConfig",)
    kind: str = "pretrain"


class Distillation(Block):
    """A teacher's distribution is learnt beside, or instead of, the rows."""

    passes: ClassVar[tuple[str, ...]] = ("DistillationConfig",)
    kind: str = "distillation"


class Gkd(Block):
    """Generalized knowledge distillation (arXiv:2306.13649)."""

    passes: ClassVar[tuple[str, ...]] = ("GKDConfig",)
    kind: str = "gkd"


class Referenced(Block):
    """A preference method that compares the model with a frozen reference."""

    reference: Annotated[
        str | Hf | LocalPath,
        REFERENCE,
        Doc(
            "Where the reference comes from; auto: the base below the adapters, else a copy.",
            planned=True,
        ),
    ] = "auto"


class Dpo(Referenced):
    """Direct preference optimization (arXiv:2305.18290)."""

    passes: ClassVar[tuple[str, ...]] = ("DPOConfig",)
    kind: str = "dpo"


class Kto(Referenced):
    """Kahneman-Tversky optimization of single rated answers (arXiv:2402.01306)."""

    passes: ClassVar[tuple[str, ...]] = ("KTOConfig",)
    kind: str = "kto"


class RewardModel(Block):
    """A model that scores answers, from pairs."""

    passes: ClassVar[tuple[str, ...]] = ("RewardConfig",)
    kind: str = "reward_model"


class Orpo(Block):
    """Odds ratio preference optimization, without a reference (arXiv:2403.07691)."""

    passes: ClassVar[tuple[str, ...]] = ("ORPOConfig",)
    kind: str = "orpo"


class Cpo(Block):
    """Contrastive preference optimization; `simpo` is its loss of that name (arXiv:2405.14734)."""

    passes: ClassVar[tuple[str, ...]] = ("CPOConfig",)
    kind: str = "cpo"


class Reward(Block):
    """`reward NAME { … }`: one of the signals that answers are scored by."""

    call: Annotated[
        UserCode | None,
        Python(keywords=("prompts", "completions"), makes="a score for each answer"),
        Doc("A function that scores answers.", planned=True),
    ] = None
    model: Annotated[
        Hf | LocalPath | None,
        JUDGE,
        Doc("A reward model that scores them.", planned=True),
    ] = None
    weight: Annotated[
        float,
        Float(),
        Doc("How much it counts.", "GRPOConfig.reward_weights", planned=True),
    ] = 1.0
    kind: str = ""


class Online(Block):
    """A method that samples answers and scores them."""

    families: ClassVar[Mapping[str, Family]] = {"reward": REWARD}

    tools: Annotated[
        tuple[UserCode, ...],
        ListOf(Python(free=True)),
        Doc("Functions that the model may call while it answers.", planned=True),
    ] = ()
    environment: Annotated[
        UserCode | None,
        Python(maker=True),
        Doc("A class whose objects the model acts in.", planned=True),
    ] = None
    rollout: Annotated[
        UserCode | None,
        Python(("prompts", "trainer")),
        Doc("A function that samples the answers itself.", planned=True),
    ] = None


class Grpo(Online):
    """Group relative policy optimization (arXiv:2402.03300)."""

    passes: ClassVar[tuple[str, ...]] = ("GRPOConfig",)
    kind: str = "grpo"


class Rloo(Online):
    """REINFORCE with the other answers as baseline (arXiv:2402.14740)."""

    passes: ClassVar[tuple[str, ...]] = ("RLOOConfig",)
    kind: str = "rloo"


class Ppo(Online):
    """Proximal policy optimization (arXiv:1707.06347)."""

    passes: ClassVar[tuple[str, ...]] = ()  # the tested TRL has no PPO
    kind: str = "ppo"


class OnlineDpo(Online):
    """DPO on answers that are sampled and judged on the way (arXiv:2402.04792)."""

    passes: ClassVar[tuple[str, ...]] = ("OnlineDPOConfig",)
    kind: str = "online_dpo"
