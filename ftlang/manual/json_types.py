"""JSON Schema of each type of field, as `ftlang.show.objects.plain` writes its values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from ftlang.manual.values import takes
from ftlang.schema.argument_types import ArgumentType, Forms
from ftlang.schema.catalogue import Field
from ftlang.schema.constructor import Constructor
from ftlang.schema.constructors import FORMATS, OneOf, OutputFolder, Roles
from ftlang.schema.lookups import Place, RuntimeText, Secrecy
from ftlang.schema.numbers import Amount, Float, Int, Share
from ftlang.schema.python import Python
from ftlang.schema.rows import LossOn, Rowsets
from ftlang.schema.shapes import Either, MapOf, Modules
from ftlang.schema.sizes import BYTES, SECONDS, Bytes, Duration
from ftlang.schema.types import FieldType
from ftlang.schema.units import NATURAL, UNITS, Quantity
from ftlang.schema.words import Choice, Flag, ListOf
from ftlang.show.objects import plain

Json = dict[str, Any]
_STRING: Json = {"type": "string"}
_NUMBER = r"\d+(\.\d+)?(e[+-]?\d+)?"
# What constructors make, each an object with its name as the only key; `dataset` is a reference.
CONSTRUCTED: dict[str, tuple[Json, list[str]]] = {
    "hf": (
        {"repo": _STRING, "revision": _STRING, "token": {"$ref": "#/$defs/constructor.secret"}},
        ["repo"],
    ),
    "path": ({"path": _STRING, "env": {"$ref": "#/$defs/constructor.env"}}, ["path"]),
    "gguf": ({"source": _STRING}, ["source"]),
    "builtin": ({"name": _STRING}, ["name"]),
    "result": ({"folder": {"$ref": "#/$defs/constructor.path"}, "run": _STRING}, ["folder", "run"]),
    "files": ({"pattern": _STRING, "env": {"$ref": "#/$defs/constructor.env"}}, ["pattern"]),
    "split": (
        {
            "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "seed": {"type": "integer", "minimum": 0},
        },
        ["share", "seed"],
    ),
    "env": ({"name": _STRING, "default": _STRING}, ["name"]),
    "secret": ({"name": _STRING}, ["name"]),
    "dataset": ({"name": _STRING, "split": _STRING}, ["name"]),
    "py": (
        {"file": _STRING, "module": _STRING, "function": _STRING, "constants": {"type": "object"}},
        ["function"],
    ),
}


def of_field(field: Field) -> Json:
    """The schema of a field: its type, its line, and its default."""
    found = {"description": field.doc or takes(field.type), **of_type(field.type)}
    if not _has_default(field):
        return found
    default = field.default
    known = default if isinstance(default, dict | list) else plain(default, field.type)
    return {**found, "default": known}


def _has_default(field: Field) -> bool:
    """Whether it has one that can be shown: not absent, nor in a unit that the run decides."""
    if isinstance(field.default, Quantity) and field.default.unit == NATURAL:
        return False
    # The library's `debug` is "" where it is off, which is none of its choices.
    unsaid = isinstance(field.type, ArgumentType) and field.default == ""
    return not (field.required or field.default is None or unsaid)


def of_type(of: FieldType) -> Json:
    """The schema of a type's values."""
    match of:
        case Flag():
            return {"type": "boolean"}
        case Choice():
            more: list[object] = [False] * of.or_false
            more += [None] * (of.or_none and "none" not in of.members)
            return {"enum": [*of.members, *more]}
        case Int():
            found = _bounded("integer", minimum=of.at_least, maximum=of.at_most)
            return _or_none(found) if of.or_none else found
        case Float():
            return _bounded(
                "number", exclusiveMinimum=of.above, minimum=of.at_least, maximum=of.at_most
            )
        case Share():
            return {"type": "number", "minimum": 0, "maximum": 1}
        case Amount():
            units = [
                u for unit in of.units for u in ((unit, unit[:-1]) if unit in UNITS else (unit,))
            ]
            amount = _matching(rf"{_NUMBER}(Ki)? ({'|'.join(units)})")
            return either([amount, of_type(Share())]) if of.share else amount
        case Bytes():
            return _matching(f"{_NUMBER}({'|'.join(BYTES)})")
        case Duration():
            return _matching(rf"\d+({'|'.join(SECONDS)})")
        case ListOf():
            several = {"type": "array", "items": of_type(of.item)}
            return either([several, of_type(of.bare)]) if of.bare is not None else several
        case Modules():
            return either([{"type": "array", "items": _STRING}, _STRING])
        case MapOf():
            return {"type": "object", "additionalProperties": of_type(of.value)}
        case Roles():
            return {"type": "object", "additionalProperties": _STRING}
        case OneOf():
            names = [*of.constructors, *(["dataset"] if of.references else [])]
            return either([_reference(name) for name in names])
        case Rowsets():
            return of_type(of.one)
        case LossOn():
            return of_type(of.word)
        case Either():
            return either([of_type(one) for _, one in of.of])
        case Python():
            return {"$ref": "#/$defs/constructor.py"}
        case Secrecy():
            return {"$ref": "#/$defs/constructor.secret"}
        case RuntimeText():
            return either([_STRING, {"$ref": "#/$defs/constructor.env"}])
        case OutputFolder():
            return either([_STRING, {"$ref": "#/$defs/constructor.path"}])
        case Place():
            return {"$ref": "#/$defs/constructor.path"}
        case ArgumentType():
            return either(_forms(of.forms, of.choices))
    return dict(_STRING)


