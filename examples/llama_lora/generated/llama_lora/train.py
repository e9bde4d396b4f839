# ftc 0.1.0 · llama_lora.ft › llama_lora · source 306bfa11 · body 495a27e9
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
from peft import LoraConfig, get_peft_model
from torch.distributed.elastic.multiprocessing.errors import record
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig

ROOT = Path(__file__).resolve().parents[2]  # the folder of llama_lora.ft
OUTPUT = ROOT / "out/llama_lora"
MODEL = "meta-llama/Llama-3.1-8B-Instruct"
REVISION = "0e9e39f249a16976918f6564b8830bc894c89659"


# Training · llama_lora.training, optimizer, schedule
def build_arguments() -> SFTConfig:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_gpus(8)
    return SFTConfig(
        output_dir=str(OUTPUT),
        num_train_epochs=2,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,  # 64 seqs = 4 × 8 devices × 2
        optim="adamw_torch_fused",
        learning_rate=2e-4,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        activation_checkpointing=True,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        # tokenized and masked by build_datasets
        dataset_kwargs={"skip_prepare_dataset": True},
    )


# Tokenizer · llama_lora.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(MODEL, revision=REVISION))


# Data · llama_lora.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = standard(read_files(ROOT / "support/*.jsonl"))
    return {"train": tokenize(train, tokenizer, max_length=4096)}


# Model · llama_lora.model, tune
def build_model(tokenizer):
    """Frozen weights with adapters on them."""
    model = AutoModelForCausalLM.from_pretrained(
        MODEL,
        revision=REVISION,
        dtype=torch.bfloat16,
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
    )
    return get_peft_model(model, adapter, revision=REVISION)


# Trainer · llama_lora.method
def build_trainer(arguments, tokenizer, datasets, model) -> CheckedSFTTrainer:
    """Everything put together."""
    return CheckedSFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
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
