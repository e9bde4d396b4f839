"""Records behave as frozen dataclasses do, without code made for each class."""

from __future__ import annotations

from typing import ClassVar

import pytest

from ftlang.record import Record, replaced


class Point(Record):
    """A point for the tests."""

    shown: ClassVar[str] = "no field"
    x: int
    y: int = 2


class Named(Point):
    """A point with a name that does not count."""

    _uncompared: ClassVar[frozenset[str]] = frozenset({"name"})
    name: str = ""


def test_fields_come_in_order_bases_first() -> None:
    assert Named._fields == ("x", "y", "name")
    assert repr(Named(1, name="a")) == "Named(x=1, y=2, name='a')"


def test_equality_and_hash_go_by_the_compared_fields() -> None:
    assert Point(1) == Point(x=1, y=2) != Point(2)
    assert Point(1) != Named(1)
    assert Named(1, name="a") == Named(1, name="b")
    assert len({Named(1, name="a"), Named(1, name="b"), Named(2)}) == 2


def test_a_changed_copy_leaves_the_first() -> None:
    first = Named(1, 3, name="a")
    assert (replaced(first, y=4), first.y) == (Named(1, 4), 3)
    with pytest.raises(TypeError, match="unknown"):
        replaced(first, z=1)


@pytest.mark.parametrize(
    ("values", "named", "why"),
    [
        ((), {}, "'x'.* missing"),
        ((), {"y": 1}, "'x'.* missing"),
        ((1, 2, 3), {}, "3 values for 2 fields"),
        ((1,), {"x": 1}, "given twice"),
        ((1,), {"z": 1}, "unknown"),
        ((1, 2), {"z": 1}, "unknown"),
    ],
)
def test_wrong_arguments_raise(values: tuple[int, ...], named: dict[str, int], why: str) -> None:
    with pytest.raises(TypeError, match=why):
        Point(*values, **named)


def test_a_record_is_frozen_and_matches() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x  # type: ignore[misc]
    match point:
        case Point(x, y=2):
            assert x == 1
        case _:
            pytest.fail("no match")
