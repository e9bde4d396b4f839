"""What a field takes, what it is when nobody writes it, and an example: all from its type."""

from __future__ import annotations

from ftlang.schema.argument_types import ArgumentType, Forms
from ftlang.schema.catalogue import Field
from ftlang.schema.constructors import OneOf, OutputFolder, Revision, Roles
from ftlang.schema.lookups import Place, RuntimeText, Secrecy, VariableName
from ftlang.schema.numbers import Amount, Float, Int, Share
from ftlang.schema.places import FilePath, Repository
from ftlang.schema.python import Python
from ftlang.schema.rows import LossOn, Rowsets
from ftlang.schema.shapes import Either, FileText, MapOf, Modules
from ftlang.schema.sizes import Bytes, Duration
from ftlang.schema.types import FieldType
from ftlang.schema.units import NATURAL, Quantity
from ftlang.schema.words import Choice, Flag, ListOf, Text, Word
from ftlang.show.written import number, text, word, written

# Values that say more than the first that a type would give.
_EXAMPLES = {
    "learning_rate": "2e-4",
    "about": '"Answers in the house\'s tone."',
    "adam_beta2": "0.95",
    "batch": "64 seqs",
    "bias": "lora_only",
    "duration": "3 epochs",
    "gpus_per_node": "8",
    "hidden_size": "2048",
    "lora_alpha": "32",
    "max_grad_norm": "0.5",
    "max_length": "4Ki",
    "micro_batch": "4 seqs",
    "requires": '["sentencepiece"]',
    "samples": '["Who are you?"]',
    "seed": "7",
    "splits": "[train, test]",
    "target_modules": "[q_proj, v_proj]",
    "weight_decay": "0.01",
}


def takes(of: FieldType) -> str:
    """What a field of this type takes, with what a later release takes too."""
    match of:
        case Amount():
            units = _listed([f"`{unit}`" for unit in of.units])
            share = "a share such as `5%`, or " if of.share else ""
            later = f"; planned: {_listed([f'`{u}`' for u in of.planned])}" if of.planned else ""
            bare = "; a bare number takes the natural unit" if of.natural else ""
            return f"{share}an amount in {units}{bare}{later}"
        case Choice(members=()):
            return f"planned: {_words(of.planned)}"
        case Choice() if of.planned:
            return f"{of.words()}; planned: {_words(of.planned)}"
        case ListOf(bare=None) if isinstance(of.item, Choice) and not of.item.members:
            return f"`[]`; planned: a list of {_words(of.item.planned)}"
        case LossOn():
            return f"{takes(of.word)}, and a list of roles"
        case Modules():
            return f"{of.words()}, or `regex(…)`"
        case Rowsets(named=False):
            return f"{of.words()}; planned: a list of them, or a map of them to shares"
        case Rowsets():
            return f"{of.words()}; planned: a map of named sets"
        case OneOf() if of.later:
            return f"{of.words()}; planned: {_words(of.later, '(…)' if not of.bare else '')}"
    return of.words()


def _words(names: tuple[str, ...], behind: str = "") -> str:
    return _listed([f"`{name}{behind}`" for name in names])


def _listed(shown: list[str]) -> str:
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def default(field: Field) -> str:
    """The default as the language writes it; "" where a field is required or absent."""
    value = field.default
    if field.required or value is None:
        return ""
    if isinstance(value, Quantity):
        return str(Quantity(value.amount, "")).strip() if value.unit == NATURAL else str(value)
    if isinstance(field.type, OutputFolder):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{ }" if not value else ""
    if isinstance(value, list):
        return "[]" if not value else f"[{', '.join(_plain(each) for each in value)}]"
    return written(value, field.type, None)  # type: ignore[arg-type]  # no default is a reference


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    return text(value) if isinstance(value, str) else str(value)


def example(field: Field) -> str:
    """A value that the field takes."""
    if (said := _EXAMPLES.get(field.name)) and not isinstance(field.type, ArgumentType):
        return said
    if isinstance(field.default, bool) and not isinstance(field.type, Choice):
        return "false" if field.default else "true"
    shown = default(field)
    if isinstance(field.type, ListOf) and takes(field.type).startswith("`[]`"):
        return shown  # no item is taken yet
    return shown if shown not in ("", "[]", "{ }", "false", '""') else _of(field.type)


def _of(of: FieldType) -> str:
    """A value of the type."""
    match of:
        case Flag():
            return "true"
        case Choice():
            return word((of.members or of.planned)[0])
        case Int():
            low = max(of.at_least or 1, 1)
            return "2Ki" if of.counts else str(low)
        case Float():
            return "0.1"
        case Share():
            return "5%"
        case Amount():
            return f"200 {of.units[0]}"
        case Bytes():
            return "80GiB"
        case Duration():
            return "12h"
        case ListOf():
            return f"[{_of(of.item)}]"
        case Modules():
            return word(of.bare[0]) if of.bare else "[lm_head]"
        case MapOf() | Roles():
            return of.words().partition("`")[2].partition("`")[0]
        case Either():
            return _of(of.of[0][1])
        case Rowsets():
            return _of(of.one)
        case LossOn():
            return _of(of.word)
        case OneOf():
            return of.quote.replace("…", _INSIDE[of.quote]) if of.quote else "alpaca"
        case Python():
            return 'py("code.py:f")'
        case Secrecy():
            return 'secret("HF_TOKEN")'
        case Repository():
            return '"owner/name"'
        case VariableName():
            return '"SCRATCH"'
        case Revision():
            return '"main"'
        case RuntimeText():
            return 'env("NAME")'
        case OutputFolder():
            return '"out/${run.name}"'
        case Place():
            return 'path("a", "b")'
        case FileText():
            return 'file("chatml.jinja")'
        case FilePath():
            return '"data/rows.jsonl"'
        case Text():
            return '"text"'
        case Word():
            named = of.what.partition("`")[2].partition("`")[0]
            return named or "name"
        case ArgumentType():
            return _argument(of.forms, of.choices)
    raise TypeError(f"no example for {type(of).__name__}")


_INSIDE = {'hf("…")': "owner/name", 'files("…")': "rows.jsonl"}


def _argument(forms: Forms, choices: tuple[object, ...]) -> str:
    """A value of a library argument."""
    plain = [c for c in choices if isinstance(c, str) and "[" not in c]
    if plain:
        return word(plain[0])
    for name, shown in (("bool", "true"), ("float", "0.5"), ("int", "1"), ("str", '"text"')):
        if name in forms.scalars:
            return shown
    if forms.items is not None:
        return f"[{_argument(forms.items, ())}]"
    if forms.values is not None:
        return f"{{ name = {_argument(forms.values, ())} }}"
    return "none"
