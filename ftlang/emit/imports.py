"""The imports of a script, computed from the names that its text uses: sorted, none unused."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict

# Every name that a template or a plan may use, and the module that has it.
MODULES: dict[str, str] = {
    "Path": "pathlib",
    "Dataset": "datasets",
    "record": "torch.distributed.elastic.multiprocessing.errors",
    "alpaca": "ftruntime.aligners",
    "messages": "ftruntime.aligners",
    "prompt_completion": "ftruntime.aligners",
    "sharegpt": "ftruntime.aligners",
    "standard": "ftruntime.aligners",
    "SampleAnswers": "ftruntime.callbacks",
    "save_result": "ftruntime.finish",
    "gguf_model": "ftruntime.gguf",
    "accumulation_steps": "ftruntime.launch",
    "require_gpus": "ftruntime.launch",
    "require_processes": "ftruntime.launch",
    "read_files": "ftruntime.loaders",
    "open_run": "ftruntime.output",
    "preflight": "ftruntime.preflight",
    "prepared_once": "ftruntime.prepared",
    "environment": "ftruntime.lookups",
    "result_of": "ftruntime.lookups",
    "secret": "ftruntime.lookups",
    "builtin_model": "ftruntime.models",
    "set_up_tokenizer": "ftruntime.templates",
    "tokenize": "ftruntime.tokenize",
    "CheckedTrainer": "ftruntime.trainers.plain",
    "CheckedSFTTrainer": "ftruntime.trainers.sft",
    "LoraConfig": "peft",
    "get_peft_model": "peft",
    "prepare_model_for_kbit_training": "peft",
    "AutoModelForCausalLM": "transformers",
    "AutoTokenizer": "transformers",
    "BitsAndBytesConfig": "transformers",
    "DataCollatorForSeq2Seq": "transformers",
    "TrainingArguments": "transformers",
    "set_seed": "transformers",
    "SFTConfig": "trl",
    "pack_dataset": "trl",
}
WHOLE = ("torch",)


def import_lines(body: str) -> list[str]:
    """Import statements for the names that `body` reads and does not define itself."""
    tree = ast.parse(body)
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    by_module: dict[str, list[str]] = defaultdict(list)
    for name in used & MODULES.keys():
        by_module[MODULES[name]].append(name)
    whole = [f"import {name}" for name in WHOLE if name in used]
    standard = [m for m in by_module if m.split(".")[0] in sys.stdlib_module_names]
    first = [_from(m, by_module[m]) for m in sorted(standard)]
    second = [_from(m, by_module[m]) for m in sorted(set(by_module) - set(standard))]
    groups = ["\n".join(first), "\n".join([*whole, *second])]
    return "\n\n".join(g for g in groups if g).split("\n")


def _from(module: str, names: list[str]) -> str:
    """One import, one name a line where it is too wide; constants, classes, then functions."""
    ordered = sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    row = f"from {module} import {', '.join(ordered)}"
    if len(row) <= 88:
        return row
    return "\n".join([f"from {module} import (", *(f"    {n}," for n in ordered), ")"])
