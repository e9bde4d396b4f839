"""How a block family declares itself: frozen records whose annotations carry type and doc."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ftlang.record import Record
from ftlang.schema.given import NONE_PASSED, Passed
from ftlang.schema.types import Doc, FieldType


class Block(Record, kw_only=True):
    """A block of the spec.  Subclasses declare fields as `Annotated[T, FieldType, Doc]`.

    They are declared without postponed annotations, so that the metadata is there to read.
    `families` are blocks that stand inside this one; `passes` names the library classes whose
    other arguments the block takes under their own names (`METHOD_CONFIG`: that of the run's
    method), which `passed` holds; those in `withheld` it does not take.
    """

    families: ClassVar[Mapping[str, Family]] = {}
    passes: ClassVar[tuple[str, ...]] = ()
    withheld: ClassVar[frozenset[str]] = frozenset()

    passed: Passed = NONE_PASSED


# Stands in `passes` for the configuration class of the run's method, such as SFTConfig.
METHOD_CONFIG = "METHOD"


class Declared(Record):
    """A field as its block declares it."""

    name: str
    type: FieldType
    doc: Doc
    default: object
    required: bool


class Family(Record):
    """A kind of block: `tune lora {…}`, `training {…}`.

    `kinds` maps a kind's name to its class; a family without kinds has the one key "".
    `later` are kinds that nothing is emitted for yet, `table` names the list of the signature
    table that holds more of those, each a block of the class `other`.  `default` is the kind of
    an absent block.  `planned` families have no kind that is emitted; blocks of `named` ones
    carry a name instead of a kind.
    """

    name: str
    kinds: Mapping[str, type[Block]]
    default: str | None = ""
    later: Mapping[str, type[Block]] = {}
    table: str = ""
    other: type[Block] = Block
    doc: str = ""
    optional: bool = False
    planned: bool = False
    named: bool = False

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
    annotations: dict[str, Any] = {}
    for base in reversed(block.__mro__):
        annotations |= getattr(base, "__annotations__", {})
    for name in block._fields:
        metadata: tuple[Any, ...] = getattr(annotations[name], "__metadata__", ())
        if len(metadata) == 2:
            default = getattr(block, name, None)
            required = name in block._required
            written = name.removesuffix("_")  # `class` is a word of Python
            result[written] = Declared(written, metadata[0], metadata[1], default, required)
    return result
