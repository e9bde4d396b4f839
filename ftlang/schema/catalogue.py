"""The whole language as records, for documentation and editors: families, kinds, and fields.

Reads the signature table; nothing on the way of `ftc check` imports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from ftlang.record import Record
from ftlang.schema.argument_docs import doc as argument_doc
from ftlang.schema.block import Block, Declared, Family, declared
from ftlang.schema.data import DATASET
from ftlang.schema.kinds import Kind, kind_names, kind_of
from ftlang.schema.later import TEMPLATE
from ftlang.schema.methods import METHOD
from ftlang.schema.passing import argument_type, passed
from ftlang.schema.run import Run
from ftlang.schema.site import classes_of, passed_names
from ftlang.schema.types import FieldType

RUN = Family("run", {"": Run}, default=None, doc="A run: one training job.", named=True)


class Field(Record):
    """One field of a block.

    `home` is the library argument that it sets (`SFTConfig.learning_rate`), "" for ours alone.
    A `passed` field carries its argument's name; a `planned` one is typed and not emitted yet; a
    `check_only` one is read by rules alone.
    """

    name: str
    type: FieldType
    doc: str
    default: object
    required: bool = False
    home: str = ""
    passed: bool = False
    planned: bool = False
    check_only: bool = False


class KindOf(Record):
    """One kind of a family; "" for a family without kinds.  `doc` says what it is."""

    name: str
    doc: str
    planned: bool = False


class Place(Record):
    """A family where it stands: `path` from the run (`model.quantize`), "" for the run itself.

    Declarations beside the run stand under their own names (`dataset`, `template`).  `inside`
    are the kinds of the family around it that have it, empty where all do.
    """

    path: str
    family: Family
    kinds: tuple[KindOf, ...]
    inside: tuple[str, ...] = ()

    @property
    def planned(self) -> bool:
        """Whether nothing of it is emitted yet."""
        return all(kind.planned for kind in self.kinds)


@cache
def places() -> tuple[Place, ...]:
    """Every family of the language, each with all of its kinds, outer ones first."""
    return tuple(_all_places())


def place(path: str) -> Place:
    """The family at a path; raises KeyError if there is none."""
    found = {one.path: one for one in places()}
    return found[path]


@cache
def fields(path: str, kind: str = "", method: str = "sft") -> tuple[Field, ...]:
    """Every field of a block, declared ones first, then those that pass on.

    `method` decides the configuration class that blocks such as `training` pass to.  Raises
    KeyError for an unknown path, kind or method.
    """
    of = _kind(place(path).family, kind)
    config = _kind(METHOD, method).passes
    own = [_declared(field, of) for field in declared(of.block).values()]
    classes = classes_of(of.passes, config)
    names = passed_names(of.block, path, classes)
    return (*own, *(_passed(name, path, classes, of) for name in names))


def _kind(family: Family, name: str) -> Kind:
    if family.named or not family.has_kinds:
        name = ""
    found = kind_of(family, name)
    if found is None:
        raise KeyError(f"`{family.name}` has no kind `{name}`")
    return found


def _all_places() -> Iterator[Place]:
    for family in (RUN, DATASET, TEMPLATE):
        yield _place("" if family is RUN else family.name, family)
    yield from _inner(Run.families.values(), "", ())


def _inner(families: Iterable[Family], prefix: str, inside: tuple[str, ...]) -> Iterator[Place]:
    for family in families:
        path = prefix + family.name
        yield _place(path, family, inside)
        around: dict[str, list[str]] = {}
        known: dict[str, Family] = {}
        for kind in (*family.kinds, *family.later):
            block = {**family.later, **family.kinds}[kind]
            for name, inner in block.families.items():
                around.setdefault(name, []).append(kind)
                known[name] = inner
        for name, inner in known.items():
            yield from _inner([inner], path + ".", tuple(k for k in around[name] if k))


def _place(path: str, family: Family, inside: tuple[str, ...] = ()) -> Place:
    kinds = []
    for name in kind_names(family):
        of = kind_of(family, name)
        assert of is not None
        kinds.append(KindOf(name, first_line(of.block), of.planned))
    return Place(path, family, tuple(kinds), inside)


def first_line(block: type[Block]) -> str:
    """What a block is, the first line of its docstring."""
    return (block.__doc__ or "").strip().split("\n")[0]


def _declared(field: Declared, of: Kind) -> Field:
    doc = field.doc
    planned = of.planned or doc.planned
    return Field(
        field.name,
        field.type,
        doc.text,
        field.default,
        field.required,
        doc.home,
        False,
        planned,
        doc.check_only,
    )


def _passed(name: str, path: str, classes: tuple[str, ...], of: Kind) -> Field:
    holder = next(c for c in classes if name in passed(path, c))
    argument = passed(path, holder)[name]
    type_ = argument_type(path, classes, name)
    assert type_ is not None
    default = None if argument.required or argument.opaque else argument.default
    home = f"{holder}.{name}"
    text = argument_doc(name, holder)
    return Field(name, type_, text, default, argument.required, home, True, of.planned)


def planned_kinds() -> tuple[str, ...]:
    """The kinds and families that are typed and not emitted, such as `method dpo`."""
    found = []
    for one in places():
        name = one.path or "run"
        found += [f"{name} {kind.name}".strip() for kind in one.kinds if kind.planned]
    return tuple(found)
