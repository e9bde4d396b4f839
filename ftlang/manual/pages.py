"""The pages of `ftc explain` beside the codes: blocks, kinds, fields, constructors, units."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ftlang.manual import constructors, values
from ftlang.manual.readers import rules_on
from ftlang.manual.words import Word
from ftlang.schema import catalogue
from ftlang.schema.catalogue import Field, KindOf, Place
from ftlang.schema.home_tables import CLOSED

WIDTH = 88
PLANNED = "planned: checked, not emitted yet"


def block(place: Place, kind: str | None = None) -> str:
    """A family with its kinds, or one kind of it, or a block without kinds, with all fields."""
    name = _words(place.path) or "run"
    only = place.family.kinds.get("") is not None and len(place.kinds) == 1
    if kind is None and not only:
        return _family(place, name)
    of = next(k for k in place.kinds if k.name == (kind or ""))
    title = f"{name} {kind}" if kind else name
    parts = [title, _wrapped(_marked(of.doc, of.planned), ""), f"stands in  {_around(place)}"]
    parts += _fields(place.path, of)
    inner = [one for one in _inside(place) if not one.inside or of.name in one.inside]
    if inner:
        shown = [(one.family.name, _marked(one.family.doc, one.planned)) for one in inner]
        parts.append("Blocks inside\n" + _table(shown))
    return "\n\n".join(parts) + "\n"


def _family(place: Place, name: str) -> str:
    usual = place.family.default
    behind = f"default    {name} {usual}" if usual else ""
    lines = [f"stands in  {_around(place)}", *([behind] if behind else [])]
    emitted = [k for k in place.kinds if not k.planned]
    later = [k for k in place.kinds if k.planned]
    parts = [name, place.family.doc, "\n".join(lines)]
    if emitted:
        parts.append("Kinds\n" + _table([(k.name, k.doc) for k in emitted]))
    if later:
        names = ", ".join(k.name for k in later)
        parts.append("Planned kinds\n" + _wrapped(names, "  "))
    parts.append(f"`ftc explain {place.family.name} {place.kinds[0].name}` lists its fields.")
    return "\n\n".join(parts) + "\n"


def _fields(path: str, of: KindOf) -> list[str]:
    fields = catalogue.fields(path, of.name)
    own = [f for f in fields if not f.passed and (of.planned or not f.planned)]
    passed = [f for f in fields if f.passed]
    later = [f for f in fields if f.planned and not f.passed and not of.planned]
    parts = []
    for title, some in (("Fields", own), ("Library arguments", passed), ("Planned", later)):
        if some:
            parts.append(f"{title}\n" + _table([(_head(f), f.doc) for f in some]))
    return parts


def _head(field: Field) -> str:
    default = values.default(field)
    return f"{field.name} = {default}" if default else field.name


def field(path: str, places: Iterable[tuple[Place, KindOf]]) -> str:
    """A field's page: one part for each of its meanings, with the kinds that have it."""
    name = path.rpartition(".")[2]
    groups: dict[tuple[object, ...], list[tuple[Place, KindOf, Field]]] = {}
    for place, kind in places:
        of = next(f for f in catalogue.fields(place.path, kind.name) if f.name == name)
        key = (place.path, of.doc, values.takes(of.type), repr(of.default))
        groups.setdefault(key, []).append((place, kind, of))
    return "\n".join(_meaning(name, some) for some in groups.values())


