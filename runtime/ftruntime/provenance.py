"""What a run was made from: digests of its script, data, template and tokenizer, in run.json.

The file stands in the output folder, in each checkpoint and beside the result, so that weights can
always be told apart by what made them.
"""

import ast
import hashlib
import json
import os
import platform
import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

RUN_FILE = "run.json"
PACKAGES = ("ftlang", "torch", "transformers", "trl", "peft", "datasets", "accelerate")

# Arguments and names that change no weight of a training that goes on: where things are written,
# and how often something is saved, measured or told.
APART = frozenset(
    {
        "output_dir",
        "run_name",
        "project",
        "report_to",
        "logging_steps",
        "logging_strategy",
        "logging_first_step",
        "logging_nan_inf_filter",
        "log_level",
        "log_level_replica",
        "log_on_each_node",
        "disable_tqdm",
        "save_steps",
        "save_strategy",
        "save_total_limit",
        "save_on_each_node",
        "eval_steps",
        "eval_strategy",
        "eval_on_start",
        "eval_delay",
        "eval_dataset",
        "per_device_eval_batch_size",
        "eval_accumulation_steps",
        "load_best_model_at_end",
        "metric_for_best_model",
        "greater_is_better",
        "include_num_input_tokens_seen",
        "callbacks",
        "dataloader_num_workers",
        "dataloader_pin_memory",
        "dataloader_prefetch_factor",
        "dataloader_persistent_workers",
        "ddp_timeout",
        "OUTPUT",
        "QUESTIONS",
        "ROOT",
    }
)
_HEADER = re.compile(r"# ftc (\S+) · (.+) › (.+) · source ([0-9a-f]+) · body ([0-9a-f]+)")


def record_of(script: Path, tokenizer: Any, datasets: dict[str, Any]) -> dict[str, Any]:
    """Everything that run.json says of a script and of what it read.

    `trains` are the settings that decide the weights (see `settings`); digests are sha256.
    """
    text = script.read_text(encoding="utf-8")
    head = _HEADER.match(text)
    fields = head.groups() if head else (None,) * 5
    named = dict(zip(("ftc", "spec", "run", "source", "body"), fields, strict=True))
    template = tokenizer.chat_template
    template = template if isinstance(template, str) else json.dumps(template, sort_keys=True)
    return {
        "version": 1,
        **named,
        "script": hashlib.sha256(text.encode()).hexdigest(),
        "trains": settings(text),
        "data": {name: data_record(rows) for name, rows in datasets.items()},
        "template": hashlib.sha256(template.encode()).hexdigest(),
        "tokenizer": tokenizer_digest(tokenizer),
        "processes": int(os.environ.get("WORLD_SIZE", "1")),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def settings(text: str) -> dict[str, str]:
    """The parts of a script that decide its weights, by a name such as `SFTConfig.learning_rate`.

    An argument is a setting of its own; what is left of a function is one more, under the
    function's name.  Comments, docstrings, `main`, imports and what is APART are left out.
    """
    found: dict[str, str] = {}
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign):
            name = ast.unparse(statement.targets[0])
            if name not in APART:
                found[name] = ast.unparse(statement.value)
        elif isinstance(statement, ast.FunctionDef) and statement.name != "main":
            taken = _Taken()
            code = ast.unparse(taken.visit(statement))
            for name, value in taken.found:
                _put(found, name, value)
            _put(found, statement.name, code)
    return found


def _put(found: dict[str, str], name: str, value: str) -> None:
    """Two calls of one function have two settings of a name."""
    number = 2
    key = name
    while key in found:
        key, number = f"{name} ({number})", number + 1
    found[key] = value


class _Taken(ast.NodeTransformer):
    """Takes docstrings and keyword arguments out of a function, and keeps the arguments."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = ast.unparse(node.func)
        kept = [keyword for keyword in node.keywords if keyword.arg not in APART]
        node.keywords = kept
        self.generic_visit(node)
        self.found += [(f"{name}.{k.arg or '**'}", ast.unparse(k.value)) for k in kept]
        node.keywords = []
        return node


def data_record(rows: Any) -> dict[str, Any]:
    """Rows, tokens, trained tokens and the digest of ids and labels, a chunk at a time."""
    digest = hashlib.sha256()
    tokens = trained = 0
    for table in rows.with_format("arrow").iter(batch_size=1000):
        for column in ("input_ids", "labels"):
            lists = table[column].combine_chunks()
            values = lists.flatten().to_numpy(zero_copy_only=False)
            digest.update(lists.value_lengths().to_numpy(zero_copy_only=False).astype("<i8"))
            digest.update(values.astype("<i8"))
            if column == "input_ids":
                tokens += len(values)
            else:
                trained += int((values != -100).sum())
    return {"rows": len(rows), "tokens": tokens, "trained": trained, "sha256": digest.hexdigest()}


def tokenizer_digest(tokenizer: Any) -> str:
    """Of the whole fast tokenizer: vocabulary, merges, normalizer, special tokens."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    text = backend.to_str() if backend is not None else json.dumps(sorted(tokenizer.get_vocab()))
    return hashlib.sha256(text.encode()).hexdigest()


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What differs between two records in what decides the weights, a line each."""
    return [*_settings_lines(old["trains"], new["trains"]), *_input_lines(old, new)]


def _settings_lines(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    for name in [*old, *(name for name in new if name not in old)]:
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if before is None or after is None or "\n" not in before + after:
            yield f"{name}: {_shown(before)} → {_shown(after)}"
            continue
        was, now = before.splitlines(), after.splitlines()
        gone = [line.strip() for line in was if line not in now]
        come = [line.strip() for line in now if line not in was]
        yield f"{name}: {'; '.join(gone) or 'nothing'} → {'; '.join(come) or 'nothing'}"


def _shown(value: str | None) -> str:
    return "the default" if value is None else " ".join(value.split())


def _input_lines(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    before, after = old["data"].get("train", {}), new["data"].get("train", {})
    if before.get("sha256") != after.get("sha256"):
        counts = [
            f"{of.get('rows', 0):,} rows, {of.get('tokens', 0):,} tokens" for of in (before, after)
        ]
        same = " (of the same size)" if counts[0] == counts[1] else ""
        yield f"the training data: {counts[0]} → {counts[1]}, with other content{same}"
    for name, label in (("template", "the chat template"), ("tokenizer", "the tokenizer")):
        if old[name] != new[name]:
            yield f"{label}: sha256 {old[name][:12]} → {new[name][:12]}"


def write_record(file: Path, record: dict[str, Any]) -> None:
    """Writes JSON whole or not at all."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(file)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
