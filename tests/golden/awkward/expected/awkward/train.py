# ftc 0.1.0 · spec.ft › awkward · source 71cdfdb5 · body b642387b
"""Quotes \"\"\" end the docstring? No.

\"\"\"
import os
\\

One optimizer step is 16 sequences: 1 a device, on the devices that are there.
"""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.callbacks import SampleAnswers
from ftruntime.finish import save_result
from ftruntime.launch import accumulation_steps
from ftruntime.loaders import read_files
from ftruntime.output import open_run
from ftruntime.preflight import preflight
from ftruntime.prepared import prepared_once
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from ftruntime.trainers.sft import CheckedSFTTrainer
from peft import LoraConfig, get_peft_model
from torch.distributed.elastic.multiprocessing.errors import record
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig

ROOT = Path(__file__).resolve().parents[2]  # the folder of spec.ft
OUTPUT = ROOT / "out/'a' \"b\" \\ c\nd"
MODEL = ROOT / "dir with \"quotes\" and 'quotes'"
QUESTIONS = [
    '"""',
    "'''",
    "a\\",
    "line\nbreak",
    "日本語の質問は長いですか、それとも短いですか、教えてください、お願いします。",
]


# Training · awkward.training, optimizer, schedule
def build_arguments() -> SFTConfig:
    """The hyper-parameters; touches the device, so only main() calls it."""
    on_gpu = torch.cuda.is_available()
    return SFTConfig(
        output_dir=str(OUTPUT),
        num_train_epochs=1,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=accumulation_steps(batch=16, micro_batch=1),
        learning_rate=1e-4,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        bf16=on_gpu,
        use_cpu=not on_gpu,
        activation_checkpointing=on_gpu,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        # tokenized and masked by build_datasets
        dataset_kwargs={"skip_prepare_dataset": True},
    )


# Tokenizer · awkward.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(MODEL))


# Data · awkward.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = standard(read_files(ROOT / "röws \u202e x.jsonl"))
    return {"train": tokenize(train, tokenizer, max_length=2048)}


# Model · awkward.model, tune
def build_model(tokenizer):
    """Frozen weights with adapters on them."""
    dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    model = AutoModelForCausalLM.from_pretrained(
        MODEL,
        dtype=dtype,
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=16,
        lora_alpha=32,
        target_modules=['a"]); import os; (["', "b"],
    )
    return get_peft_model(model, adapter)


# Trainer · awkward.method
def build_trainer(arguments, tokenizer, datasets, model) -> CheckedSFTTrainer:
    """Everything put together."""
    return CheckedSFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        processing_class=tokenizer,
        callbacks=[SampleAnswers(tokenizer, QUESTIONS, OUTPUT)],
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
