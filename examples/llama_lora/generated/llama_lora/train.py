# ftc 0.1.0 · llama_lora.ft › llama_lora · source 8945e13e · body b3f8f3b9
"""LoRA on Llama 3.1 8B: support answers in our own voice.

One optimizer step is 64 sequences: 4 a device × 8 devices × 2 accumulated.
"""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import alpaca
from ftruntime.callbacks import RunLog
from ftruntime.checks import check_datasets
from ftruntime.finish import save_result
from ftruntime.launch import require_processes
from ftruntime.loaders import read_files
from ftruntime.models import check_vocabulary
from ftruntime.summary import print_summary
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerBase,
    set_seed,
)
from trl import SFTConfig, SFTTrainer

ROOT = Path(__file__).resolve().parents[2]  # the folder of llama_lora.ft
OUTPUT = ROOT / "out/llama_lora"
MODEL = "meta-llama/Llama-3.1-8B-Instruct"
REVISION = "0e9e39f249a16976918f6564b8830bc894c89659"


# Training · llama_lora.training, optimizer, schedule
def build_arguments() -> SFTConfig:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_processes(8)
    return SFTConfig(
        output_dir=str(OUTPUT),
        num_train_epochs=2,
        per_device_train_batch_size=4,
        per_device_eval_batch_size=4,
        gradient_accumulation_steps=2,  # 64 seqs = 4 × 8 devices × 2
        optim="adamw_torch_fused",
        learning_rate=2e-4,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        bf16=True,
        activation_checkpointing=True,
        eval_strategy="steps",
        eval_steps=200,
        save_strategy="steps",
        save_steps=200,
        save_total_limit=2,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        disable_tqdm=True,  # RunLog shows the progress
        # tokenized and masked by build_datasets
        dataset_kwargs={"skip_prepare_dataset": True},
    )


# Tokenizer · llama_lora.model
def build_tokenizer() -> PreTrainedTokenizerBase:
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(MODEL, revision=REVISION))


# Data · llama_lora.data
def build_datasets(tokenizer: PreTrainedTokenizerBase) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = alpaca(read_files(ROOT / "data/support/*.jsonl"), system="system")
    tokenized = tokenize(train, tokenizer, max_length=4096)
    parts = tokenized.train_test_split(test_size=0.05, seed=42)
    return {
        "train": parts["train"],
        "eval": parts["test"],
    }


# Model · llama_lora.model, tune
def build_model(tokenizer: PreTrainedTokenizerBase) -> PeftModel:
    """Frozen weights with adapters on them."""
    model = AutoModelForCausalLM.from_pretrained(
        MODEL,
        revision=REVISION,
        dtype=torch.bfloat16,
    )
    check_vocabulary(model, tokenizer)
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=16,
        lora_alpha=32,
        lora_dropout=0.05,
        target_modules="all-linear",
    )
    return get_peft_model(model, adapter)


# Trainer · llama_lora.method
def build_trainer(
    arguments: SFTConfig,
    tokenizer: PreTrainedTokenizerBase,
    datasets: dict[str, Dataset],
    model: PeftModel,
) -> SFTTrainer:
    """Everything put together."""
    return SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        eval_dataset=datasets["eval"],
        processing_class=tokenizer,
        callbacks=[RunLog(OUTPUT)],
    )


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
    save_result(trainer, tokenizer, OUTPUT / "final")


if __name__ == "__main__":
    main()
