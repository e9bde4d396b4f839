"""What a line of another tool says, written here: the name and the value that the user gave."""

from __future__ import annotations

from collections.abc import Mapping

from ftlang.schema.foreign import Foreign
from ftlang.schema.units import BINARY, SI
from ftlang.syntax import ast
from ftlang.syntax.foreign_values import FOREIGN_VALUES

# Names that people write inside our blocks, by the block's family.
INSIDE: Mapping[tuple[str, str], str] = {
    ("tune", "rank"): "r",
    ("tune", "alpha"): "lora_alpha",
    ("tune", "dropout"): "lora_dropout",
    ("tune", "rslora"): "use_rslora",
    ("tune", "dora"): "use_dora",
    ("tune", "modules"): "target_modules",
    ("tune", "targets"): "target_modules",
    ("optimizer", "eps"): "adam_epsilon",
    ("optimizer", "grad_clip"): "max_grad_norm",
    ("optimizer", "gradient_clipping"): "max_grad_norm",
    ("optimizer", "clip_grad_norm"): "max_grad_norm",
    ("optimizer", "max_norm"): "max_grad_norm",
    ("save", "total_limit"): "save_total_limit",
    ("save", "limit"): "save_total_limit",
    ("hardware", "gpus"): "gpus_per_node",
    ("hardware", "n_gpu"): "gpus_per_node",
    ("hardware", "n_gpus"): "gpus_per_node",
    ("hardware", "num_gpus"): "gpus_per_node",
    ("hardware", "gpu_count"): "gpus_per_node",
}
# A count: the field, its unit, and the block.
_COUNTS: Mapping[str, tuple[str, str, str]] = {
    "max_steps": ("duration", "steps", "training"),
    "num_train_epochs": ("duration", "epochs", "training"),
    "num_epochs": ("duration", "epochs", "training"),
    "epochs": ("duration", "epochs", "training"),
    "eval_steps": ("every", "steps", "evaluate"),
    "save_steps": ("every", "steps", "save"),
    "logging_steps": ("every", "steps", "report"),
    "warmup_steps": ("warmup", "steps", "schedule cosine"),
}
# The same value under another name: the field and the block.
_RENAMED: Mapping[str, tuple[str, str]] = {
    "lr": ("learning_rate", "optimizer adamw_torch_fused"),
    "lora_r": ("r", "tune lora"),
    "lora_rank": ("r", "tune lora"),
    "cutoff_len": ("max_length", "data"),
    "sequence_len": ("max_length", "data"),
    "max_seq_length": ("max_length", "data"),
    "max_seq_len": ("max_length", "data"),
    "model_max_length": ("max_length", "data"),
    "micro_batch_size": ("micro_batch", "training"),
    "per_device_train_batch_size": ("micro_batch", "training"),
    "gradient_checkpointing": ("activation_checkpointing", "training"),
}
# What `true` and `false` come to.
_SWITCHES: Mapping[str, tuple[str, str]] = {
    "bf16": ("write `precision = bf16` in `training`", "leave it out, or write `precision = fp32`"),
    "fp16": ("write `precision = fp16` in `training`", "leave it out"),
    "sample_packing": ("write `packing = bfd` in `data`", "leave it out: nothing is packed"),
    "packing": ("write `packing = bfd` in `data`", "leave it out: nothing is packed"),
    "load_in_4bit": ("write the block `quantize nf4` inside `model`", "leave it out"),
    "load_in_8bit": ("write the block `quantize int8` inside `model`", "leave it out"),
    "train_on_inputs": (
        "this release trains answers only; a later one has `loss_on = everything`",
        "leave it out: the loss is on the answers",
    ),
    "train_on_prompt": (
        "this release trains answers only; a later one has `loss_on = everything`",
        "leave it out: the loss is on the answers",
    ),
}
# Targets that the language has and this release does not emit.
_LATER: Mapping[str, str] = {
    "report.to": "this release writes `metrics.jsonl` and `loss.png`, and speaks to no tracker yet",
    "shard": "this release shards nothing yet: leave it out",
    "publish": "this release publishes nothing yet: leave it out",
    "save.resume": "this release does not resume yet: leave it out",
}


def rewritten(name: str, here: str, value: ast.Value) -> str | None:
    """How the line is written here, from its own value; None where the value does not tell."""
    plain = isinstance(value, ast.Number) and value.unit in ("", *SI, *BINARY)
    number = value.span.text if plain else ""
    if name in _COUNTS and number:
        field, unit, block = _COUNTS[name]
        unit = unit.removesuffix("s") if number == "1" else unit
        return f"write `{field} = {number} {unit}` in `{block}`"
    if name in ("warmup_ratio", "val_size", "val_set_size", "test_size") and number:
        return _share(name, number)
    if name in _SWITCHES and (switch := _truth(value)) is not None:
        return _SWITCHES[name][0 if switch else 1]
    if name in _RENAMED and (number or _truth(value) is not None):
        field, block = _RENAMED[name]
        told = number or ("true" if _truth(value) else "false")
        return f"write `{field} = {told}` in `{block}`"
    return next((text for target, text in _LATER.items() if here.startswith(target)), None)


def inside(family: str, name: str) -> Foreign | None:
    """The field of this very block that a common name stands for."""
    here = INSIDE.get((family.partition(" ")[0], name))
    return Foreign("another tool's", here, f"write `{here}`") if here is not None else None


def _share(name: str, number: str) -> str | None:
    try:
        share = float(number)
    except ValueError:
        return None
    if not 0 < share < 1:
        return None
    percent = f"{share * 100:g}%"
    if name == "warmup_ratio":
        return f"write `schedule cosine {{ warmup = {percent} }}`"
    return f"write `eval = split({percent})` in `data`"


def _truth(value: ast.Value) -> bool | None:
    if isinstance(value, ast.Bool):
        return value.value
    word = value.text if isinstance(value, ast.Path) else ""
    word = value.value if isinstance(value, ast.Str) else word
    return {"true": True, "false": False}.get(FOREIGN_VALUES.get(word, word))
