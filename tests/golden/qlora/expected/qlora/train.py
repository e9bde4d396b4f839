# ftc 0.1.0 · spec.ft › qlora · source 13e2dcea · body dd079a28
"""QLoRA on one card.

One optimizer step is 16 sequences: 4 a device × 1 device × 4 accumulated.
"""

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
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from torch.distributed.elastic.multiprocessing.errors import record
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    set_seed,
)
from trl import SFTConfig

ROOT = Path(__file__).resolve().parents[2]  # the folder of spec.ft
OUTPUT = ROOT / "out/qlora"
MODEL = "org/model"
REVISION = "0123456789012345678901234567890123456789"


# Training · qlora.training, optimizer, schedule
def build_arguments() -> SFTConfig:
    """The hyper-parameters; touches the device, so only main() calls it."""
    require_gpus(1)
    return SFTConfig(
        output_dir=str(OUTPUT),
        num_train_epochs=3,
        per_device_train_batch_size=4,
        gradient_accumulation_steps=4,  # 16 seqs = 4 × 1 device × 4
        optim="paged_adamw_8bit",
        learning_rate=2e-4,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,  # below 1: a share of all steps
        bf16=True,
        activation_checkpointing=True,
        include_num_input_tokens_seen="non_padding",  # for tokens/s
        # tokenized and masked by build_datasets
        dataset_kwargs={"skip_prepare_dataset": True},
    )


# Tokenizer · qlora.model
def build_tokenizer():
    """The tokenizer, its chat template checked: it has one, and it closes every turn."""
    return set_up_tokenizer(AutoTokenizer.from_pretrained(MODEL, revision=REVISION))


# Data · qlora.data
def build_datasets(tokenizer) -> dict[str, Dataset]:
    """Token ids, with labels on the assistant's turns and -100 everywhere else."""
    train = standard(read_files(ROOT / "rows.jsonl"))
    return {"train": tokenize(train, tokenizer, max_length=2048)}


# Model · qlora.model, tune
def build_model(tokenizer):
    """Frozen weights with adapters on them."""
    model = AutoModelForCausalLM.from_pretrained(
        MODEL,
        revision=REVISION,
        dtype=torch.bfloat16,
        attn_implementation="flash_attention_2",
        quantization_config=BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        ),
    )
    model = prepare_model_for_kbit_training(
        model,
        use_gradient_checkpointing=False,  # the trainer turns it on
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=64,
        lora_alpha=16,
        lora_dropout=0.1,
        target_modules=["q_proj", "v_proj"],
        use_rslora=True,
    )
    return get_peft_model(model, adapter, revision=REVISION)


# Trainer · qlora.method
def build_trainer(arguments, tokenizer, datasets, model) -> CheckedSFTTrainer:
    """Everything put together."""
    trainer = CheckedSFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        processing_class=tokenizer,
    )
    # what is trained is stored in float32, whatever the frozen weights are stored in
    for weight in model.parameters():
        if weight.requires_grad:
            weight.data = weight.data.float()
    return trainer


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
