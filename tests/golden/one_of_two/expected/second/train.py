# ftc 0.1.0 · spec.ft › second · source 9b136dbf · body 9269497c
"""One optimizer step is 16 sequences: 1 a device, on the devices that are there."""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.callbacks import RunLog
from ftruntime.checks import check_datasets
from ftruntime.finish import save_result
from ftruntime.launch import accumulation_steps
from ftruntime.loaders import read_files
from ftruntime.models import builtin_model, check_vocabulary
from ftruntime.summary import print_summary
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    ProgressCallback,
    Trainer,
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
    model = AutoModelForCausalLM.from_pretrained(
        builtin_model(MODEL),
        dtype=torch.float32,
    )
    check_vocabulary(model, tokenizer)
    return model


# Trainer · transformers' own instead of SFTTrainer: its chunked loss pays for large vocabularies
def build_trainer(arguments, tokenizer, datasets, model) -> Trainer:
    """Everything put together."""
    trainer = Trainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),  # pads labels by position
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
