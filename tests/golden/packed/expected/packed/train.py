# ftc 0.1.0 · spec.ft › packed · source ec9b68bf · body ef27a0e8
"""One optimizer step is 2 packed rows: 1 a device × 1 device × 2 accumulated."""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.finish import save_result
from ftruntime.launch import require_processes
from ftruntime.loaders import read_files
from ftruntime.models import builtin_model
from ftruntime.output import open_run
from ftruntime.preflight import preflight
from ftruntime.prepared import prepared_once
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from ftruntime.trainers.sft import CheckedSFTTrainer
from peft import LoraConfig, get_peft_model
from torch.distributed.elastic.multiprocessing.errors import record
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, pack_dataset

ROOT = Path(__file__).resolve().parents[2]  # the folder of spec.ft
OUTPUT = ROOT / "out/packed"
MODEL = "tiny-llama"


# Training · packed.training, optimizer, schedule
def build_arguments() -> SFTConfig:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_processes(1)
    return SFTConfig(
        output_dir=str(OUTPUT),
        num_train_epochs=2,
        per_device_train_batch_size=1,
        per_device_eval_batch_size=1,
        gradient_accumulation_steps=2,  # 2 rows = 1 × 1 device × 2
        optim="adafactor",
        learning_rate=1e-4,
        max_grad_norm=0.5,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=0.1,  # below 1: a share of all steps
        bf16=False,
        use_cpu=True,
        activation_checkpointing=True,
        eval_strategy="epoch",
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        packing=True,  # rows are packed below; flattened, no padding
        packing_strategy="bfd",
        # tokenized and masked by build_datasets
        dataset_kwargs={"skip_prepare_dataset": True},
    )


# Tokenizer · packed.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(builtin_model(MODEL)))


# Data · packed.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = standard(read_files(ROOT / "rows.jsonl"))
    tokenized = tokenize(train, tokenizer, max_length=128)
    parts = tokenized.train_test_split(test_size=0.25, seed=3)
    return {
        "train": pack_dataset(parts["train"], seq_length=128, strategy="bfd"),
        "eval": pack_dataset(parts["test"], seq_length=128, strategy="bfd"),
    }


# Model · packed.model, tune
def build_model(tokenizer):
    """Frozen weights with adapters on them."""
    model = AutoModelForCausalLM.from_pretrained(
        builtin_model(MODEL),
        dtype=torch.float32,
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
        use_dora=True,
    )
    return get_peft_model(model, adapter)


# Trainer · packed.method
def build_trainer(arguments, tokenizer, datasets, model) -> CheckedSFTTrainer:
    """Everything put together."""
    return CheckedSFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        eval_dataset=datasets["eval"],
        processing_class=tokenizer,
    )


@record  # a failure of any process is named by the launcher
def main() -> None:
    """Output folder and data first: both are checked before any weight loads."""
    arguments = build_arguments()
    run = open_run(OUTPUT, __file__)
    set_seed(42)
    tokenizer = build_tokenizer()
    datasets = prepared_once(build_datasets, tokenizer)
    run.check(tokenizer, datasets)
    model = build_model(tokenizer)
    trainer = build_trainer(arguments, tokenizer, datasets, model)
    preflight(trainer)
    trainer.train(resume_from_checkpoint=run.checkpoint)
    save_result(trainer, tokenizer, OUTPUT / "final", base=MODEL)


if __name__ == "__main__":
    main()
