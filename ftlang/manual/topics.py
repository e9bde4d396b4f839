"""From the words after `ftc explain` to a page: a path, a kind, a name, another tool's name."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.manual import constructors, pages, words
from ftlang.names.suggest import did_you_mean
from ftlang.schema import catalogue, homes
from ftlang.schema.argument_types import ArgumentType
from ftlang.schema.catalogue import KindOf, Place
from ftlang.schema.foreign import foreign
from ftlang.schema.rows import LossOn
from ftlang.schema.shapes import Modules
from ftlang.schema.types import FieldType
from ftlang.schema.words import Choice, ListOf

MOST = 3  # pages of one name; beyond it, a list of its places


def page(query: list[str]) -> str | None:
    """The page on a topic, or None where the language has nothing of the name."""
    if len(query) == 1 and (said := _sign(query[0])):
        return said
    parts = [part for one in query for part in one.removesuffix("(…)").split(".")]
    return _at_path(parts) or (_named(parts[0]) if len(parts) == 1 else None)


def suggestions(query: list[str]) -> tuple[str, ...]:
    """Names like the last word of a query that found nothing."""
    return did_you_mean(query[-1].rpartition(".")[2], sorted(set(_names())))


def _sign(name: str) -> str | None:
    """A declaration, a unit, or a constructor; those that are blocks too show both."""
    unit = words.word(name, words.UNITS)
    declaration = words.word(name, words.DECLARATIONS)
    made = constructors.page(name.partition("(")[0])
    found = [pages.word(one) for one in (declaration, unit) if one is not None]
    if made is not None:
        found.append(pages.constructor(made))
    rest = [] if name.endswith(")") else [one for one in (_at_path([name]), _field(name)) if one]
    return "\n".join([*found, *rest]) if found else None


def _at_path(parts: list[str]) -> str | None:
    """`tune`, `tune lora`, `training.batch`, `tune.lora.r`, `model.quantize nf4`."""
    known = {one.path: one for one in catalogue.places()}
    known["run"] = known.pop("")
    for size in range(len(parts), 0, -1):
        place = known.get(".".join(parts[:size])) or _inner(parts[:size], known)
        if place is None:
            continue
        rest = parts[size:]
        kinds = {kind.name: kind for kind in place.kinds}
        kind = kinds.get(rest[0]) if rest else None
        if kind is not None:
            rest = rest[1:]
        if not rest:
            return pages.block(place, kind.name if kind is not None else None)
        having = list(_having(rest[0], place, kind))
        if len(rest) == 1 and having:
            path = f"{place.path}.{rest[0]}" if place.path else rest[0]
            return pages.field(path, having)
    return None


def _inner(parts: list[str], known: dict[str, Place]) -> Place | None:
    """A block inside another, named alone: `quantize`, `reward`."""
    found = [one for path, one in known.items() if path.rpartition(".")[2] == parts[0]]
    return found[0] if len(parts) == 1 and len(found) == 1 else None


def _having(name: str, place: Place, kind: KindOf | None = None) -> Iterator[tuple[Place, KindOf]]:
    for of in place.kinds if kind is None else (kind,):
        if any(field.name == name for field in catalogue.fields(place.path, of.name)):
            yield place, of


def _named(name: str) -> str | None:
    """A name alone: a kind, a field, or what another tool or a library calls it."""
    kinds = [(p, k.name) for p in catalogue.places() for k in p.kinds if k.name and k.name == name]
    if kinds:
        return "\n".join(pages.block(place, kind) for place, kind in kinds)
    return _field(name) or _elsewhere(name) or _value(name)


def _field(name: str) -> str | None:
    found = [(p, list(_having(name, p))) for p in catalogue.places()]
    having = sorted(
        ((place, some) for place, some in found if some), key=lambda one: one[0].planned
    )
    if not having:
        return None
    paths = [f"{place.path}.{name}" if place.path else name for place, _ in having]
    if len(having) > MOST:
        listed = "\n".join(f"  ftc explain {path}" for path in paths)
        return f"`{name}` is a field of {len(paths)} blocks:\n\n{listed}\n"
    pairs = zip(paths, having, strict=True)
    return "\n".join(pages.field(path, some) for path, (_, some) in pairs)


def _value(name: str) -> str | None:
    """A word that fields take: which ones."""
    found: dict[str, str] = {}
    for place in catalogue.places():
        for kind in place.kinds:
            for field in catalogue.fields(place.path, kind.name):
                if name in _members(field.type) and not kind.planned:
                    found[f"{place.path}.{field.name}"] = field.doc
    if not found:
        return None
    rows = "\n".join(f"  {path}  {doc}".rstrip() for path, doc in found.items())
    return f"`{name}` is a value of\n\n{rows}\n"


def _members(of: FieldType) -> tuple[object, ...]:
    """The words of a closed set that a type takes, planned ones too."""
    match of:
        case Choice():
            return (*of.members, *of.planned)
        case ListOf():
            return (*_members(of.item), *(_members(of.bare) if of.bare is not None else ()))
        case Modules():
            return of.bare
        case LossOn():
            return _members(of.word)
        case ArgumentType():
            return of.choices
    return ()


def _elsewhere(name: str) -> str | None:
    """A name of another tool, or a library argument that is derived."""
    if known := foreign(name):
        said = f"`{name}` is {known.whose} name; here it is `{known.here}`: {known.written}.\n"
        here = _at_path(known.here.split("."))
        return f"{said}\n{here}" if here else said
    closed = homes.closed(name)
    if closed is None:
        return None
    if not closed.by:
        return f"`{name}` cannot be set: {closed.why}.\n"
    here = _at_path(closed.by.split("."))
    said = f"`{name}` is derived from `{closed.by}`: {closed.why}.\n"
    return f"{said}\n{here}" if here else said


def _names() -> Iterator[str]:
    """Every name that has a page of its own."""
    for place in catalogue.places():
        yield place.path.rpartition(".")[2] or "run"
        for kind in place.kinds:
            yield kind.name
            if not kind.planned:
                yield from (field.name for field in catalogue.fields(place.path, kind.name))
    yield from (one.name for one in constructors.pages())
    for one in (*words.UNITS, *words.DECLARATIONS):
        yield from one.names


def listing(what: str) -> str:
    """One line for each block, field, constructor or unit."""
    rows: list[tuple[str, str]] = []
    if what == "blocks":
        for place in catalogue.places():
            mark = " (planned)" if place.planned else ""
            rows.append((place.path or "run", f"{place.family.doc}{mark}"))
    elif what == "fields":
        rows = list(dict(_fields()).items())
    elif what == "constructors":
        rows = [
            (one.name, f"{one.doc}{' (planned)' * one.planned}") for one in constructors.pages()
        ]
    else:
        rows = [(", ".join(unit.names), unit.doc) for unit in words.UNITS]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:<{width}}  {doc}".rstrip() + "\n" for name, doc in rows)


def _fields() -> Iterator[tuple[str, str]]:
    for place in catalogue.places():
        for kind in place.kinds:
            if kind.planned:
                continue
            for field in catalogue.fields(place.path, kind.name):
                if not field.planned:
                    yield f"{place.path}.{field.name}".removeprefix("."), field.doc