def constructed(name: str) -> Json:
    """The object that a constructor makes: its name, and its arguments below it."""
    properties, required = CONSTRUCTED[name]
    return _tagged(name, properties, required)


def _reference(name: str) -> Json:
    """What one of several constructors makes; formats are written out, as each has its columns."""
    form = FORMATS.get(name)
    if not isinstance(form, Constructor):
        return {"$ref": f"#/$defs/constructor.{name}"}
    columns = {p.name: of_type(p.type) for p in form.parameters if not p.planned}
    if "input" in columns:
        columns["input"] = _or_none(columns["input"])
    return _tagged(name, columns, [])


def _tagged(name: str, properties: Json, required: list[str]) -> Json:
    inner = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: inner},
        "required": [name],
        "additionalProperties": False,
    }


def either(shapes: Iterable[Json]) -> Json:
    """Any of several schemas; the schema itself where there is one."""
    distinct = list({json.dumps(one, sort_keys=True): one for one in shapes}.values())
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _forms(forms: Forms, choices: tuple[object, ...]) -> list[Json]:
    """What a library argument takes."""
    found: list[Json] = []
    words = [c for c in choices if isinstance(c, str)]
    if words and not any("[" in c for c in words):
        found.append({"enum": [c for c in choices if not isinstance(c, bool)]})
        found += [{"enum": [c]} for c in choices if isinstance(c, bool)]
    elif forms.scalars & {"str", "member"}:
        found.append(dict(_STRING))
    if "bool" in forms.scalars:
        found.append({"type": "boolean"})
    if "float" in forms.scalars:
        found.append({"type": "number"})
    elif "int" in forms.scalars:
        found.append({"type": "integer"})
    if forms.items is not None:
        found.append({"type": "array", "items": either(_forms(forms.items, choices))})
    if forms.values is not None:
        inner = either(_forms(forms.values, ()))
        found.append({"type": "object", "additionalProperties": inner})
    if forms.none:
        found.append({"type": "null"})
    return found or [{}]


def _bounded(kind: str, **bounds: float | None) -> Json:
    return {"type": kind, **{name: value for name, value in bounds.items() if value is not None}}


def _or_none(of: Json) -> Json:
    return either([of, {"type": "null"}])


def _matching(pattern: str) -> Json:
    assert re.compile(pattern)
    return {"type": "string", "pattern": f"^{pattern}$"}
