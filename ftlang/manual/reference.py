"""The tables of REFERENCE.md, as Markdown; `docs/reference.in.md` has the text around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from ftlang.manual import constructors, values
from ftlang.manual.words import DECLARATIONS, UNITS
from ftlang.schema import catalogue
from ftlang.schema.catalogue import Field, KindOf, Place
from ftlang.schema.families import COMMON

PLANNED = "*planned*"
NOTHING = "–"


def filled(template: str, given: Mapping[str, str]) -> str:
    """The template with its `{{ name }}` put in: tables of this module, and those given."""
    tables: dict[str, Callable[[], str]] = {
        "declarations": declarations,
        "common": common,
        "units": units,
        "constructors": made,
        "blocks": blocks,
        "families": families,
    }

    def put(match: re.Match[str]) -> str:
        name = match[1]
        return given[name] if name in given else tables[name]()

    text = re.sub(r"\{\{ (?!contents)(\w+) \}\}", put, template)
    return text.replace("{{ contents }}", contents(text))


def contents(text: str) -> str:
    """Links to the headings of the second level, and to the blocks below `A run`."""
    lines = []
    for level, title in re.findall(r"^(##|###) (.+)$", text, re.MULTILINE):
        if level == "##":
            lines.append(f"- [{title}](#{_anchor(title)})")
        elif lines and lines[-1].startswith(("- [A run]", "  [")) and title.startswith("`"):
            lines.append(f"  [{title}](#{_anchor(title)})")
    return "\n".join(lines)


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def declarations() -> str:
    """Declarations with their forms."""
    rows = [(", ".join(map(_code, one.names)), _forms(one.form), one.doc) for one in DECLARATIONS]
    return table(("word", "written", "does"), rows)


def _forms(form: str) -> str:
    return "<br>".join(_code(line) for line in form.splitlines())


def units() -> str:
    """Units with examples."""
    rows = [(", ".join(map(_code, one.names)), _code(one.form), one.doc) for one in UNITS]
    return table(("unit", "example", "meaning"), rows)


def common() -> str:
    """The fields that survive a change of kind, by family."""
    said = [
        f"of `{family}` {', '.join(_code(name) for name in sorted(names))}"
        for family, names in COMMON.items()
        if names
    ]
    return "; ".join(said)


def made() -> str:
    """Constructors by group, with their arguments."""
    parts = []
    for group, names in constructors.GROUPS.items():
        rows = []
        for name in names:
            page = constructors.page(name)
            assert page is not None
            doc = f"{PLANNED}: {page.doc}" if page.planned else page.doc
            rows.append((_code(page.form), " ".join([doc, *_arguments(page)])))
        parts.append(f"**{group}**\n\n" + table(("constructor", "makes"), rows))
    return "\n\n".join(parts)


def _arguments(page: constructors.Page) -> Iterable[str]:
    for one in page.arguments:
        if page.planned or not one.planned:
            yield f"<br>`{one.name}`: {one.takes}. {one.doc}"
    later = [_code(one.name) for one in page.arguments if one.planned and not page.planned]
    if later:
        yield f"<br>{PLANNED}: {', '.join(later)}."


def blocks() -> str:
    """The blocks of a run with their kinds."""
    rows = []
    for place in catalogue.places():
        if "." in place.path or place.path in ("", "dataset", "template"):
            continue
        family = place.family
        names = [_code(k.name) for k in place.kinds if not k.planned and k.name]
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        usual = f"`{family.name} {family.default}`" if family.default else NOTHING
        if family.default is None and not family.optional:
            usual = "required"
        doc = f"{PLANNED}: {family.doc}" if place.planned else family.doc
        rows.append((f"[`{family.name}`](#{family.name})", shown or NOTHING, usual, doc))
    return table(("block", "kinds", "default", "what it says"), rows)


def families() -> str:
    """Every block with its fields, a heading each."""
    return "\n\n".join(_family(place) for place in catalogue.places())


def _family(place: Place) -> str:
    name = place.path or "run"
    parts = [f"### `{name}`", place.family.doc]
    if place.family.named and place.path:
        parts.append(f"Written `{name.rpartition('.')[2]} NAME {{ … }}`; there may be several.")
    if place.inside:
        parts.append(f"Stands in `{place.path.rpartition('.')[0]} {', '.join(place.inside)}`.")
    if place.planned:
        parts[1] = f"{PLANNED}: {parts[1]}"
    groups: dict[tuple[object, ...], list[KindOf]] = {}
    for kind in place.kinds:
        if kind.planned and not _is_ours(place, kind):
            continue
        key = tuple((f.name, repr(f)) for f in catalogue.fields(place.path, kind.name))
        groups.setdefault((kind.doc, kind.planned, *key), []).append(kind)
    emitted = [kinds for kinds in groups.values() if not kinds[0].planned]
    shared = _shared(place, emitted) if len(emitted) > 1 else ()
    if shared:
        parts += ["Every kind has:", _fields(shared, emitted[0][0])]
    for kinds in groups.values():
        parts += _kinds(place, kinds, () if kinds[0].planned else shared)
    later = [k.name for k in place.kinds if k.planned and not _is_ours(place, k)]
    if later:
        parts.append(f"Kinds {PLANNED}: {', '.join(map(_code, later))}.")
    return "\n\n".join(parts)


def _is_ours(place: Place, kind: KindOf) -> bool:
    """Whether the schema has the kind itself, not the libraries' list alone."""
    return kind.name in place.family.kinds or kind.name in place.family.later


