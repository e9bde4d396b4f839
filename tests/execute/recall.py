"""Run by tests: greedy decoding of a saved result must reproduce the rows that it memorised."""

import json
import sys
from pathlib import Path

import torch
from ftruntime.finish import load_result

folder, share = Path(sys.argv[1]), float(sys.argv[2])
model, tokenizer = load_result(folder)
model.eval()
rows = [json.loads(r) for r in Path(__file__).with_name("rows.jsonl").read_text().splitlines()]
right = asked = 0
for row in rows:
    messages = row["messages"]
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        prompt = tokenizer.apply_chat_template(
            messages[:at], add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        with torch.no_grad():
            made = model.generate(**prompt, max_new_tokens=40, do_sample=False)[0]
        new = made[prompt["input_ids"].shape[1] :].tolist()
        answer = tokenizer.decode(new, skip_special_tokens=True)
        ends = model.generation_config.eos_token_id
        stopped = new[-1] in (ends if isinstance(ends, list) else [ends])
        asked += 1
        right += answer == message["content"] and stopped
print(f"{right} of {asked} right")
sys.exit(0 if right >= share * asked else 1)
