"""Rows and the values that are built from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, Literal, NewType
from uuid import UUID

import pytest

from core.adapters.postgres.engine.rows import record, row_of
from core.domain.errors import ContractError

Number = NewType("Number", int)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    item_id: str
    number: Number
    colour: Colour
    other: Colour | None
    names: tuple[str, ...]
    groups: frozenset[str]
    weight: float
    at: datetime
    day: date | None
    data: bytes
    kind: Literal["old", "new"]
    facts: Mapping[str, Any]
    stretch: Stretch
    is_late: bool = False


ROW: dict[str, Any] = {
    "item_id": UUID(int=7),
    "number": 3,
    "colour": "blue",
    "other": None,
    "names": ["b", "a"],
    "groups": ["x", "y"],
    "weight": 2,
    "at": datetime(2026, 3, 1, tzinfo=UTC),
    "day": None,
    "data": memoryview(b"z"),
    "kind": "new",
    "facts": {"a": 1},
    "is_late": False,
    "start": 4,
    "end": 9,
    "found_by": "nobody reads this column",
}
ITEM = Item(
    item_id="00000000-0000-0000-0000-000000000007",
    number=Number(3),
    colour=Colour.BLUE,
    other=None,
    names=("b", "a"),
    groups=frozenset({"x", "y"}),
    weight=2.0,
    at=datetime(2026, 3, 1, tzinfo=UTC),
    day=None,
    data=b"z",
    kind="new",
    facts={"a": 1},
    stretch=Stretch(start=4, end=9),
)


def test_row_becomes_value() -> None:
    """Each field is read as its type says, and a column that no field has is ignored."""
    read = record(Item, ROW)
    assert read == ITEM
    assert isinstance(read.weight, float)
    assert isinstance(read.data, bytes)


def test_given_fields() -> None:
    """A field that is given needs no column, and wins over one."""
    row = {name: value for name, value in ROW.items() if name != "names"}
    assert record(Item, row, names=("c",), number=Number(8)).names == ("c",)
    with pytest.raises(TypeError, match="nmaes"):
        record(Item, ROW, nmaes=())


def test_stored_json() -> None:
    """Times of stored JSON are read from text, and a nested object from its own key."""
    stored = ROW | {
        "at": "2026-03-01T00:00:00+00:00",
        "day": "2026-03-02",
        "stretch": {"start": 1, "end": 2},
    }
    read = record(Item, stored)
    assert (read.at, read.day) == (ITEM.at, date(2026, 3, 2))
    assert read.stretch == Stretch(start=1, end=2)


@pytest.mark.parametrize("name", ["item_id", "names", "other", "is_late", "end"])
def test_missing_column(name: str) -> None:
    """A column that is missing is an error that names it, whatever the field may do without."""
    row = {column: value for column, value in ROW.items() if column != name}
    with pytest.raises(ContractError, match=f"no column '{name}'"):
        record(Item, row)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("item_id", None),
        ("item_id", 7),
        ("number", "3"),
        ("number", True),
        ("weight", True),
        ("weight", "2"),
        ("colour", "green"),
        ("colour", None),
        ("other", "green"),
        ("names", "ab"),
        ("names", None),
        ("names", [1]),
        ("groups", [None]),
        ("at", None),
        ("at", "yesterday"),
        ("day", datetime(2026, 3, 1, tzinfo=UTC)),
        ("data", "z"),
        ("kind", "middle"),
        ("facts", None),
        ("stretch", "4-9"),
        ("is_late", None),
        ("is_late", 1),
    ],
)
def test_wrong_type(name: str, value: object) -> None:
    """A value that does not fit its field is an error that names the field, and no value."""
    with pytest.raises(ContractError, match=rf"Item\.{name}: ") as error:
        record(Item, ROW | {name: value})
    assert "yesterday" not in str(error.value)
    assert "middle" not in str(error.value)


def test_value_becomes_row() -> None:
    """The parameters of a statement are a value's fields, with enumerations and sets as stored."""
    row = row_of(ITEM, number=9, at_once=True)
    assert (row["colour"], row["other"]) == ("blue", None)
    assert (row["names"], row["groups"]) == (["b", "a"], ["x", "y"])
    assert (row["number"], row["at_once"]) == (9, True)
