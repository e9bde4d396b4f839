"""Write `ftlang/schema/libraries/*.json`: what the installed training libraries accept.

Run it after an upgrade of the tested versions: `python tools/inspect_signatures.py`.  Names,
types, choices and defaults only, by inspection; none of the libraries' prose.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import json
import re
import sys
import textwrap
import types
import typing
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "ftlang" / "schema" / "libraries"
LIBRARIES = (
    *("torch", "transformers", "trl", "peft", "datasets", "accelerate", "bitsandbytes"),
    *("gguf", "matplotlib"),
)
# What the trainer gives to a scheduler's function; the rest is `lr_scheduler_kwargs`.
OF_TRAINER = {"optimizer", "num_warmup_steps", "num_training_steps", "last_epoch"}
ENTRY = {"type", "choices", "default", "required", "opaque", "none_and_None"}

Argument = dict[str, object]
Arguments = dict[str, Argument]


def signatures() -> dict[str, dict[str, object]]:
    """The tables by file name, as JSON values; imports the training libraries."""
    files = {
        "trainers": trainers(),
        "loading": loading(),
        "peft": tuner_configs(),
        "quantization": quantization_configs(),
    }
    kinds = {
        "versions": {name: metadata.version(name).partition("+")[0] for name in LIBRARIES},
        "files": {name: file for file, classes in files.items() for name in classes},
        **kinds_of_blocks(),
    }
    return {"kinds": kinds, **files}


def trainers() -> dict[str, object]:
    """Configs of the trainers, each with what it adds to or changes of TrainingArguments."""
    import trl
    from transformers import Trainer, TrainingArguments
    from trl.experimental.cpo import CPOConfig
    from trl.experimental.distillation import DistillationConfig
    from trl.experimental.gkd import GKDConfig
    from trl.experimental.online_dpo import OnlineDPOConfig
    from trl.experimental.orpo import ORPOConfig

    shared = of_dataclass(TrainingArguments)
    configs = [trl.SFTConfig, trl.DPOConfig, trl.KTOConfig, trl.RewardConfig]
    configs += [trl.GRPOConfig, trl.RLOOConfig, ORPOConfig, CPOConfig]
    configs += [GKDConfig, OnlineDPOConfig, DistillationConfig]
    return {
        "TrainingArguments": {"arguments": shared},
        **{c.__name__: extended("TrainingArguments", shared, of_dataclass(c)) for c in configs},
        "SFTTrainer": {"arguments": of_functions([trl.SFTTrainer.__init__])},
        "Trainer": {"arguments": of_functions([Trainer.__init__])},
    }


def loading() -> dict[str, object]:
    """The keywords of `from_pretrained` of models and of tokenizers."""
    from transformers import (
        AutoModelForCausalLM,
        AutoTokenizer,
        PreTrainedModel,
        PreTrainedTokenizerBase,
    )

    of_model = [AutoModelForCausalLM.from_pretrained, PreTrainedModel.from_pretrained]
    of_tokenizer = [AutoTokenizer.from_pretrained, PreTrainedTokenizerBase.from_pretrained]
    return {
        "AutoModelForCausalLM.from_pretrained": {"arguments": of_functions(of_model)},
        "AutoTokenizer.from_pretrained": {"arguments": of_functions(of_tokenizer)},
    }


def tuner_configs() -> dict[str, object]:
    """Every adapter's config, each with what it adds to or changes of PeftConfig."""
    from peft import PEFT_TYPE_TO_CONFIG_MAPPING, PeftConfig

    shared = of_dataclass(PeftConfig)
    return {
        "PeftConfig": {"arguments": shared},
        **{
            c.__name__: extended("PeftConfig", shared, of_dataclass(c))
            for c in PEFT_TYPE_TO_CONFIG_MAPPING.values()
        },
    }


def quantization_configs() -> dict[str, object]:
    """Every quantization config that Transformers loads a model with."""
    from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING

    configs = dict.fromkeys(AUTO_QUANTIZATION_CONFIG_MAPPING.values())
    return {c.__name__: {"arguments": of_functions([c.__init__])} for c in configs}


def kinds_of_blocks() -> dict[str, object]:
    """The kinds that the libraries list: optimizers, schedules, adapters and quantizations."""
    from peft import PEFT_TYPE_TO_CONFIG_MAPPING
    from torch.optim.lr_scheduler import ReduceLROnPlateau
    from transformers.optimization import TYPE_TO_SCHEDULER_FUNCTION, GreedyLR
    from transformers.quantizers.auto import AUTO_QUANTIZATION_CONFIG_MAPPING
    from transformers.trainer_utils import SchedulerType
    from transformers.training_args import OptimizerNames

    behind = {"reduce_lr_on_plateau": ReduceLROnPlateau.__init__, "greedy": GreedyLR.__init__}
    schedulers = {
        member.value: {
            name: entry
            for name, entry in of_functions(
                [behind.get(member.value, TYPE_TO_SCHEDULER_FUNCTION[member])]
            ).items()
            if name not in OF_TRAINER
        }
        for member in SchedulerType
    }
    return {
        "optimizers": [member.value for member in OptimizerNames],
        "schedulers": schedulers,
        "tuners": {
            kind.value.lower(): c.__name__ for kind, c in PEFT_TYPE_TO_CONFIG_MAPPING.items()
        },
        "quantizations": {kind: c.__name__ for kind, c in AUTO_QUANTIZATION_CONFIG_MAPPING.items()},
    }


def extended(base_name: str, base: Arguments, arguments: Arguments) -> dict[str, object]:
    """A config by its difference from the one it extends; it must have every argument of that."""
    if missing := base.keys() - arguments.keys():
        raise ValueError(f"arguments of {base_name} that a config lacks: {sorted(missing)}")
    own = {name: entry for name, entry in arguments.items() if entry != base.get(name)}
    return {"extends": base_name, "arguments": own}


