"""Frozen records without code generation: what dataclasses give, at no cost when imported.

`dataclasses` compiles six methods for each class, about 0.3 ms; a hundred classes would take as
long as the whole of `ftc check` may (docs/decisions.md has the measurement).
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform


@dataclass_transform(frozen_default=True)
class Record:
    """A frozen record: annotated names of the class and its bases are its fields, in order.

    A value in the class body is the field's default.  Fields of a `kw_only` class stand behind
    those of its subclasses.  Equality and hash go by the fields, less
    those in `_uncompared`.  Raises TypeError for a missing, unknown or doubled argument.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _required: ClassVar[frozenset[str]] = frozenset()
    _uncompared: ClassVar[frozenset[str]] = frozenset()
    _last: ClassVar[tuple[str, ...]] = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, kw_only: bool = False) -> None:
        own = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
        if kw_only:
            cls._last = (*cls._last, *own)
        first = (name for name in (*cls._fields, *own) if name not in cls._last)
        fields = tuple(dict.fromkeys((*first, *cls._last)))
        cls._fields = cls.__match_args__ = fields  # type: ignore[misc]
        cls._required = frozenset(name for name in fields if not hasattr(cls, name))

    def __init__(self, *values: Any, **named: Any) -> None:
        fields, given = self._fields, self.__dict__
        given.update(zip(fields, values, strict=False))
        if named:
            if not named.keys().isdisjoint(given):
                _refuse(self, f"{sorted(named.keys() & given.keys())} given twice")
            given.update(named)
            if len(given) > len(fields) or not named.keys() <= set(fields):
                _refuse(self, f"{sorted(named.keys() - set(fields))} unknown")
        if len(values) > len(fields):
            _refuse(self, f"{len(values)} values for {len(fields)} fields")
        if len(given) < len(fields) and not self._required <= given.keys():
            _refuse(self, f"{sorted(self._required - given.keys())} missing")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            getattr(self, name) == getattr(other, name)
            for name in self._fields
            if name not in self._uncompared
        )

    def __hash__(self) -> int:
        compared = (getattr(self, n) for n in self._fields if n not in self._uncompared)
        return hash((type(self), *compared))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({shown})"


R = TypeVar("R", bound=Record)


def replaced(record: R, **changes: Any) -> R:
    """The record with some fields changed; raises TypeError for a field it does not have."""
    return type(record)(**{**record.__dict__, **changes})


def _refuse(record: Record, what: str) -> NoReturn:
    record.__dict__.clear()
    raise TypeError(f"{type(record).__name__}: {what}")
