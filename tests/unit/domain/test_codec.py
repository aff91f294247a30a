"""Values as JSON by a table of names."""

from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any
from uuid import UUID

import pytest

from core.domain.codec import json_of, value_of
from core.domain.errors import ContractError


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    key: str
    colour: Colour
    on: date
    part: Part
    note: str = ""
    release: int = 1


NAMES = "id=key colour on note? release~"
WHOLE = Whole(key="k", colour=Colour.RED, on=date(2026, 3, 1), part=Part(name="p"))


def test_a_table_names_what_is_written() -> None:
    """Names and their order are those of the table, a path leads into parts, and more may stand."""
    found = json_of(WHOLE, "id=key part.name more colour", more=(1, UUID(int=1)), last=b"\x01")
    assert list(found.items()) == [
        ("id", "k"),
        ("name", "p"),
        ("more", [1, str(UUID(int=1))]),
        ("colour", "red"),
        ("last", "01"),
    ]


def test_without_a_table_all_fields_are_written() -> None:
    """Of what it holds as well; sets are sorted."""
    found = json_of(Part(name="p", ids=frozenset({"b", "a"})))
    assert found == {"name": "p", "ids": ["a", "b"]}


def test_a_text_of_a_library_stays_a_text() -> None:
    """Parsers give subclasses of `str`, which are no lists of letters."""

    class Parsed(str):
        __slots__ = ()

    assert json_of(Part(name=Parsed("Gifts"), ids=frozenset({Parsed("a")}))) == {
        "name": "Gifts",
        "ids": ["a"],
    }


@pytest.mark.parametrize("note", ["", "n"])
def test_the_table_reads_what_it_wrote(note: str) -> None:
    """What has its default may be left out."""
    value = Whole(key="k", colour=Colour.RED, on=date(2026, 3, 1), part=WHOLE.part, note=note)
    stored = json_of(value, NAMES)
    assert ("note" in stored) is bool(note)
    assert value_of(Whole, stored, NAMES, part=WHOLE.part) == value


@pytest.mark.parametrize("missing", ["id", "colour", "on", "release"])
def test_what_must_be_there(missing: str) -> None:
    """Nothing is missing but what is left out at its default, or an earlier release lacked."""
    stored: dict[str, Any] = {**json_of(WHOLE, NAMES)}
    del stored[missing]
    if missing == "release":
        assert value_of(Whole, stored, NAMES, part=WHOLE.part) == WHOLE
        return
    with pytest.raises(ContractError):
        value_of(Whole, stored, NAMES, part=WHOLE.part)


def test_a_default_does_not_stand_in_for_what_was_written() -> None:
    """A name without a mark is always written: where it is missing, something is wrong."""
    with pytest.raises(ContractError):
        value_of(Whole, {"key": "k"}, "key note", colour=Colour.RED, on=WHOLE.on, part=WHOLE.part)
