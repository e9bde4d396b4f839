"""Write `ftlang/schema/signatures.json`: what the installed training libraries accept.

Run it after an upgrade of the tested versions: `python tools/inspect_signatures.py`.  Names,
types, choices and defaults only, by inspection; none of the libraries' prose.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import json
import sys
import textwrap
import types
import typing
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "ftlang" / "schema" / "signatures.json"
LIBRARIES = (
    *("torch", "transformers", "trl", "peft", "datasets", "accelerate", "bitsandbytes"),
    *("gguf", "matplotlib"),
)

Argument = dict[str, object]


def signatures() -> dict[str, object]:
    """The whole table, as JSON values; imports the training libraries."""
    from peft import LoraConfig
    from transformers import (
        AutoModelForCausalLM,
        AutoTokenizer,
        BitsAndBytesConfig,
        PreTrainedModel,
        PreTrainedTokenizerBase,
        Trainer,
        TrainingArguments,
    )
    from transformers.trainer_utils import SchedulerType
    from transformers.training_args import OptimizerNames
    from trl import SFTConfig, SFTTrainer

    of_model = [AutoModelForCausalLM.from_pretrained, PreTrainedModel.from_pretrained]
    of_tokenizer = [AutoTokenizer.from_pretrained, PreTrainedTokenizerBase.from_pretrained]
    return {
        "versions": {name: metadata.version(name).partition("+")[0] for name in LIBRARIES},
        "classes": {
            "AutoModelForCausalLM.from_pretrained": of_functions(of_model),
            "AutoTokenizer.from_pretrained": of_functions(of_tokenizer),
            "BitsAndBytesConfig": of_functions([BitsAndBytesConfig.__init__]),
            "LoraConfig": of_dataclass(LoraConfig),
            "SFTConfig": of_dataclass(SFTConfig),
            "SFTTrainer": of_functions([SFTTrainer.__init__]),
            "Trainer": of_functions([Trainer.__init__]),
            "TrainingArguments": of_dataclass(TrainingArguments),
        },
        "optimizers": [member.value for member in OptimizerNames],
        "schedulers": [member.value for member in SchedulerType],
    }


def of_dataclass(cls: type) -> dict[str, Argument]:
    """Arguments of a dataclass's constructor by name; factories of defaults are called."""
    found = {}
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        found[field.name] = entry = described(field.type)
        if field.default is not dataclasses.MISSING:
            entry["default"] = as_json(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            entry["default"] = as_json(field.default_factory())
        else:
            entry["required"] = True
    return found


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
                entry["default"] = as_json(parameter.default)
            found.setdefault(parameter.name, entry)
    for function in functions:
        for name, entry in popped(function).items():
            found.setdefault(name, entry)
    return {name: found[name] for name in sorted(found) if not name.startswith("_")}


def popped(function: Callable[..., object]) -> dict[str, Argument]:
    """Keywords that the source takes by `kwargs.pop("name", default)` or `kwargs.get`."""
    found: dict[str, Argument] = {}
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="kwargs"), attr="pop" | "get"),
                args=[ast.Constant(value=str(name)), *rest],
            ):
                entry: Argument = {}
                if rest and isinstance(rest[0], ast.Constant):
                    entry["default"] = as_json(rest[0].value)
                found.setdefault(name, entry)
    return found


def described(annotation: object) -> Argument:
    """The type as text, and the choices that its enums and literals list."""
    entry: Argument = {"type": type_text(annotation)}
    if found := choices(annotation):
        entry["choices"] = found
    return entry


def type_text(annotation: object) -> str:
    """One spelling for every Python version: `A | None`, classes by their bare name."""
    if isinstance(annotation, str):
        return ast.unparse(ast.parse(annotation, mode="eval"))
    if annotation is None or annotation is types.NoneType:
        return "None"
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(type_text, arguments))
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if isinstance(annotation, list):
        return f"[{', '.join(map(type_text, annotation))}]"
    if annotation is Ellipsis:
        return "..."
    if origin is not None:
        return f"{type_text(origin)}[{', '.join(map(type_text, arguments))}]"
    return getattr(annotation, "__name__", None) or str(annotation).rpartition(".")[2]


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


def text() -> str:
    """The file's content: one argument a line, so that an upgrade reads as a diff."""
    table = signatures()
    parts = []
    for key, value in table.items():
        if key == "classes":
            assert isinstance(value, dict)
            blocks = [f"  {json.dumps(name)}: {_lines(of, '   ')}" for name, of in value.items()]
            parts.append(f' "classes": {{\n{_joined(blocks)}\n }}')
        elif isinstance(value, dict):
            parts.append(f" {json.dumps(key)}: {_lines(value, '  ')}")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return f"{{\n{_joined(parts)}\n}}\n"


def _lines(entries: dict[str, object], indent: str) -> str:
    lines = [f"{indent}{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items()]
    return f"{{\n{_joined(lines)}\n{indent[:-1]}}}"


def _joined(parts: list[str]) -> str:
    return ",\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(text(), "utf-8", newline="\n")
    print(f"wrote {TARGET}", file=sys.stderr)