def _shared(place: Place, groups: list[list[KindOf]]) -> tuple[Field, ...]:
    """The fields of ours that every emitted kind has, with the same type and default."""
    every = [catalogue.fields(place.path, kinds[0].name) for kinds in groups]
    rest = [{repr(field) for field in fields} for fields in every[1:]]
    return tuple(
        field
        for field in every[0]
        if not field.passed and all(repr(field) in others for others in rest)
    )


def _kinds(place: Place, kinds: list[KindOf], without: tuple[Field, ...]) -> list[str]:
    """The part on kinds that have the same fields, less those that are told already."""
    first = kinds[0]
    fields = catalogue.fields(place.path, first.name)
    parts = []
    if first.name:
        head = place.path.rpartition(".")[2]
        names = ", ".join(_code(f"{head} {kind.name}") for kind in kinds)
        mark = f" ({PLANNED})" if first.planned else ""
        parts.append(f"**{names}**{mark}: {first.doc}")
    own = [f for f in fields if not f.passed and f not in without]
    passed = [f for f in fields if f.passed]
    if own:
        parts.append(_fields(own, first))
    if passed and first.planned:
        parts.append("Library arguments: " + ", ".join(_code(f.name) for f in passed) + ".")
    elif passed:
        home = ", ".join(sorted({_code(f.home.rpartition(".")[0]) for f in passed}))
        rows = [(_code(f.name), values.takes(f.type), _default(f), f.doc) for f in passed]
        parts.append(f"Library arguments, of {home}:")
        parts.append(table(("argument", "takes", "default", "what it does"), rows))
    return parts


def _fields(fields: Iterable[Field], kind: KindOf) -> str:
    rows = [_row(field, kind) for field in fields]
    return table(("field", "takes", "default", "sets", "what it does"), rows)


def _row(field: Field, kind: KindOf) -> tuple[str, ...]:
    doc = f"{PLANNED}: {field.doc}" if field.planned and not kind.planned else field.doc
    home = _code(field.home) if field.home else NOTHING
    return (_code(field.name), values.takes(field.type), _default(field), home, doc)


def _default(field: Field) -> str:
    if field.required:
        return "required"
    shown = values.default(field)
    return _code(shown) if shown else NOTHING


def _code(text: str) -> str:
    return f"`{text}`"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(c.replace('|', chr(92) + '|') for c in r)} |" for r in lines)
