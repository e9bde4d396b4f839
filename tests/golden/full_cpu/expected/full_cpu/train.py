# ftc 0.1.0 · spec.ft › full_cpu · source c848666e · body abe9761a
"""Every weight of the builtin model, on a CPU.

One optimizer step is 4 sequences: 2 a device × 1 device × 2 accumulated.
"""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.callbacks import SampleAnswers
from ftruntime.finish import save_result
from ftruntime.launch import require_processes
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
OUTPUT = ROOT / "out/full_cpu"
MODEL = "tiny-llama"
QUESTIONS = ["What colour is the sky?", "2+2?"]


# Training · full_cpu.training, optimizer, schedule
def build_arguments() -> TrainingArguments:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_processes(1)
    return TrainingArguments(
        output_dir=str(OUTPUT),
        max_steps=40,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        gradient_accumulation_steps=2,  # 4 seqs = 2 × 1 device × 2
        optim="adamw_torch",
        learning_rate=2e-4,
        weight_decay=0.01,
        adam_beta2=0.95,
        lr_scheduler_type="linear",
        warmup_steps=2,
        use_cpu=True,
        eval_strategy="steps",
        eval_steps=20,
        save_strategy="steps",
        save_steps=20,
        save_total_limit=1,
        logging_steps=1,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        seed=7,
    )


# Tokenizer · full_cpu.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(builtin_model(MODEL)))


# Data · full_cpu.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = standard(read_files(ROOT / "rows.jsonl"))
    tokenized = tokenize(train, tokenizer, max_length=256)
    parts = tokenized.train_test_split(test_size=0.2, seed=42)
    return {"train": parts["train"], "eval": parts["test"]}


# Model · full_cpu.model, tune
def build_model(tokenizer):
    """The weights, all of them trained."""
    return AutoModelForCausalLM.from_pretrained(
        builtin_model(MODEL),
        dtype=torch.float32,
        attn_implementation="eager",
    )


# Trainer · transformers' own instead of SFTTrainer: its chunked loss pays for large vocabularies
def build_trainer(arguments, tokenizer, datasets, model) -> CheckedTrainer:
    """Everything put together."""
    return CheckedTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        eval_dataset=datasets["eval"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),  # pads labels by position
        callbacks=[SampleAnswers(tokenizer, QUESTIONS, OUTPUT)],
    )


@record  # a failure of any process is named by the launcher
def main() -> None:
    """Output folder and data first: both are checked before any weight loads."""
    arguments = build_arguments()
    run = open_run(OUTPUT, __file__)
    set_seed(7)
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
