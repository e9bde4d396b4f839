"""Values that have a shape of their own: maps, and the library arguments that a block passes on."""

from __future__ import annotations

from collections.abc import Iterator

from ftlang.record import Record


class Map(Record):
    """`{ "layers.0" = 16, x = 8 }` as a value, in the order it was written."""

    pairs: tuple[tuple[str, object], ...] = ()


class Passed(Record):
    """Library arguments of a block, each under its own name, in the order they were written."""

    pairs: tuple[tuple[str, object], ...] = ()

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.pairs)

    def __contains__(self, name: object) -> bool:
        return any(name == key for key, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def get(self, name: str, default: object = None) -> object:
        """The argument's value, or the default where it was not written."""
        return dict(self.pairs).get(name, default)


NONE_PASSED = Passed()