def of_dataclass(cls: type) -> dict[str, Argument]:
    """Arguments of a dataclass's constructor by name; factories of defaults are called."""
    found = {}
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        found[field.name] = entry = described(field.type)
        if listed := field.metadata.get("choices"):  # what its command line allows
            entry.setdefault("choices", [as_json(value) for value in listed])
        if field.default is not dataclasses.MISSING:
            entry |= default(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            entry |= default(field.default_factory())
        else:
            entry["required"] = True
    return {name: flagged(entry) for name, entry in found.items()}


def of_functions(functions: list[Callable[..., object]]) -> dict[str, Argument]:
    """Arguments of functions that pass their `**kwargs` on, the first one's taking precedence.

    A keyword that a function takes out of `kwargs` by name counts, after those of signatures.
    """
    found: dict[str, Argument] = {}
    for function in functions:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name in ("self", "cls") or parameter.kind in (
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
            ):
                continue
            bare = parameter.annotation is parameter.empty
            entry: Argument = {} if bare else described(parameter.annotation)
            if parameter.default is parameter.empty:
                entry["required"] = True
            else:
                entry |= default(parameter.default)
            found.setdefault(parameter.name, entry)
    for function in functions:
        for name, entry in popped(function).items():
            found.setdefault(name, entry)
    return {name: flagged(found[name]) for name in sorted(found) if not name.startswith("_")}


def popped(function: Callable[..., object]) -> dict[str, Argument]:
    """Keywords that the source takes by `kwargs.pop("name", default)` or `kwargs.get`."""
    found: dict[str, Argument] = {}
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="kwargs"), attr="pop" | "get" as how),
                args=[ast.Constant(value=str(name)), *rest],
            ):
                entry: Argument = {"opaque": True}
                if rest and isinstance(rest[0], ast.Constant):
                    entry = default(rest[0].value)
                elif how == "get" and not rest:
                    entry = default(None)
                found.setdefault(name, entry)
    return found


def default(value: object) -> Argument:
    """A default as a JSON value, or the mark of one that has no such form."""
    try:
        return {"default": as_json(value)}
    except TypeError:
        return {"opaque": True}


def flagged(entry: Argument) -> Argument:
    """The entry, marked if it admits both the choice `"none"` and Python's None."""
    named = "none" in entry.get("choices", ()) or entry.get("default") == "none"
    if named and "None" in re.findall(r"\w+", str(entry.get("type", ""))):
        return {**entry, "none_and_None": True}
    return entry


def described(annotation: object) -> Argument:
    """The type as text, and the choices that its enums and literals list."""
    entry: Argument = {"type": type_text(annotation)}
    if found := choices(annotation):
        entry["choices"] = found
    return entry


def type_text(annotation: object) -> str:
    """One spelling for every Python version: `A | None`, classes by their bare name."""
    if isinstance(annotation, str):
        return ast.unparse(Spelled().visit(ast.parse(annotation, mode="eval")))
    if annotation is None or annotation is types.NoneType:
        return "None"
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(type_text, arguments))
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if isinstance(annotation, list):
        return f"[{', '.join(map(type_text, annotation))}]"
    if isinstance(annotation, typing.ForwardRef):
        return annotation.__forward_arg__
    if annotation is Ellipsis:
        return "..."
    if origin is not None:
        return f"{type_text(origin)}[{', '.join(map(type_text, arguments))}]"
    return getattr(annotation, "__name__", None) or str(annotation).rpartition(".")[2]


class Spelled(ast.NodeTransformer):
    """`Optional[A]` and `Union[A, B]` of an annotation's text as `A | None` and `A | B`."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.value).rpartition(".")[2]
        if name not in ("Optional", "Union"):
            return node
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Optional":
            parts = [*parts, ast.Constant(None)]
        whole = parts[0]
        for part in parts[1:]:
            whole = ast.BinOp(whole, ast.BitOr(), part)
        return whole


def choices(annotation: object) -> list[object]:
    """Values that enums and literals inside the annotation allow, in order."""
    if isinstance(annotation, str):
        tree = ast.walk(ast.parse(annotation, mode="eval"))
        literals = [
            node.slice
            for node in tree
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal"
        ]
        found = [ast.literal_eval(part) for part in literals]
        return [x for part in found for x in (part if isinstance(part, tuple) else (part,))]
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return [as_json(member) for member in annotation]
    if typing.get_origin(annotation) is typing.Literal:
        return [as_json(value) for value in typing.get_args(annotation)]
    return [x for argument in typing.get_args(annotation) for x in choices(argument)]


def as_json(value: object) -> object:
    """A default as a JSON value; raises TypeError for one that has no such form."""
    if isinstance(value, enum.Enum):
        return as_json(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return as_json(dataclasses.asdict(value))
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a default of type {type(value).__name__} has no JSON form: {value!r}")


def texts() -> dict[str, str]:
    """The files' contents by name: one argument a line, so that an upgrade reads as a diff."""
    return {f"{name}.json": _text(table, " ") + "\n" for name, table in signatures().items()}


def _text(value: object, indent: str) -> str:
    """JSON with tables spread over lines, and each argument's entry on one."""
    if not isinstance(value, dict) or value.keys() <= ENTRY:
        return json.dumps(value)
    lines = (f"{indent}{json.dumps(k)}: {_text(item, indent + ' ')}" for k, item in value.items())
    joined = ",\n".join(lines)
    return f"{{\n{joined}\n{indent[:-1]}}}"


if __name__ == "__main__":
    for name, content in texts().items():
        (TARGET / name).write_text(content, "utf-8", newline="\n")
    print(f"wrote {TARGET}", file=sys.stderr)
