"""Names of other tools, each with its place here and how that is written."""

from __future__ import annotations

from ftlang.record import Record


class Foreign(Record):
    """A name of another tool: whose it is, the field or block here, and how that is written."""

    whose: str
    here: str
    written: str


def foreign(name: str) -> Foreign | None:
    """What the name stands for here; None if no other tool is known to have it."""
    from ftlang.schema.foreign_names import OWNERS

    found = [(whose, names[name]) for whose, names in OWNERS if name in names]
    if not found:
        return None
    first = found[0][1]
    here, written = first if isinstance(first, tuple) else (first, "")
    owners = [whose for whose, entry in found if entry == first]
    shown = " and ".join([", ".join(owners[:-1]), owners[-1]] if len(owners) > 1 else owners)
    return Foreign(shown, here, written or WRITTEN.get(here, f"set `{here}`"))


# How the field that a foreign name stands for is written, where its name alone does not tell.
WRITTEN: dict[str, str] = {
    "model.quantize": "write the block `quantize nf4` inside `model`",
    "model.base": 'write `base = hf("owner/name")` in `model`',
    "model.attn_implementation": "write `attn_implementation = flash_attention_2` in `model`",
    "model.dtype": "write `dtype = bfloat16` in `model`",
    "data.eval": "write `eval = split(10%)` in `data`",
    "data.packing": "write `packing = bfd` in `data`",
    "data.train": 'write `train = files("rows.jsonl")` in `data`',
    "data.format": 'write `format = alpaca(output = "answer")`, or another format, in `data`',
    "data.template": "write `template = NAME` in `data`, and declare `template NAME { … }`",
    "data.loss_on": "leave it out: `loss_on = assistant` is the default",
    "data.shuffle": "write `shuffle = true` in `data`",
    "training.duration": "write `duration = 3 epochs` in `training`",
    "training.precision": "write `precision = bf16` in `training`",
    "tune": "write `tune lora` or `tune full`",
    "method": "write `method sft`",
    "method.loss_type": "write `loss_type = [sigmoid]` in `method dpo`",
    "optimizer": "write a block, such as `optimizer adamw_torch { learning_rate = 2e-4 }`",
    "schedule": "write a block, such as `schedule cosine { warmup = 3% }`",
    "schedule.warmup": "write `schedule cosine { warmup = 3% }`",
    "save.every": "write `every = 200 steps` in `save`",
    "evaluate.every": "write `every = 200 steps` in `evaluate`",
    "evaluate.samples": 'write `samples = ["a question"]` in `evaluate`',
    "report.to": "write `to = [wandb]` in `report`",
    "tokenizer": "write a block `tokenizer { … }`",
    "tokenizer.add_tokens": 'write `tokenizer { add_tokens = ["<cite>"] }`',
    "shard": "write a block, such as `shard fsdp2`",
    "export": "write a block `export { … }`",
}

# Kinds of other tools, and how they are written here.
KINDS: dict[tuple[str, str], str] = {
    ("tune", "qlora"): "write `tune lora`, and `quantize nf4` inside `model`",
    ("tune", "dora"): "write `tune lora { use_dora = true }`",
    ("tune", "rslora"): "write `tune lora { use_rslora = true }`",
    ("method", "lora"): "write `method sft`, and `tune lora` beside it",
    ("optimizer", "adamw"): "write `optimizer adamw_torch_fused`",
    ("optimizer", "adamw_hf"): "write `optimizer adamw_torch`",
    ("optimizer", "adamw_bnb"): "write `optimizer adamw_8bit`",
    ("optimizer", "adam8bit"): "write `optimizer adamw_8bit`",
    ("schedule", "cosine_annealing"): "write `schedule cosine`",
    ("schedule", "warmup_cosine"): "write `schedule cosine { warmup = 3% }`",
    ("quantize", "4bit"): "write `quantize nf4`",
    ("quantize", "8bit"): "write `quantize int8`",
}
