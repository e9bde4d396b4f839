# ftc 0.1.0 · support.ft › support_full · source 92280f5d · body 55531ada
"""All weights, on the chats.

One optimizer step is 16 sequences: 2 a device × 1 device × 8 accumulated.
"""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import sharegpt
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

ROOT = Path(__file__).resolve().parents[2]  # the folder of support.ft
OUTPUT = ROOT / "out/support_full"
MODEL = "Qwen/Qwen2.5-0.5B-Instruct"
REVISION = "7ae557604adf67be50417f59c2c2f167def9a775"


# Training · support_full.training, optimizer, schedule
def build_arguments() -> SFTConfig:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_gpus(1)
    return SFTConfig(
        output_dir=str(OUTPUT),
        num_train_epochs=2,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=8,  # 16 seqs = 2 × 1 device × 8
        optim="adamw_torch_fused",
        learning_rate=1e-5,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        activation_checkpointing=True,
        save_strategy="epoch",
        save_total_limit=2,
        logging_steps=10,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        # tokenized and masked by build_datasets
        dataset_kwargs={"skip_prepare_dataset": True},
        seed=42,
    )


# Tokenizer · support_full.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(MODEL, revision=REVISION))


# Data · support_full.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = sharegpt(
        read_files(ROOT / "rows/chats.jsonl"),
        roles={"human": "user", "gpt": "assistant"},
    )
    return {"train": tokenize(train, tokenizer, max_length=2048)}


# Model · support_full.model, tune
def build_model(tokenizer):
    """The weights, all of them trained."""
    return AutoModelForCausalLM.from_pretrained(
        MODEL,
        revision=REVISION,
        dtype=torch.float32,
    )


# Trainer · support_full.method
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
