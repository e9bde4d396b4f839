"""Names of other tools, and arguments that a field derives, each with its place here."""

from __future__ import annotations

# The name, whose it is, and where it stands here.
FOREIGN: dict[str, tuple[str, str]] = {
    "model_name_or_path": ("LLaMA-Factory's and TRL's", "model.base"),
    "base_model": ("Axolotl's", "model.base"),
    "torch_dtype": ("older Transformers'", "model.dtype"),
    "flash_attn": ("LLaMA-Factory's", "model.attn_implementation"),
    "load_in_4bit": ("older Transformers'", "model.quantize"),
    "load_in_8bit": ("older Transformers'", "model.quantize"),
    "quantization_bit": ("LLaMA-Factory's", "model.quantize"),
    "lora_rank": ("LLaMA-Factory's", "tune.r"),
    "lora_r": ("Axolotl's and TRL's", "tune.r"),
    "lora_target": ("LLaMA-Factory's", "tune.target_modules"),
    "lora_target_modules": ("Axolotl's", "tune.target_modules"),
    "lora_modules_to_save": ("Axolotl's", "tune.modules_to_save"),
    "peft_use_dora": ("Axolotl's", "tune.use_dora"),
    "peft_use_rslora": ("Axolotl's", "tune.use_rslora"),
    "finetuning_type": ("LLaMA-Factory's", "tune"),
    "adapter": ("Axolotl's", "tune"),
    "stage": ("LLaMA-Factory's", "method"),
    "rl": ("Axolotl's", "method"),
    "datasets": ("Axolotl's", "data.train"),
    "dataset": ("LLaMA-Factory's", "data.train"),
    "cutoff_len": ("LLaMA-Factory's", "data.max_length"),
    "max_seq_length": ("older TRL's", "data.max_length"),
    "max_seq_len": ("older TRL's", "data.max_length"),
    "sequence_len": ("Axolotl's", "data.max_length"),
    "sample_packing": ("Axolotl's", "data.packing"),
    "val_size": ("LLaMA-Factory's", "data.eval"),
    "val_set_size": ("Axolotl's", "data.eval"),
    "eval_dataset": ("LLaMA-Factory's", "data.eval"),
    "train_on_inputs": ("Axolotl's", "data.loss_on"),
    "train_on_prompt": ("LLaMA-Factory's", "data.loss_on"),
    "assistant_only_loss": ("TRL's", "data.loss_on"),
    "micro_batch_size": ("Axolotl's", "training.micro_batch"),
    "num_epochs": ("Axolotl's", "training.duration"),
    "epochs": ("other tools'", "training.duration"),
    "bf16": ("Transformers'", "training.precision"),
    "fp16": ("Transformers'", "training.precision"),
    "gradient_checkpointing": (
        "older Transformers'",
        "training.activation_checkpointing",
    ),
    "lr": ("PyTorch's", "optimizer.learning_rate"),
    "optim": ("Transformers'", "optimizer"),
    "lr_scheduler": ("Axolotl's", "schedule"),
    "lr_scheduler_type": ("Transformers'", "schedule"),
    "warmup_ratio": ("older Transformers'", "schedule.warmup"),
    "logging_steps": ("Transformers'", "report.every"),
    "report_to": ("Transformers'", "report.to"),
    "save_strategy": ("Transformers'", "save.every"),
    "eval_strategy": ("Transformers'", "evaluate.every"),
    "evaluation_strategy": ("older Transformers'", "evaluate.every"),
    "saves_per_epoch": ("Axolotl's", "save.every"),
}

# Arguments of the libraries that are derived, and from what.
DERIVED: dict[str, str] = {
    "per_device_train_batch_size": "training.micro_batch",
    "per_device_eval_batch_size": "training.micro_batch",
    "gradient_accumulation_steps": "training.batch",
    "num_train_epochs": "training.duration",
    "max_steps": "training.duration",
    "warmup_steps": "schedule.warmup",
    "save_steps": "save.every",
    "eval_steps": "evaluate.every",
    "output_dir": "output",
    "use_cpu": "hardware.gpus_per_node",
    "packing_strategy": "data.packing",
    "task_type": "method",
    "padding_free": "data.packing",
    "dataset_text_field": "data.format",
    "chat_template_path": "model.base",
    "load_in_4bit": "model.quantize",
}

# How the field that a foreign name stands for is written, where its name alone does not tell.
WRITTEN: dict[str, str] = {
    "model.quantize": "write the block `quantize nf4` inside `model`",
    "model.base": 'write `base = hf("owner/name")` in `model`',
    "data.eval": "write `eval = split(10%)` in `data`",
    "data.packing": "write `packing = bfd` in `data`",
    "data.train": 'write `train = files("rows.jsonl")` in `data`',
    "data.loss_on": "leave it out: `loss_on = assistant` is the default",
    "model.attn_implementation": "write `attn_implementation = flash_attention_2` in `model`",
    "training.duration": "write `duration = 3 epochs` in `training`",
    "training.precision": "write `precision = bf16` in `training`",
    "tune": "write `tune lora` or `tune full`",
    "method": "write `method sft`",
    "optimizer": "write a block, such as `optimizer adamw_torch { learning_rate = 2e-4 }`",
    "schedule": "write a block, such as `schedule cosine { warmup = 3% }`",
    "save.every": "write `every = 200 steps` in `save`",
    "evaluate.every": "write `every = 200 steps` in `evaluate`",
}

# Kinds of other tools, and how they are written here.
KINDS: dict[tuple[str, str], str] = {
    ("tune", "qlora"): "write `tune lora`, and `quantize nf4` inside `model`",
    ("tune", "dora"): "write `tune lora { use_dora = true }`",
    ("tune", "rslora"): "write `tune lora { use_rslora = true }`",
    ("method", "lora"): "write `method sft`, and `tune lora` beside it",
    ("optimizer", "adamw"): "write `optimizer adamw_torch_fused`",
    ("quantize", "4bit"): "write `quantize nf4`",
    ("quantize", "8bit"): "write `quantize int8`",
}

# Blocks of other tools, and the ones here.
BLOCKS: dict[str, str] = {
    "checkpoint": "save",
    "checkpoints": "save",
    "checkpointing": "save",
    "logging": "report",
    "eval": "evaluate",
    "evaluation": "evaluate",
    "lora": "tune",
    "peft": "tune",
    "train": "training",
    "scheduler": "schedule",
    "quantization": "quantize",
}
