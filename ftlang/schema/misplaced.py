"""Fields that a block does not have: another block's, another tool's, a derived one, or a typo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ftlang.diagnostics import Diagnostic, Edit, error
from ftlang.names.suggest import did_you_mean, near
from ftlang.names.tree import Given
from ftlang.record import Record
from ftlang.schema import homes, signatures
from ftlang.schema.block import Family, declared
from ftlang.schema.carried import carried
from ftlang.schema.foreign import WRITTEN, foreign
from ftlang.schema.kinds import kind_names, kind_of
from ftlang.schema.moves import moved
from ftlang.schema.rewritten import inside, nickname, rewritten
from ftlang.schema.run import Run
from ftlang.schema.site import Site, argument, classes_of
from ftlang.source import Span


class FieldPlace(Record):
    """A block that has a field: its path, and the kinds that have it (all of them: `every`).

    `planned` where none of these kinds is emitted in this release.
    """

    path: str
    kinds: tuple[str, ...]
    every: bool
    planned: bool = False

    def words(self) -> str:
        """How it is named: `training`, `optimizer`, or `method dpo`."""
        name = self.path.rpartition(".")[2] or "run"
        return name if self.every else f"{name} {self.kinds[0]}"


def unknown_field(attr: Given, at: Site) -> Diagnostic:
    """What to say of a field that the block does not have: another's, a former name, or a typo."""
    name, span = attr.path.text, attr.path.span
    if (known := inside(at.family, name)) and known.here in at.names():
        message = f"`{name}` is called `{known.here}` here"
        help = (f"write `{known.here}`",)
        return error("FT214", message, span, help=help, fix=Edit(span, known.here))
    if way := nickname(at.family, name, attr.value, at.names()):
        return error("FT201", f"`{at.family}` has no field `{name}`", span, help=(way,))
    if known := foreign(name):
        message = f"`{name}` is {known.whose} name; here it is `{known.here}`"
        way = rewritten(name, known.here, attr.value)
        way = way or carried(known.here, known.written, attr.value) or known.written
        way = _of_this_run(way, at)
        return error("FT214", message, span, help=(way,) if way != f"set `{known.here}`" else ())
    classes = [of for of in at.classes if of in signatures.classes()]
    closed = [found for of in classes if (found := homes.closed(name, of))]
    if closed:
        return _derived(attr, closed[0], at)
    own = at.names()
    places = list(_places(name, at))
    same = [place for place in places if place.path == at.path]
    if places and not near(name, own):
        if same:
            return _of_another_kind(name, span, same[0], at)
        return _misplaced(attr, places, at)
    found = homes.closed(name)
    if found is not None and not near(name, own):
        return _derived(attr, found, at)
    return _unknown(name, span, own, at)


def _derived(attr: Given, closed: homes.Closed, at: Site) -> Diagnostic:
    """A library argument that no block takes: what says it instead, and why."""
    name, span = attr.path.text, attr.path.span
    if not closed.by:
        message = f"`{name}` cannot be set"
        return error("FT213", message, span, notes=(closed.why,), help=("remove it",))
    help = rewritten(name, closed.by, attr.value)
    written = WRITTEN.get(closed.by, f"set `{closed.by}` instead")
    help = help or carried(closed.by, written.removesuffix(" instead"), attr.value) or written
    message = f"`{name}` is derived from `{closed.by}`"
    help = _of_this_run(help, at)
    return error("FT213", message, span, notes=(closed.why,), help=(help,))


def _of_this_run(way: str, at: Site) -> str:
    """The sentence with the kind of block that the run has, where it names an example."""
    for name in ("optimizer", "schedule", "tune"):
        tree = at.root.blocks.get(name) if at.root is not None else None
        head, found, rest = way.partition(f" in `{name} ")
        if found and tree is not None and tree.kind is not None:
            return f"{head}{found}{tree.kind.text}`{rest.partition('`')[2]}"
    return way


