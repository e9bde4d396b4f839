"""What the names layer must know of families to merge layers: common fields, and named blocks."""

from __future__ import annotations

from collections.abc import Mapping

# Fields that every kind of a family has; they survive a change of kind in a later layer.
COMMON: Mapping[str, frozenset[str]] = {
    "optimizer": frozenset({"learning_rate", "weight_decay", "max_grad_norm"}),
    "schedule": frozenset({"warmup"}),
    "quantize": frozenset(),
    "shard": frozenset({"tp", "cp", "sp"}),
}

# Kinds that lack one of them after all: no warm-up, whatever was inherited.
WITHOUT: Mapping[tuple[str, str], frozenset[str]] = {
    ("schedule", "constant"): frozenset({"warmup"}),
    ("schedule", "reduce_lr_on_plateau"): frozenset({"warmup"}),
    ("schedule", "greedy"): frozenset({"warmup"}),
}

# The kind of a family's block where no layer gives one, "" for families without kinds.  A dotted
# path may change such a block: `training.duration = 20 steps` in a run without a `training`.
DEFAULTS: Mapping[str, str] = {
    "tokenizer": "",
    "optimizer": "adamw_torch_fused",
    "schedule": "cosine",
    "training": "",
    "hardware": "",
    "save": "",
    "evaluate": "",
    "report": "",
}

# Families whose blocks carry a name instead of a kind: `reward correct { … }`.
NAMED: frozenset[str] = frozenset({"reward", "hook"})
