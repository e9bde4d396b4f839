"""Kinds whose classes are imported when one of them is asked for, so that a check starts fast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from ftlang.schema.block import Block


class Classes(Mapping[str, type[Block]]):
    """The class of each kind, by its name in a module of `ftlang.schema`."""

    def __init__(self, module: str, names: Mapping[str, str]) -> None:
        self.module, self.names = module, names

    def __getitem__(self, kind: str) -> type[Block]:
        name = self.names[kind]
        found: type[Block] = getattr(import_module(f"ftlang.schema.{self.module}"), name)
        return found

    def __contains__(self, kind: object) -> bool:
        return kind in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
