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
    ("optimizer", "epsilon"): "adam_epsilon",
    ("optimizer", "beta1"): "adam_beta1",
    ("optimizer", "beta2"): "adam_beta2",
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
    "batch_size": ("batch", "seqs", "training"),
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
    "report.to": "metrics go to `metrics.jsonl`: this release speaks to no tracker yet",
    "shard": "this release shards nothing yet: leave it out",
    "publish": "this release publishes nothing yet: leave it out",
}


# Counts of steps whose product with others is a field here.
_ACCUMULATED = frozenset({"gradient_accumulation_steps", "gradient_accumulation"})
# What `steps` means in a block.
_STEPS = {"training": "duration", "save": "every", "evaluate": "every", "report": "every"}
_BASES = frozenset({"base_model", "model_name_or_path", "pretrained_model_name_or_path"})
_STRATEGIES = frozenset({"save_strategy", "eval_strategy", "evaluation_strategy"})
# What is said of any value.
_FIXED: Mapping[str, str] = dict.fromkeys(
    ("per_device_eval_batch_size", "per_gpu_eval_batch_size", "eval_batch_size"),
    "leave it out: evaluation takes the micro batch",
)


def rewritten(name: str, here: str, value: ast.Value) -> str | None:
    """How the line is written here, from its own value; None where the value does not tell."""
    if name in _FIXED:
        return _FIXED[name]
    if here == "model.base" and isinstance(value, ast.Str) and name in _BASES:
        return f'write `base = hf("{value.value}")` in `model`'
    if name in _STRATEGIES and (way := _every(value, here)):
        return way
    if name == "report_to" and _is_none(value):
        return "leave it out: metrics go to `metrics.jsonl` alone"
    plain = isinstance(value, ast.Number) and value.unit in ("", *SI, *BINARY)
    number = value.span.text if plain else ""
    if name in _COUNTS and number and not _is_positive(number):
        return "leave it out"
    if name == "warmup_steps" and number.startswith("0."):
        return _share("warmup_ratio", number)
    if name in _ACCUMULATED and number:
        return f"write `batch` in `training`: {number} × the micro batch × the devices"
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


def nickname(family: str, name: str, value: ast.Value, own: tuple[str, ...]) -> str | None:
    """How an entry is written whose name is no other tool's, and whose value changes with it."""
    block = family.partition(" ")[0]
    if block == "optimizer" and name == "betas" and "adam_beta1" in own:
        if isinstance(value, ast.ListValue) and len(value.items) == 2:
            one, two = (item.span.text for item in value.items)
            return f"write `adam_beta1 = {one}` and `adam_beta2 = {two}`"
        return "write `adam_beta1 = …` and `adam_beta2 = …`"
    if name == "steps" and (field := _STEPS.get(block)):
        plain = isinstance(value, ast.Number) and not value.unit
        return f"write `{field} = {value.span.text if plain else '…'} steps`"
    if block == "training" and name == "gradient_accumulation":
        return rewritten(name, "training.batch", value)
    return None


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


def _every(value: ast.Value, here: str) -> str | None:
    """How often, for the words `epoch` and `steps`."""
    word = value.value if isinstance(value, ast.Str) else value.span.text
    if word == "steps":
        return "leave it out: a unit says it, as in `every = 200 steps`"
    block = here.partition(".")[0]
    return f"write `every = 1 epoch` in `{block}`" if word == "epoch" else None


def _is_positive(number: str) -> bool:
    return not number.startswith("-") and any(digit in number for digit in "123456789")


def _is_none(value: ast.Value) -> bool:
    if isinstance(value, ast.ListValue):
        return not value.items
    return isinstance(value, ast.Nothing) or (isinstance(value, ast.Str) and value.value == "none")


def _truth(value: ast.Value) -> bool | None:
    if isinstance(value, ast.Bool):
        return value.value
    word = value.text if isinstance(value, ast.Path) else ""
    word = value.value if isinstance(value, ast.Str) else word
    return {"true": True, "false": False}.get(FOREIGN_VALUES.get(word, word))
