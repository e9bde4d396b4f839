"""A Spec as one JSON object: nested blocks, plain values, quantities as the language writes them.

`ftc schema --json` describes the object; `plain` and that schema say the same of each type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ftlang.names.files import Declared
from ftlang.names.resolve import Document
from ftlang.record import Record
from ftlang.schema.given import Map
from ftlang.schema.python import UserCode
from ftlang.schema.run import Origin, Spec, headed_by, set_by
from ftlang.schema.sizes import Bytes, Duration
from ftlang.schema.sources import (
    Builtin,
    Env,
    Files,
    Format,
    Gguf,
    Hf,
    LocalPath,
    Reference,
    Result,
    Secret,
    Split,
)
from ftlang.schema.types import FieldType
from ftlang.schema.units import Quantity
from ftlang.show import blocks
from ftlang.show.blocks import Shown
from ftlang.show.written import amount, memory, time
from ftlang.source import Span

VERSION = 1
# The constructor that makes each record; an object of JSON has its name as the only key.
TAGS: dict[type[Record], str] = {
    Hf: "hf",
    LocalPath: "path",
    Gguf: "gguf",
    Builtin: "builtin",
    Result: "result",
    Files: "files",
    Split: "split",
    Env: "env",
    Secret: "secret",
}
Names = Mapping[Declared, str]
NO_NAMES: Names = {}


def shown(spec: Spec, document: Document, origins: bool = False) -> str:
    """The object as text; with `origins`, `origins` maps paths to where they were set."""
    of = blocks.run(spec, document)
    sets = list(blocks.datasets(spec, document))
    content: dict[str, Any] = {"version": VERSION, "run": spec.name}
    names = blocks.dataset_names((declared for declared, _ in sets), set())
    content["datasets"] = {names[declared]: _object(block, names) for declared, block in sets}
    content |= _object(of, names)
    if origins:
        found = _origins(of)
        for declared, block in sets:
            found |= _origins(block, f"datasets.{names[declared]}.")
        content["origins"] = found
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _object(block: Shown, names: Names) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if block.path and len(block.head) > 1:
        found["kind"] = block.head[1]
    found |= {field.name: plain(field.value, field.type, names) for field in block.fields}
    return found | {inner.name: _object(inner, names) for inner in block.blocks}


def plain(value: object, of: FieldType | None = None, names: Names = NO_NAMES) -> Any:
    """The value in JSON: quantities, memory and time as text, constructors as tagged objects."""
    match value:
        case bool() | None | str() | float():
            return value
        case int() if isinstance(of, Bytes):
            return memory(value)
        case int() if isinstance(of, Duration):
            return time(value)
        case int():
            return value
        case Quantity():
            return amount(value)
        case tuple():
            return [plain(item, getattr(of, "item", None), names) for item in value]
        case Map():
            inner = getattr(of, "value", None)
            return {name: plain(each, inner, names) for name, each in value.pairs}
        case Format():
            return {value.name: {name: _column(each) for name, each in value.columns}}
        case UserCode():
            found = {"file": value.file} if value.file else {"module": value.module}
            constants = {name: plain(each) for name, each in value.constants}
            return {"py": found | {"function": value.function, "constants": constants}}
        case Reference():
            assert isinstance(value.declared, Declared)
            given = {"name": names.get(value.declared, value.name), "split": value.split}
            return {"dataset": {key: each for key, each in given.items() if each is not None}}
        case Record():
            return {TAGS[type(value)]: _fields(value)}
    raise TypeError(f"no JSON for {type(value).__name__}")


def _column(value: object) -> Any:
    """A column's name, or the roles of a data set by its own names for them."""
    return dict(value) if isinstance(value, tuple) else value


def _fields(value: Record) -> dict[str, Any]:
    given = {n: getattr(value, n) for n in value._fields if n not in value._uncompared}
    return {name: plain(each) for name, each in given.items() if each is not None}


def _origins(block: Shown, prefix: str = "") -> dict[str, Any]:
    """Path to origin, for every value of the block and for the kinds that were written."""
    found: dict[str, Any] = {}
    tree = block.tree
    if tree is not None and block.path and len(block.head) > 1:
        found[f"{prefix}{block.path}.kind"] = _origin(headed_by(tree))
    elif len(block.head) > 1 and block.path:
        found[f"{prefix}{block.path}.kind"] = {"kind": "default"}
    for field in block.fields:
        origin = set_by(field.given) if field.given is not None else None
        found[prefix + field.path] = _origin(origin) if origin else {"kind": "default"}
    for inner in block.blocks:
        found |= _origins(inner, prefix)
    return found


def _origin(origin: Origin) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": origin.kind, **_place(origin.span)}
    if origin.kind in ("extends", "profile"):
        found["name"] = origin.name
    if origin.through:
        found["through"] = [_place(span) for span in origin.through]
    return found


def _place(span: Span) -> dict[str, Any]:
    line, column = span.source.position(span.start)
    return {"file": span.source.name, "line": line, "column": column}
