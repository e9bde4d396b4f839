"""A block while it is read: what stands around it, and which library arguments it passes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftlang.names.tree import Tree
from ftlang.schema.block import METHOD_CONFIG, Block, declared
from ftlang.schema.methods import METHOD
from ftlang.schema.run import Run
from ftlang.schema.types import FieldType

if TYPE_CHECKING:
    from ftlang.schema.blocks import BlockReader


class Site:
    """The block's class and tree, and the library classes that it passes arguments to.

    `prefix` is its path with a final dot, `family` how it is written (`tune lora`), `root` the
    run around it, `methods` the classes of the run's method, or of any where none is given.
    """

    def __init__(
        self,
        block: type[Block],
        tree: Tree,
        prefix: str,
        family: str,
        passes: tuple[str, ...],
        around: BlockReader,
    ) -> None:
        self.block, self.tree, self.prefix, self.family = block, tree, prefix, family
        self.root = around.root
        self.methods = _methods(around)
        self.classes = classes_of(passes, self.methods)

    @property
    def path(self) -> str:
        """The block's path in the run, "" for the run."""
        return self.prefix.removesuffix(".")

    def argument(self, name: str) -> FieldType | None:
        """The type of a library argument that the block passes on, None if it is none of them."""
        return argument(name, self.block, self.path, self.classes)

    def names(self) -> tuple[str, ...]:
        """Every name that may stand in the block, our own first."""
        own = (*declared(self.block), *self.block.families)
        return (*own, *passed_names(self.block, self.path, self.classes))


def _methods(around: BlockReader) -> tuple[str, ...]:
    if around.method is not None:
        return around.method.passes
    if not around.partial:
        return ("SFTConfig",)
    kinds = (*METHOD.kinds.values(), *METHOD.later.values())
    return tuple(dict.fromkeys(name for kind in kinds for name in kind.passes))


def classes_of(passes: tuple[str, ...], methods: tuple[str, ...]) -> tuple[str, ...]:
    """The library classes that a block passes to, those of the run's method put in."""
    found: list[str] = []
    for name in passes:
        found += methods if name == METHOD_CONFIG else (name,)
    return tuple(found)


def argument(
    name: str, block: type[Block], path: str, classes: tuple[str, ...]
) -> FieldType | None:
    """The type of a library argument that a block passes on; the table is read only for this."""
    if not classes or name in _withheld(block, path):
        return None
    from ftlang.schema.passing import argument_type

    return argument_type(path, classes, name)


def passed_names(block: type[Block], path: str, classes: tuple[str, ...]) -> tuple[str, ...]:
    """The library arguments that a block passes on, less those that it declares itself."""
    if not classes:
        return ()
    from ftlang.schema.passing import passed_names as names

    without = {*declared(block), *block.families} | _withheld(block, path)
    return tuple(name for name in names(path, classes) if name not in without)


def _withheld(block: type[Block], path: str) -> frozenset[str]:
    """Names that only other kinds of the family declare, though they share a library class."""
    if METHOD_CONFIG not in block.passes or path not in Run.families:
        return block.withheld
    kinds = Run.families[path].kinds.values()
    others = frozenset(name for kind in kinds for name in declared(kind))
    return (others - set(declared(block))) | block.withheld
