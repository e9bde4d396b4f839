# ftc 0.1.0 · spec.ft › second · source 8ba0e824 · body 96f0ec4c
"""One optimizer step is 16 sequences: 1 a device, on the devices that are there."""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.finish import save_result
from ftruntime.launch import accumulation_steps
from ftruntime.loaders import read_files
from ftruntime.models import builtin_model
from ftruntime.output import open_run
from ftruntime.preflight import preflight
from ftruntime.prepared import prepared_once
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from ftruntime.trainers.plain import CheckedTrainer
from torch.distributed.elastic.multiprocessing.errors import record
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    TrainingArguments,
    set_seed,
)

ROOT = Path(__file__).resolve().parents[2]  # the folder of spec.ft
OUTPUT = ROOT / "out/second"
MODEL = "tiny-llama"


# Training · second.training, optimizer, schedule
def build_arguments() -> TrainingArguments:
    """The hyper-parameters; touches the device, so only main() calls it."""
    on_gpu = torch.cuda.is_available()
    return TrainingArguments(
        output_dir=str(OUTPUT),
        num_train_epochs=1,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=accumulation_steps(batch=16, micro_batch=1),
        learning_rate=1e-5,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        bf16=on_gpu,
        use_cpu=not on_gpu,
        activation_checkpointing=on_gpu,
        logging_steps=10,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
    )


# Tokenizer · second.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(builtin_model(MODEL)))


# Data · second.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = standard(read_files(ROOT / "rows.jsonl"))
    return {"train": tokenize(train, tokenizer, max_length=4000)}


# Model · second.model, tune
def build_model(tokenizer):
    """The weights, all of them trained."""
    return AutoModelForCausalLM.from_pretrained(
        builtin_model(MODEL),
        dtype=torch.float32,
    )


# Trainer · transformers' own instead of SFTTrainer: its chunked loss pays for large vocabularies
def build_trainer(arguments, tokenizer, datasets, model) -> CheckedTrainer:
    """Everything put together."""
    return CheckedTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),  # pads labels by position
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
