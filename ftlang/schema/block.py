"""How a block family declares itself: frozen dataclasses whose annotations carry type and doc."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from ftlang.schema.types import Doc, FieldType


class Block:
    """A block of the spec.  Subclasses are frozen dataclasses of `Annotated[T, FieldType, Doc]`.

    They are declared without postponed annotations, so that the metadata is there to read.
    `families` are blocks that stand inside this one; `planned` are fields and blocks of the
    language that a later release reads.
    """

    __slots__ = ()
    families: ClassVar[Mapping[str, Family]] = {}
    planned: ClassVar[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Declared:
    """A field as its block declares it."""

    name: str
    type: FieldType
    doc: Doc
    default: object
    required: bool


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of block: `tune lora {…}`, `training {…}`.

    `kinds` maps a kind's name to its class; a family without kinds has the one key "".
    `later` are kinds of a later release, `default` the kind of an absent block.
    """

    name: str
    kinds: Mapping[str, type[Block]]
    default: str | None = ""
    later: tuple[str, ...] = ()
    doc: str = ""
    optional: bool = False

    @property
    def has_kinds(self) -> bool:
        """Whether a kind must be written after the family's name."""
        return "" not in self.kinds


_DECLARED: dict[type[Block], dict[str, Declared]] = {}


def declared(block: type[Block]) -> Mapping[str, Declared]:
    """The fields of a block class by name, in the order of declaration."""
    if block in _DECLARED:
        return _DECLARED[block]
    result = _DECLARED[block] = {}
    for f in fields(block):  # type: ignore[arg-type]
        metadata: tuple[Any, ...] = getattr(f.type, "__metadata__", ())
        if len(metadata) == 2:
            required = f.default is MISSING
            default = None if required else f.default
            result[f.name] = Declared(f.name, metadata[0], metadata[1], default, required)
    return result