def _of_another_kind(name: str, span: Span, place: FieldPlace, at: Site) -> Diagnostic:
    """A field that other kinds of the same family have."""
    family, _, kind = at.family.partition(" ")
    shown = [f"`{family} {place.kinds[0]}`", *(f"`{k}`" for k in place.kinds[1:4])]
    more = f" and {len(place.kinds) - 4} more" if len(place.kinds) > 4 else ""
    message = f"`{name}` is a field of {', '.join(shown)}{more}; this run is `{at.family}`"
    if family != "method":
        message = f"`{name}` is a field of {', '.join(shown)}{more}, not of `{at.family}`"
    help = (f"remove it, or write `{family} {place.kinds[0]}` for `{family} {kind}`",)
    return error("FT202", message, span, help=help)


def _misplaced(attr: Given, places: list[FieldPlace], at: Site) -> Diagnostic:
    """A field of another block; the fix moves its line where one block is meant."""
    name, span = attr.path.text, attr.path.span
    places = _in_the_run([p for p in places if not p.planned] or places, at)
    listed = " and of ".join(f"`{p.words()}`" for p in places[:3])
    message = f"`{name}` is a field of {listed}, not of `{at.family}`"
    place = places[0]
    kind = place.kinds[0] if place.kinds else ""
    way = f"move it into `{place.words()} {{ … }}`" if place.path else "move it into the run"
    if place.every and kind:
        way = f"move it into the `{place.words()}` block, such as `{place.words()} {kind} {{ … }}`"
    fix = None
    if len(places) == 1 and at.root is not None:
        fix = moved(attr, at.root, place.path, _default_kind(place))
    return error("FT202", message, span, help=(way,), fix=fix)


def _default_kind(place: FieldPlace) -> str | None:
    """The kind of a block that has to be written out: "" for none, None where it is not clear."""
    family = Run.families.get(place.path)
    if family is None:
        return None
    if not family.has_kinds:
        return ""
    return family.default if family.default in place.kinds else None


def _in_the_run(places: list[FieldPlace], at: Site) -> list[FieldPlace]:
    """The places that the run at hand has as it stands, or all of them."""
    if at.root is None:
        return places
    fitting = []
    for place in places:
        tree = at.root.blocks.get(place.path.partition(".")[0])
        kind = tree.kind.text if tree is not None and tree.kind is not None else ""
        if kind in place.kinds and not place.every:
            others = tuple(one for one in place.kinds if one != kind)
            fitting.append(FieldPlace(place.path, (kind, *others), place.every))
        elif place.every or "." in place.path:
            fitting.append(place)
    return fitting or places


def _unknown(name: str, span: Span, own: tuple[str, ...], at: Site) -> Diagnostic:
    ours = (*declared(at.block), *at.block.families)
    shown = ", ".join(f"`{n}`" for n in ours)
    passed = len(own) - len(ours)
    classes = " and ".join(at.classes)
    if passed:
        shown += f" and {passed} arguments of {classes}" if shown else f"arguments of {classes}"
    help = did_you_mean(name, own) or (
        (f"`{at.family}` has {shown}",) if shown else (f"`{at.family}` has no fields",)
    )
    return error("FT201", f"`{at.family}` has no field `{name}`", span, help=help)


def _places(name: str, at: Site) -> Iterator[FieldPlace]:
    """The blocks of a run that do have this field."""
    if name in declared(Run):
        yield FieldPlace("", (), True)
    yield from _of_families(name, Run.families.values(), "", at)


def _of_families(
    name: str, families: Iterable[Family], prefix: str, at: Site
) -> Iterator[FieldPlace]:
    for family in families:
        path = prefix + family.name
        having = tuple(k for k in kind_names(family) if _has(family, k, name, path, at))
        if having:
            first = sorted(having, key=lambda kind: kind != family.default)
            every = not family.has_kinds or all(k in having for k in family.kinds or having)
            kinds = [kind_of(family, k) for k in having]
            planned = all(kind is None or kind.planned for kind in kinds)
            yield FieldPlace(path, tuple(k for k in first if k), every, planned)
        inner = {f.name: f for cls in family.kinds.values() for f in cls.families.values()}
        yield from _of_families(name, inner.values(), path + ".", at)


def _has(family: Family, kind: str, name: str, path: str, at: Site) -> bool:
    """Whether a kind of a family declares the field or passes it on."""
    of = kind_of(family, kind)
    if of is None:
        return False
    if name in declared(of.block):
        return True
    classes = classes_of(of.passes, at.methods)
    return argument(name, of.block, path, classes) is not None
