"""Which values of a Spec are shown: every field that has one, by block, with its path and type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ftlang.names.files import Declared, Module
from ftlang.names.resolve import Document
from ftlang.names.tree import Given, Tree
from ftlang.record import Record
from ftlang.schema.block import Block, Family, declared
from ftlang.schema.data import DATASET, Dataset
from ftlang.schema.kinds import kind_of
from ftlang.schema.methods import METHOD
from ftlang.schema.read import dataset
from ftlang.schema.run import Run, Spec
from ftlang.schema.site import argument, classes_of
from ftlang.schema.sources import Reference
from ftlang.schema.types import FieldType


class Value(Record):
    """One field: its path in the run, its value and type, and how it was given, if it was."""

    path: str
    name: str
    value: object
    type: FieldType | None
    given: Given | None = None


class Shown(Record):
    """One block: its head (`tune`, `lora`), its path, its fields, and the blocks inside.

    `dropped` are fields that a change of kind left behind, `removed` those that were unset.
    """

    head: tuple[str, ...]
    path: str
    fields: tuple[Value, ...]
    blocks: tuple[Shown, ...] = ()
    tree: Tree | None = None

    @property
    def dropped(self) -> Mapping[str, Given]:
        """Fields that a change of kind left behind, as they were given."""
        return self.tree.dropped if self.tree is not None else {}

    @property
    def name(self) -> str:
        """The word that the block begins with."""
        return self.head[0]


def run(spec: Spec, document: Document) -> Shown:
    """The run with all its values."""
    method = kind_of(METHOD, spec.method.kind)
    methods = method.passes if method is not None else ()
    tree = document.runs[spec.name]
    return _block(Run, spec, ("run", spec.name), "", methods, tree)


def datasets(spec: Spec, document: Document) -> Iterator[tuple[Declared, Shown]]:
    """The data sets that the run names, each once, as declared."""
    seen: list[Declared] = []
    read = dataset(document)
    for reference in references((spec.data.train, spec.data.eval)):
        of = reference.declared
        if not isinstance(of, Declared) or of in seen:
            continue
        seen.append(of)
        value = read(of)
        assert isinstance(value, Dataset), "a run without errors names data sets without errors"
        head = (DATASET.name, of.name)
        yield of, _block(Dataset, value, head, "", (), document.tree(of))


def dataset_names(sets: Iterable[Declared], taken: set[str]) -> dict[Declared, str]:
    """A name for each data set that no other has, nor is `taken`; their own where possible."""
    names: dict[Declared, str] = {}
    for of in sets:
        if of not in names:
            names[of] = free(of.name, taken)
    return names


def free(name: str, taken: set[str]) -> str:
    """The name, or one like it that is not taken; from then on it is."""
    new, count = name, 1
    while new in taken:
        count += 1
        new = f"{name}_{count}"
    taken.add(new)
    return new


def references(value: object) -> Iterator[Reference]:
    """The references in a value."""
    if isinstance(value, Reference):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from references(one)
    elif isinstance(value, Record):
        yield from references(tuple(getattr(value, name) for name in value._fields))


def modules(document: Document) -> list[Module]:
    """The entry file and every file that it uses, directly or not."""
    found = [document.module]
    for module in found:
        for one in module.imports:
            if one.module is not None and one.module not in found:
                found.append(one.module)
    return found


def _block(
    cls: type[Block],
    values: Record,
    head: tuple[str, ...],
    path: str,
    methods: tuple[str, ...],
    tree: Tree | None,
) -> Shown:
    """`values` holds the block's fields: the block itself, or the Spec for a run's own."""
    prefix = f"{path}." if path else ""
    attrs = tree.attrs if tree is not None else {}
    fields = []
    for name, field in declared(cls).items():
        value = getattr(values, name if name in values._fields else f"{name}_", None)
        given = attrs.get(name)
        absent = value in (None, "", ()) and value == field.default and given is None
        if absent or field.doc.planned:
            continue
        fields.append(Value(prefix + name, name, value, field.type, given))
    blocks = []
    for family in cls.families.values():
        inner = getattr(values, family.name, None)
        if isinstance(inner, Block):
            blocks.append(_inner(family, inner, prefix + family.name, methods, tree))
    if isinstance(values, Block):
        kind = kind_of(path_family(path), head[1]) if path and len(head) > 1 else None
        classes = classes_of(kind.passes if kind is not None else cls.passes, methods)
        for name, value in values.passed.pairs:
            of = argument(name, cls, path, classes)
            fields.append(Value(prefix + name, name, value, of, attrs.get(name)))
    return Shown(head, path, tuple(fields), tuple(blocks), tree)


def _inner(
    family: Family,
    block: Block,
    path: str,
    methods: tuple[str, ...],
    tree: Tree | None,
) -> Shown:
    kind: str = getattr(block, "kind", "")  # every concrete block has one
    head = (family.name, kind) if family.has_kinds else (family.name,)
    inner = tree.blocks.get(family.name) if tree is not None else None
    return _block(type(block), block, head, path, methods, inner)


def path_family(path: str) -> Family:
    """The family of the block at a path such as `model.quantize`."""
    families: Mapping[str, Family] = Run.families
    parts = path.split(".")
    for name in parts[:-1]:
        kinds = families[name].kinds.values()
        families = {n: f for cls in kinds for n, f in cls.families.items()}
    return families[parts[-1]]
