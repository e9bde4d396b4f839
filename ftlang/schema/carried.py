"""A foreign line's value held against the field here: carried over, or not in this release."""

from __future__ import annotations

import re

from ftlang.schema import catalogue
from ftlang.schema.foreign import KINDS, WRITTEN
from ftlang.schema.types import Reading
from ftlang.source import SourceFile
from ftlang.syntax import ast, parse
from ftlang.syntax.foreign_values import FOREIGN_VALUES


def carried(here: str, written: str, value: ast.Value) -> str | None:
    """What to write for a value of a line whose place is `here`, a field or block.

    `written` is what the place's own text tells to write.  None where the value does not tell.
    """
    off = FOREIGN_VALUES.get(value.span.text, value.span.text) == "false"
    if off and written != f"set `{here}`" and not here.endswith(".every"):
        return "leave it out"
    places = {one.path: one for one in catalogue.places()}
    path, _, own = here.rpartition(".")
    for outer in (here, path):
        if outer in places and outer and places[outer].planned:
            return _missing(outer.rpartition(".")[2])
    field = _field(path, own) if path in places else None
    if field is not None and field[0].planned:
        return _missing(f"{path.rpartition('.')[2]}.{own}")
    told = re.search(rf"`({re.escape(own)} = [^`…]*)`", written)
    if field is not None and told and "FT501" in _codes(field[0], told[1]):
        return _missing(told[1])
    if here in places and (word := _word(value)):
        return _kind(places[here], word)
    if field is None or here in WRITTEN or written != f"set `{here}`":
        return None
    line = f"{own} = {FOREIGN_VALUES.get(value.span.text, value.span.text)}"
    if "\n" in line or _codes(field[0], line):
        return None
    block = f"{path.rpartition('.')[2]} {field[1]}".strip()
    return f"write `{line}` in `{block}`"


def _missing(what: str) -> str:
    return f"leave it out: this release has no `{what}` yet"


def _word(value: ast.Value) -> str | None:
    if isinstance(value, ast.Str):
        return value.value
    return value.text if isinstance(value, ast.Path) else None


def _kind(place: catalogue.Place, word: str) -> str | None:
    """The block whose kind the value names: `optim = adamw_torch`."""
    family = place.family.name
    kind = next((kind for kind in place.kinds if kind.name and kind.name == word), None)
    if kind is None:
        return KINDS.get((family, word))
    if kind.planned:
        return _missing(f"{family} {word}")
    inside = place.path.rpartition(".")[0]
    return f"write the block `{family} {word}`" + (f" inside `{inside}`" if inside else "")


def _field(path: str, own: str) -> tuple[catalogue.Field, str] | None:
    """The field of a block and the first kind that has it, one that is emitted before others."""
    kinds = sorted(catalogue.place(path).kinds, key=lambda kind: kind.planned)
    for kind in kinds:
        for field in catalogue.fields(path, kind.name):
            if field.name == own:
                return field, kind.name
    return None


def _codes(field: catalogue.Field, line: str) -> list[str]:
    """What the field's type says of the value in `field = value`."""
    file, found = parse(SourceFile("", f"run x {{ {line} }}\n"))
    block = file.items[0] if file.items else None
    entry = block.body[0] if isinstance(block, ast.Block) and block.body else None
    if found or not isinstance(entry, ast.Attr):
        return [d.code for d in found] or ["FT049"]
    field.type.read(entry.value, Reading(found, field.name))
    return [d.code for d in found]
