"""`method`: what is learnt from the rows."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from collections.abc import Mapping
from typing import ClassVar

from ftlang.schema.block import Block, Family
from ftlang.schema.lazy import Classes


class Sft(Block):
    """Supervised fine-tuning: the assistant's words are learnt as they stand."""

    passes: ClassVar[tuple[str, ...]] = ("SFTConfig",)
    kind: str = "sft"


# Units of a batch that only some methods count in.
COUNTED: Mapping[str, tuple[str, ...]] = {
    "pairs": ("dpo", "reward_model", "orpo", "simpo", "cpo"),
    "prompts": ("grpo", "rloo", "ppo", "online_dpo"),
    "completions": ("grpo", "rloo", "ppo", "online_dpo"),
}

METHOD = Family(
    "method",
    {"sft": Sft},
    default=None,
    later=Classes(
        "other_methods",
        {
            "pretrain": "Pretrain",
            "dpo": "Dpo",
            "kto": "Kto",
            "reward_model": "RewardModel",
            "orpo": "Orpo",
            "simpo": "Cpo",
            "cpo": "Cpo",
            "grpo": "Grpo",
            "rloo": "Rloo",
            "ppo": "Ppo",
            "online_dpo": "OnlineDpo",
            "gkd": "Gkd",
            "distillation": "Distillation",
        },
    ),
    doc="What is learnt from the rows.",
)