def _meaning(name: str, some: list[tuple[Place, KindOf, Field]]) -> str:
    """One meaning of a field, with the kinds that have it; those that are emitted lead."""
    place, kind, of = next((one for one in some if not one[2].planned), some[0])
    path = f"{place.path}.{name}" if place.path else name
    rows = [("takes", values.takes(of.type))]
    default = values.default(of)
    if of.required:
        rows.append(("default", "none: it must be written"))
    elif default or of.passed:
        rows.append(("default", default or "the library's own"))
    if of.home:
        rows.append(("sets", of.home))
    if derived := [each for each in _derived(path) if each != of.home.rpartition(".")[2]]:
        rows.append(("derives", ", ".join(derived)))
    rows.append(("stands in", _kinds(place, [k.name for _, k, _ in some])))
    rows.append(("example", _example(place, kind.name, f"{name} = {values.example(of)}")))
    if readers := rules_on(path):
        rows.append(("rules", ", ".join(f"{rule.code} {rule.name}" for rule in readers)))
    body = "\n".join(
        textwrap.fill(
            said,
            WIDTH,
            initial_indent=f"{label:<11}",
            subsequent_indent=" " * 11,
            break_on_hyphens=False,
            break_long_words=False,
        )
        for label, said in rows
    )
    doc = _marked(of.doc, of.planned) if of.doc else _marked("", of.planned).strip()
    if of.check_only:
        doc += "  Rules alone read it; nothing is emitted for it."
    return "\n\n".join(filter(None, [path, _wrapped(doc, ""), body])) + "\n"


def _derived(path: str) -> list[str]:
    """Library arguments that a field of ours says instead."""
    return sorted({n for table in CLOSED.values() for n, (by, _) in table.items() if by == path})


def _kinds(place: Place, names: list[str]) -> str:
    if not place.path:
        return "a run"
    head = _words(place.path)
    if len(names) == len(place.kinds) or names == [""]:
        return head + (" (every kind)" if names != [""] else "")
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{head} {', '.join(names[:8])}{more}"


def _example(place: Place, kind: str, entry: str) -> str:
    """The entry in its blocks, on one line."""
    parts = place.path.split(".") if place.path else []
    for depth, part in enumerate(reversed(parts)):
        head = f"{part} {kind}" if depth == 0 and kind else part
        head = f"{head} NAME" if depth == 0 and place.family.named else head
        head = f"{part} NAME" if part in ("dataset", "template") else head
        if depth and part == "method":
            head = f"method {place.inside[0]}" if place.inside else head
        entry = f"{head} {{ {entry} }}"
    return entry


def constructor(of: constructors.Page) -> str:
    """A constructor's page."""
    rows = []
    for one in of.arguments:
        marks = ["required"] * one.required + ["planned"] * one.planned
        behind = f" ({', '.join(marks)})" if marks else ""
        rows.append((one.name, f"{one.takes}{behind}.  {one.doc}"))
    parts = [f"{of.name}(…)", _marked(of.doc, of.planned), f"example    {of.form}"]
    if rows:
        parts.append("Arguments\n" + _table(rows))
    return "\n\n".join(parts) + "\n"


def word(of: Word) -> str:
    """A declaration's or a unit's page."""
    return (
        f"{', '.join(of.names)}\n\n{_wrapped(of.doc, '')}\n\n{textwrap.indent(of.form, '    ')}\n"
    )


def _inside(place: Place) -> list[Place]:
    prefix = f"{place.path}." if place.path else ""
    return [
        one
        for one in catalogue.places()
        if one.path.startswith(prefix)
        and "." not in one.path[len(prefix) :]
        and one.path not in ("", "dataset", "template", place.path)
    ]


def _around(place: Place) -> str:
    if not place.path or place.path in ("dataset", "template"):
        return "a file"
    around = place.path.rpartition(".")[0]
    kinds = f" {', '.join(place.inside)}" if place.inside else ""
    return f"{_words(around)}{kinds}" if around else "a run"


def _words(path: str) -> str:
    return path.rpartition(".")[2]


def _marked(doc: str, planned: bool) -> str:
    return f"{doc}  ({PLANNED})" if planned else doc


def _table(rows: list[tuple[str, str]]) -> str:
    width = min(max(len(name) for name, _ in rows), 34)
    shown = []
    for name, doc in rows:
        first = f"  {name:<{width}}  "
        lines = textwrap.wrap(doc, WIDTH - width - 4, break_on_hyphens=False) or [""]
        if len(name) > width:
            shown.append(f"  {name}")
            first = " " * (width + 4)
        shown.append((first + lines[0]).rstrip())
        shown += [" " * (width + 4) + line for line in lines[1:]]
    return "\n".join(shown)


def _wrapped(said: str, indent: str) -> str:
    return textwrap.fill(
        said, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
