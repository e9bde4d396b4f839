# ftc 0.1.0 · spec.ft › from_chats · source 80c99d91 · body c0bdf924
"""One optimizer step is 16 sequences: 1 a device, on the devices that are there."""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import prompt_completion, sharegpt
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
from peft import LoraConfig, get_peft_model
from torch.distributed.elastic.multiprocessing.errors import record
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    TrainingArguments,
    set_seed,
)

ROOT = Path(__file__).resolve().parents[2]  # the folder of spec.ft
OUTPUT = ROOT / "out/from_chats"
MODEL = "tiny-llama"


# Training · from_chats.training, optimizer, schedule
def build_arguments() -> TrainingArguments:
    """The hyper-parameters; touches the device, so only main() calls it."""
    on_gpu = torch.cuda.is_available()
    return TrainingArguments(
        output_dir=str(OUTPUT),
        num_train_epochs=1,
        per_device_train_batch_size=1,
        per_device_eval_batch_size=1,
        gradient_accumulation_steps=accumulation_steps(batch=16, micro_batch=1),
        learning_rate=1e-4,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        bf16=on_gpu,
        use_cpu=not on_gpu,
        activation_checkpointing=on_gpu,
        eval_strategy="epoch",
        logging_steps=10,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
    )


# Tokenizer · from_chats.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(builtin_model(MODEL)))


# Data · from_chats.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = sharegpt(
        read_files(ROOT / "chats/*.json"),
        messages="dialog",
        roles={"human": "user", "gpt": "assistant", "tool.out": "tool"},
    )
    evaluation = prompt_completion(
        read_files(ROOT / "pairs.csv"),
        prompt="question",
        completion="answer",
    )
    return {
        "train": tokenize(train, tokenizer, max_length=2048),
        "eval": tokenize(evaluation, tokenizer, max_length=2048),
    }


# Model · from_chats.model, tune
def build_model(tokenizer):
    """Frozen weights with adapters on them."""
    dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    model = AutoModelForCausalLM.from_pretrained(
        builtin_model(MODEL),
        dtype=dtype,
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
    )
    return get_peft_model(model, adapter)


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
