"""Which library arguments a block passes on, each with the type that a spec may write."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ftlang.schema import homes, signatures
from ftlang.schema.argument_types import ArgumentType

# A "class" of this form stands for the arguments of a scheduler's function.
_SCHEDULE = "schedule."
# Arguments that the library calls itself give to a scheduler, or that a field of ours derives.
_GIVEN = frozenset({"num_decay_steps", "num_stable_steps"})


# Types of arguments for which the libraries state neither a type nor a telling default.
_UNTYPED: Mapping[str, str] = {
    "code_revision": "str | None",
    "experts_implementation": "str | None",
    "key_mapping": "dict[str, str] | None",
    "variant": "str | None",
    "mistral_format": "bool | None",
    "subfolder": "str | None",
    "tokenizer_type": "str | None",
    "use_fast": "bool | None",
}


# Words that a class takes, where the table does not say which, or lists a former one as well.
_WORDS: Mapping[tuple[str, str], tuple[object, ...]] = {
    ("SFTConfig", "loss_type"): ("nll", "dft"),
    ("SFTConfig", "pad_to_multiple_of"): ("auto",),
    ("GRPOConfig", "scale_rewards"): ("group", "batch", "none", True, False),
    ("schedule.warmup_stable_decay", "warmup_type"): ("linear", "cosine", "1-sqrt"),
    ("schedule.warmup_stable_decay", "decay_type"): ("linear", "cosine", "1-sqrt"),
}


# Types that say less than the library takes: a plain `dict`, where values are numbers.
_NARROWER: Mapping[str, str] = {
    "rank_pattern": "dict[str, int] | None",
    "alpha_pattern": "dict[str, int | float] | None",
}


def passed_names(path: str, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the arguments of these classes whose home is the block at `path`."""
    return tuple(dict.fromkeys(name for of in classes for name in passed(path, of)))


def argument_type(path: str, classes: tuple[str, ...], name: str) -> ArgumentType | None:
    """The type of an argument that the block passes on, or None if it passes on none such."""
    for of in classes:
        if argument := passed(path, of).get(name):
            return ArgumentType(type_text(argument), _WORDS.get((of, name)) or argument.choices)
    return None


@cache
def passed(path: str, of: str) -> Mapping[str, signatures.Argument]:
    """The arguments of one class that the block at `path` passes on, by name."""
    if of.startswith(_SCHEDULE):
        arguments = signatures.scheduler_arguments(of.removeprefix(_SCHEDULE))
        return {one.name: one for one in arguments if one.name not in _GIVEN}
    if of not in signatures.classes():
        return {}
    return {name: signatures.argument(of, name) for name in homes.passed(path, of)}


def type_text(argument: signatures.Argument) -> str:
    """The argument's type; that of its default where the library states none."""
    if argument.name in _NARROWER:
        return _NARROWER[argument.name]
    if argument.type or argument.required or argument.opaque:
        return argument.type
    if argument.name in _UNTYPED:
        return _UNTYPED[argument.name]
    default = argument.default
    plain = isinstance(default, bool | int | float | str)
    return type(default).__name__ if plain else ""
