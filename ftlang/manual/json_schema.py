"""JSON Schema of what `ftc show --format json` prints: every block, kind, field and type.

What a release does not emit is not in it, since no resolved spec has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ftlang.manual.json_types import (
    CONSTRUCTED,
    constructed,
    either,
    of_field,
)
from ftlang.schema import catalogue
from ftlang.schema.catalogue import Field, Place
from ftlang.show.objects import VERSION

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Json = dict[str, Any]


def text() -> str:
    """The schema as JSON text."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


def schema() -> Json:
    """The schema of one resolved run."""
    run = _fields(catalogue.fields(""))
    places = [one for one in catalogue.places() if _is_in_run(one)]
    definitions = {one.path: _family(one) for one in catalogue.places() if one.path and _emits(one)}
    blocks = {one.path: {"$ref": f"#/$defs/{one.path}"} for one in places}
    required = [one.path for one in places if not one.family.optional]
    made = {f"constructor.{name}": constructed(name) for name in CONSTRUCTED}
    return {
        "$schema": DIALECT,
        "title": "A resolved fine-tuning run",
        "description": "What `ftc show --format json` prints of one run.",
        "type": "object",
        "properties": {
            "version": {"const": VERSION, "description": "Of this form."},
            "run": {"type": "string", "description": "The run's name."},
            "datasets": {
                "type": "object",
                "description": "The data sets that the run names.",
                "additionalProperties": {"$ref": "#/$defs/dataset"},
            },
            **run["properties"],
            **blocks,
            "origins": {
                "type": "object",
                "description": "With --origins: where each value comes from, by its path.",
                "additionalProperties": {"$ref": "#/$defs/origin"},
            },
        },
        "required": ["version", "run", "datasets", *run["required"], *required],
        "additionalProperties": False,
        "$defs": {**definitions, **_places(), **made},
    }


def _emits(place: Place) -> bool:
    return not place.planned


def _is_in_run(place: Place) -> bool:
    outside = place.path in ("", "dataset", "template") or "." in place.path
    return not outside and _emits(place)


def _family(place: Place) -> Json:
    """One object for each group of kinds that have the same fields."""
    groups: dict[str, tuple[list[str], Json]] = {}
    for kind in place.kinds:
        if kind.planned:
            continue
        body = _fields(catalogue.fields(place.path, kind.name))
        body["properties"] |= _inner(place, kind.name)
        body |= {"description": kind.doc or place.family.doc, "additionalProperties": False}
        names, _ = groups.setdefault(json.dumps(body, sort_keys=True), ([], body))
        names.append(kind.name)
    shapes = []
    for names, body in groups.values():
        if place.family.has_kinds:
            body["properties"] = {"kind": {"enum": names}, **body["properties"]}
            body["required"] = ["kind", *body["required"]]
        shapes.append(body)
    return either(shapes)


def _inner(place: Place, kind: str) -> Json:
    """The blocks inside a block."""
    prefix = f"{place.path}."
    inner = (one for one in catalogue.places() if one.path.startswith(prefix) and _emits(one))
    return {
        one.family.name: {"$ref": f"#/$defs/{one.path}"}
        for one in inner
        if not one.inside or kind in one.inside
    }


def _fields(fields: Iterable[Field]) -> Json:
    given = [field for field in fields if not field.planned]
    return {
        "type": "object",
        "properties": {field.name: of_field(field) for field in given},
        "required": [field.name for field in given if field.required],
    }


def _places() -> Json:
    """Definitions of origins and of the places that they name."""
    place: Json = {
        "file": {"type": "string"},
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
    }
    layers = ["default", "spec", "extends", "profile", "set"]
    origin: Json = {
        "kind": {"enum": layers, "description": "The layer that gives the value."},
        **place,
        "name": {"type": "string", "description": "Of the run, defaults or profile."},
        "through": {
            "type": "array",
            "description": "Definitions of the variables in it.",
            "items": {"$ref": "#/$defs/place"},
        },
    }
    return {
        "origin": _object(origin, ["kind"]),
        "place": _object(place, list(place)),
    }


def _object(properties: Json, required: list[str]) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
