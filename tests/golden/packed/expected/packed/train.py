# ftc 0.1.0 · spec.ft › packed · source d8f2e2c9 · body 049f8057
"""One optimizer step is 2 packed rows: 1 a device × 1 device × 2 accumulated."""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.callbacks import RunLog
from ftruntime.checks import check_datasets
from ftruntime.finish import save_result
from ftruntime.launch import require_processes
from ftruntime.loaders import read_files
from ftruntime.models import builtin_model, check_vocabulary
from ftruntime.summary import print_summary
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, ProgressCallback, set_seed
from trl import SFTConfig, SFTTrainer, pack_dataset

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
    check_vocabulary(model, tokenizer)
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
        use_dora=True,
    )
    return get_peft_model(model, adapter)


# Trainer · packed.method
def build_trainer(arguments, tokenizer, datasets, model) -> SFTTrainer:
    """Everything put together."""
    trainer = SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        eval_dataset=datasets["eval"],
        processing_class=tokenizer,
        callbacks=[RunLog(OUTPUT)],
    )
    trainer.remove_callback(ProgressCallback)  # RunLog shows the progress
    return trainer


def main() -> None:
    """Data first: it is checked before any weight loads."""
    set_seed(42)
    tokenizer = build_tokenizer()
    datasets = build_datasets(tokenizer)
    check_datasets(datasets, tokenizer)
    arguments = build_arguments()
    model = build_model(tokenizer)
    trainer = build_trainer(arguments, tokenizer, datasets, model)
    print_summary(trainer)
    trainer.train()
    save_result(trainer, tokenizer, OUTPUT / "final", base=MODEL)


if __name__ == "__main__":
    main()
