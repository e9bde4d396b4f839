"""Every library argument's one home: a block that it passes into, a field of ours, or none.

An argument that a block of the schema declares as a field is *declared*; one that a block takes
under its own name without declaring it is *passed*; one that no block takes is *closed*, with the
field that says it instead, if any, and why.  A test shows that this is a partition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from ftlang.record import Record
from ftlang.schema import signatures
from ftlang.schema.argument_types import forms
from ftlang.schema.home_tables import (
    CLOSED,
    CLOSED_OF_CLASS,
    METHODS,
    MODEL,
    QUANTIZE,
    TOKENIZER,
    TRAINER,
)

MODEL_LOADER = "AutoModelForCausalLM.from_pretrained"
TOKENIZER_LOADER = "AutoTokenizer.from_pretrained"


class Closed(Record):
    """No block takes the argument: `by` is the field or block that says it, "" if none does."""

    by: str
    why: str  # a clause that fits after a colon


class Home(Record):
    """Where an argument stands: a block's path such as `model.quantize`, or "" if it is closed."""

    block: str
    declared: bool = False  # as a field of the schema, not passed
    closed: Closed | None = None


def home(class_name: str, name: str) -> Home:
    """The argument's home; raises KeyError if the class has no such argument or it has no home."""
    if not signatures.has(class_name, name):
        raise KeyError(f"{class_name} has no argument {name}")
    if listed := _listed_as_closed(class_name, name):
        return Home("", closed=listed)
    block = _block(class_name, name)
    if name in _fields(block, class_name):
        return Home(block, declared=True)
    if unwritable := _unwritable(class_name, name):
        return Home("", closed=unwritable)
    return Home(block)


def passed(block: str, class_name: str) -> tuple[str, ...]:
    """The class's arguments that the block takes under their own names, in the class's order.

    Fields that the block's own kind declares are not among them.  Raises KeyError for an unknown
    class.
    """
    return _passed(class_name).get(block, ())


def closed(name: str, class_name: str | None = None) -> Closed | None:
    """Why no block takes the argument; without a class, the first of any class that is closed."""
    if class_name is not None:
        return home(class_name, name).closed if signatures.has(class_name, name) else None
    found = next((table[name] for table in CLOSED.values() if name in table), None)
    return Closed(*found) if found else None


def _listed_as_closed(class_name: str, name: str) -> Closed | None:
    group = CLOSED.get(_group(class_name), {})
    found = CLOSED_OF_CLASS.get((class_name, name)) or group.get(name)
    return Closed(*found) if found else None


def _unwritable(class_name: str, name: str) -> Closed | None:
    """That the argument takes nothing but objects, judged by its type."""
    argument = signatures.argument(class_name, name)
    kinds = forms(argument.type, bool(argument.choices))
    if kinds.writable or argument.choices:
        return None
    return Closed("", f"it takes an object that a spec cannot write (its type is {argument.type})")


def blocks() -> tuple[str, ...]:
    """Paths of the blocks that arguments pass into."""
    return (*TRAINER, "method", "tune", "model", "model.quantize", "tokenizer")


def _block(class_name: str, name: str) -> str:
    group = _group(class_name)
    if group == "trainer":
        if name in _listed():
            return _listed()[name]
        if signatures.has("TrainingArguments", name):
            raise KeyError(f"{name} of {class_name} has no home")
        return "method"
    if group == "model" and name in MODEL:
        return "model"
    if group == "tokenizer" and name in TOKENIZER:
        return "tokenizer"
    if group in ("tuner", "quantization"):
        return {"tuner": "tune", "quantization": "model.quantize"}[group]
    raise KeyError(f"{name} of {class_name} has no home")


@cache
def _listed() -> Mapping[str, str]:
    return {name: block for block, names in TRAINER.items() for name in names}


@cache
def _passed(class_name: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in signatures.arguments(class_name):
        place = home(class_name, name)
        if place.block and not place.declared:
            found.setdefault(place.block, []).append(name)
    return {block: tuple(names) for block, names in found.items()}


@cache
def _group(class_name: str) -> str:
    if class_name in (MODEL_LOADER, TOKENIZER_LOADER):
        return "model" if class_name == MODEL_LOADER else "tokenizer"
    if class_name == "PeftConfig" or class_name in signatures.tuners().values():
        return "tuner"
    if class_name in signatures.quantizations().values():
        return "quantization"
    if class_name == "TrainingArguments" or class_name.endswith("Config"):
        return "trainer"
    raise KeyError(f"{class_name} has no homes")


@cache
def _fields(path: str, class_name: str) -> frozenset[str]:
    """Names of the fields that the block's kinds for this class declare; none of a later block."""
    from ftlang.schema.block import Block, declared
    from ftlang.schema.run import Run

    families = Run.families
    kinds: dict[str, type[Block]] = {}
    for part in path.split("."):
        if part not in families:
            return frozenset()
        kinds = {**families[part].kinds, **families[part].later}
        families = {name: f for cls in kinds.values() for name, f in cls.families.items()}
    classes = _CLASSES.get(path)
    found = (c for kind, c in kinds.items() if classes is None or classes(kind) == class_name)
    return frozenset(name for cls in found for name in declared(cls))


# Where each kind has a library class of its own, that class by the kind's name.
_CLASSES: Mapping[str, Callable[[str], str | None]] = {
    "method": METHODS.get,
    "tune": lambda kind: signatures.tuners().get(kind),
    "model.quantize": lambda kind: QUANTIZE.get(kind) or signatures.quantizations().get(kind),
}
