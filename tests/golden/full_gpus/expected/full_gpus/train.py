# ftc 0.1.0 · spec.ft › full_gpus · source 242f56a1 · body da346360
"""One optimizer step is 64 sequences: 4 a device × 8 devices × 2 accumulated."""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.finish import save_result
from ftruntime.launch import require_gpus
from ftruntime.loaders import read_files
from ftruntime.output import open_run
from ftruntime.preflight import preflight
from ftruntime.prepared import prepared_once
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from ftruntime.trainers.sft import CheckedSFTTrainer
from torch.distributed.elastic.multiprocessing.errors import record
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig

ROOT = Path(__file__).resolve().parents[2]  # the folder of spec.ft
OUTPUT = ROOT / "out/full_gpus"
MODEL = ROOT / "checkpoints/base"


# Training · full_gpus.training, optimizer, schedule
def build_arguments() -> SFTConfig:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_gpus(8)
    return SFTConfig(
        output_dir=str(OUTPUT),
        num_train_epochs=1,
        per_device_train_batch_size=4,
        per_device_eval_batch_size=4,
        gradient_accumulation_steps=2,  # 64 seqs = 4 × 8 devices × 2
        optim="paged_adamw_8bit",
        learning_rate=2e-5,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        activation_checkpointing=True,
        eval_strategy="epoch",
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        # tokenized and masked by build_datasets
        dataset_kwargs={"skip_prepare_dataset": True},
    )


# Tokenizer · full_gpus.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(MODEL))


# Data · full_gpus.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = standard(read_files(ROOT / "rows.jsonl"))
    evaluation = standard(read_files(ROOT / "test.jsonl"))
    return {
        "train": tokenize(train, tokenizer, max_length=2048),
        "eval": tokenize(evaluation, tokenizer, max_length=2048),
    }


# Model · full_gpus.model, tune
def build_model(tokenizer):
    """The weights, all of them trained."""
    return AutoModelForCausalLM.from_pretrained(
        MODEL,
        dtype=torch.float32,
    )


# Trainer · full_gpus.method
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
    save_result(trainer, tokenizer, OUTPUT / "final")


if __name__ == "__main__":
    main()
