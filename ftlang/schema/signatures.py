"""What the tested libraries accept, as data: read from `signatures.json`, written by inspection.

`tools/inspect_signatures.py` makes the file and a test compares it with what is installed.
Classes are named as in Python (`SFTConfig`, `AutoModelForCausalLM.from_pretrained`).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


def has(class_name: str, argument: str) -> bool:
    """Whether the class has an argument of this name; raises KeyError for an unknown class."""
    return argument in arguments(class_name)


def default(class_name: str, argument: str) -> object:
    """The argument's default; raises KeyError if it is unknown, required or not inspectable."""
    found: object = _argument(class_name, argument)["default"]
    return found


def choices(class_name: str, argument: str) -> tuple[object, ...]:
    """The values that an enum or literal type lists; empty for every other type."""
    return tuple(_argument(class_name, argument).get("choices", ()))


def arguments(class_name: str) -> tuple[str, ...]:
    """Names of a class's arguments; raises KeyError for an unknown class."""
    return tuple(_table()["classes"][class_name])


def optimizers() -> tuple[str, ...]:
    """Values of `optim`."""
    return tuple(_table()["optimizers"])


def schedulers() -> tuple[str, ...]:
    """Values of `lr_scheduler_type`."""
    return tuple(_table()["schedulers"])


def versions() -> dict[str, str]:
    """The version of each library that was inspected, which is the one tested."""
    return dict(_table()["versions"])


def _argument(class_name: str, argument: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = _table()["classes"][class_name][argument]
    except KeyError:
        raise KeyError(f"{class_name} has no argument {argument}") from None
    return found


@cache
def _table() -> dict[str, Any]:
    text = Path(__file__).with_name("signatures.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table
