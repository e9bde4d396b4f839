"""Run by tests: trains by a script's own functions and prints the share of weights moved."""

import json
import runpy
import sys

from transformers import set_seed

script = runpy.run_path(sys.argv[1], run_name="emitted")
set_seed(1)
tokenizer = script["build_tokenizer"]()
datasets = script["build_datasets"](tokenizer)
arguments = script["build_arguments"]()
model = script["build_model"](tokenizer)
before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
dtypes = sorted({str(weight.dtype) for weight in model.parameters()})
trainer = script["build_trainer"](arguments, tokenizer, datasets, model)
trainer.train()
moved = total = 0
for name, weight in model.named_parameters():
    if weight.requires_grad:
        moved += int((weight.detach() != before[name]).sum())
        total += weight.numel()
print("MOVED", json.dumps({"share": moved / total, "dtypes": dtypes}))
