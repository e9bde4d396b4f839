"""The kinds of a family: those that a block class declares, and those of the signature table."""

from __future__ import annotations

from collections.abc import Iterable

from ftlang.record import Record
from ftlang.schema import signatures
from ftlang.schema.block import Block, Family


class Kind(Record):
    """One kind: its block class, the library classes that it passes arguments to, its standing."""

    name: str
    block: type[Block]
    passes: tuple[str, ...]
    planned: bool


def kind_of(family: Family, name: str) -> Kind | None:
    """The kind of this name, or None; looks into the signature table only for unknown names."""
    if name in family.kinds:
        block = family.kinds[name]
        return Kind(name, block, block.passes, family.planned)
    if name in family.later:
        block = family.later[name]
        return Kind(name, block, block.passes, planned=True)
    if family.table and name in (listed := _listed(family)):
        passes = listed[name]
        return Kind(name, family.other, passes or family.other.passes, planned=True)
    return None


def kind_names(family: Family) -> tuple[str, ...]:
    """Every kind of a family, those that are emitted first."""
    listed: Iterable[str] = _listed(family) if family.table else ()
    return tuple(dict.fromkeys((*family.kinds, *family.later, *listed)))


def _listed(family: Family) -> dict[str, tuple[str, ...]]:
    """The kinds of the table that a family names, each with the classes of its arguments."""
    match family.table:
        case "tuners":
            return {name: (of,) for name, of in signatures.tuners().items()}
        case "quantizations":
            listed = signatures.quantizations().items()
            return {name: (of,) for name, of in listed if of != "BitsAndBytesConfig"}
        case "optimizers":
            return dict.fromkeys(signatures.optimizers(), ())
        case "schedulers":
            return {name: (f"schedule.{name}",) for name in signatures.schedulers()}
    raise ValueError(f"no table {family.table}")
