"""Run by tests: the first rows as the trainer's own collator and columns give them to the model."""

import json
import runpy
import sys

script = runpy.run_path(sys.argv[1], run_name="emitted")
tokenizer = script["build_tokenizer"]()
datasets = script["build_datasets"](tokenizer)
arguments = script["build_arguments"]()
trainer = script["build_trainer"](arguments, tokenizer, datasets, script["build_model"](tokenizer))
loader = trainer.get_eval_dataloader(datasets["train"])  # the same collator, in order
batch = next(iter(loader))
rows = [
    {
        "input_ids": [i for i, seen in zip(ids, mask, strict=True) if seen],
        "labels": [i for i, seen in zip(labels, mask, strict=True) if seen],
        "padding": sorted({i for i, seen in zip(labels, mask, strict=True) if not seen}),
    }
    for ids, labels, mask in zip(
        batch["input_ids"].tolist(),
        batch["labels"].tolist(),
        batch.get("attention_mask", batch["input_ids"] * 0 + 1).tolist(),
        strict=True,
    )
]
print("BATCH", json.dumps(rows))
