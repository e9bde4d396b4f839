# ftc 0.1.0 · spec.ft › qlora · source 3840bf8b · body da908e4b
"""QLoRA on one card.

One optimizer step is 16 sequences: 4 a device × 1 device × 4 accumulated.
"""

from pathlib import Path

import torch
from datasets import Dataset
from ftruntime.aligners import standard
from ftruntime.callbacks import RunLog
from ftruntime.checks import check_datasets
from ftruntime.finish import save_result
from ftruntime.launch import require_gpus
from ftruntime.loaders import read_files
from ftruntime.models import check_vocabulary
from ftruntime.summary import print_summary
from ftruntime.templates import set_up_tokenizer
from ftruntime.tokenize import tokenize
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    ProgressCallback,
    set_seed,
)
from trl import SFTConfig, SFTTrainer

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
    check_vocabulary(model, tokenizer)
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
def build_trainer(arguments, tokenizer, datasets, model) -> SFTTrainer:
    """Everything put together."""
    trainer = SFTTrainer(
        model=model,
        args=arguments,
        train_dataset=datasets["train"],
        processing_class=tokenizer,
        callbacks=[RunLog(OUTPUT)],
    )
    trainer.remove_callback(ProgressCallback)  # RunLog shows the progress
    # what is trained is stored in float32, whatever the frozen weights are stored in
    for weight in model.parameters():
        if weight.requires_grad:
            weight.data = weight.data.float()
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
    save_result(trainer, tokenizer, OUTPUT / "final")


if __name__ == "__main__":
    main()
