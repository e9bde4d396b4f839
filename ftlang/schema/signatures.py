"""What the tested libraries accept, as data: read from `libraries/*.json`, written by inspection.

`tools/inspect_signatures.py` makes the files and a test compares them with what is installed.
Classes are named as in Python (`SFTConfig`, `AutoModelForCausalLM.from_pretrained`).  A file is
read when it is first asked for: a spec that has only our own fields needs none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from ftlang.record import Record


class Argument(Record):
    """One argument of a class or function: its type as text, and what is known of its default."""

    name: str
    type: str  # "" where the library states none
    choices: tuple[object, ...] = ()  # what an enum or a literal type lists
    default: object = None  # meaningless if `required` or `opaque`
    required: bool = False
    opaque: bool = False  # there is a default, and it has no JSON form
    both_nones: bool = False  # "none" is a choice of its own beside Python's None


def has(class_name: str, argument: str) -> bool:
    """Whether the class has an argument of this name; raises KeyError for an unknown class."""
    return argument in _entries(class_name)


def argument(class_name: str, name: str) -> Argument:
    """All that is known of one argument; raises KeyError if the class or it is unknown."""
    return _argument(name, _entry(class_name, name))


def default(class_name: str, argument: str) -> object:
    """The argument's default; raises KeyError if it is unknown, required or opaque."""
    found: object = _entry(class_name, argument)["default"]
    return found


def choices(class_name: str, argument: str) -> tuple[object, ...]:
    """The values that an enum or literal type lists; empty for every other type."""
    return tuple(_entry(class_name, argument).get("choices", ()))


def arguments(class_name: str) -> tuple[str, ...]:
    """Names of a class's arguments, with inherited ones; raises KeyError for an unknown class."""
    return tuple(_entries(class_name))


def own_arguments(class_name: str) -> tuple[str, ...]:
    """Names of the arguments that the class does not inherit from the one it extends."""
    base = _class(class_name).get("extends")
    inherited = _entries(base) if base else {}
    return tuple(name for name in _entries(class_name) if name not in inherited)


def classes() -> tuple[str, ...]:
    """Names of all classes and functions that were inspected."""
    return tuple(_table("kinds")["files"])


def optimizers() -> tuple[str, ...]:
    """Values of `optim`."""
    return tuple(_table("kinds")["optimizers"])


def schedulers() -> tuple[str, ...]:
    """Values of `lr_scheduler_type`."""
    return tuple(_table("kinds")["schedulers"])


def scheduler_arguments(name: str) -> tuple[Argument, ...]:
    """What its `lr_scheduler_kwargs` may hold; raises KeyError for an unknown scheduler."""
    found = _table("kinds")["schedulers"][name]
    return tuple(_argument(key, entry) for key, entry in found.items())


def tuners() -> Mapping[str, str]:
    """PEFT's config class by the kind of `tune`: `lora` → `LoraConfig`."""
    found: dict[str, str] = _table("kinds")["tuners"]
    return found


def quantizations() -> Mapping[str, str]:
    """Transformers' quantization config class by its name there: `gptq` → `GPTQConfig`."""
    found: dict[str, str] = _table("kinds")["quantizations"]
    return found


def versions() -> dict[str, str]:
    """The version of each library that was inspected, which is the one tested."""
    return dict(_table("kinds")["versions"])


def _argument(name: str, entry: Mapping[str, Any]) -> Argument:
    return Argument(
        name=name,
        type=entry.get("type", ""),
        choices=tuple(entry.get("choices", ())),
        default=entry.get("default"),
        required="required" in entry,
        opaque="opaque" in entry,
        both_nones="none_and_None" in entry,
    )


def _entry(class_name: str, argument: str) -> dict[str, Any]:
    try:
        return _entries(class_name)[argument]
    except KeyError:
        raise KeyError(f"{class_name} has no argument {argument}") from None


@cache
def _entries(class_name: str) -> dict[str, dict[str, Any]]:
    found = _class(class_name)
    inherited = _entries(found["extends"]) if "extends" in found else {}
    return {**inherited, **found["arguments"]}


def _class(class_name: str) -> dict[str, Any]:
    found: dict[str, Any] = _table(_table("kinds")["files"][class_name])[class_name]
    return found


@cache
def _table(file: str) -> dict[str, Any]:
    from pathlib import Path

    path = Path(__file__).parent / "libraries" / f"{file}.json"
    table: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return table
