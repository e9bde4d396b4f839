"""Run by tests: constructs what each script constructs, and prints what went wrong in which.

Trainer arguments are made by `build_arguments`, and of them the optimizer and its schedule; the
calls of adapter and quantization configs are evaluated by themselves; with `--model` tokenizer and
weights load too.
Any warning that is not known is an error.
"""

import ast
import functools
import json
import runpy
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

CONFIGS = {"LoraConfig", "BitsAndBytesConfig"}

# Warnings of the libraries about each other, which no argument of ours causes.
KNOWN = ("`is_gradient_checkpointing` is deprecated",)


def config_calls(text: str) -> list[str]:
    """The source of each call that makes a config."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in CONFIGS
    ]


def on_a_cpu(script: str, space: dict[str, Any]) -> None:
    """Puts `use_cpu` in, for the machine has no GPU."""
    space["require_processes"] = space["require_gpus"] = lambda count: None
    if "use_cpu=" not in Path(script).read_text(encoding="utf-8"):
        for name in {"SFTConfig", "TrainingArguments"} & space.keys():
            space[name] = functools.partial(space[name], use_cpu=True)


def constructed(script: str, load: bool) -> None:
    """Makes everything that the script makes before it trains."""
    names = runpy.run_path(script, run_name="emitted")
    space = names["build_arguments"].__globals__
    on_a_cpu(script, space)
    arguments = names["build_arguments"]()
    import torch
    from transformers import Trainer, get_scheduler

    of, settings = Trainer.get_optimizer_cls_and_kwargs(arguments)
    optimizer = of([torch.nn.Parameter(torch.zeros(2))], **settings)
    get_scheduler(
        arguments.lr_scheduler_type,
        optimizer=optimizer,
        num_warmup_steps=arguments.get_warmup_steps(100),
        num_training_steps=100,
        scheduler_specific_kwargs=arguments.lr_scheduler_kwargs,
    )
    space.setdefault("torch", torch)
    for call in config_calls(Path(script).read_text(encoding="utf-8")):
        eval(call, {**space, "dtype": torch.float32})
    if load:
        build: Callable[..., object] = names["build_model"]
        build(names["build_tokenizer"]())


def main() -> None:
    """Prints one JSON object: script to what it raised, None where nothing."""
    load, *scripts = sys.argv[1:]
    found: dict[str, str | None] = {}
    for script in scripts:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for known in KNOWN:
                warnings.filterwarnings("ignore", known)
            try:
                constructed(script, load == "--model")
                found[script] = None
            except Exception as problem:
                found[script] = f"{type(problem).__name__}: {problem}"
    print("FOUND " + json.dumps(found))


main()
