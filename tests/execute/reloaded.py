"""Run by tests: runs a script's `main`, keeps the logits it ended with, and compares a reload."""

import runpy
import shutil
import sys

import torch
from ftruntime.cache import cache_folder
from ftruntime.finish import load_result

script = runpy.run_path(sys.argv[1], run_name="emitted")
space = script["main"].__wrapped__.__globals__
kept = {}
save = space["save_result"]


def spy(trainer, tokenizer, folder, **more):
    save(trainer, tokenizer, folder, **more)
    kept["folder"], kept["template"] = folder, tokenizer.chat_template
    kept["model"] = trainer.model.eval()


space["save_result"] = spy
script["main"]()
ids = torch.arange(5, 60)[None]
with torch.no_grad():
    ended = kept["model"](input_ids=ids).logits
if "forget" in sys.argv:
    shutil.rmtree(cache_folder())
model, tokenizer = load_result(kept["folder"])
with torch.no_grad():
    again = model.eval()(input_ids=ids).logits
difference = (ended.float() - again.float()).abs().max().item()
assert (kept["folder"] / "chat_template.jinja").read_text() == kept["template"]
assert tokenizer.chat_template == kept["template"]
ends = model.generation_config.eos_token_id
ends = ends if isinstance(ends, list) else [ends]
assert tokenizer.convert_tokens_to_ids("<|im_end|>") in ends
print("DIFFERENCE", difference)
