"""Ids of records by their beginning, a range of ids and never a pattern, or by their reference."""

from uuid import UUID

import pytest

from core.adapters.postgres.engine.record_ids import id_range, reference_in

ID = "0198c0de-1234-7abc-8def-0123456789ab"


@pytest.mark.parametrize("typed", [ID, ID.upper(), f" {ID}\n", ID.replace("-", "")])
def test_a_whole_id_means_itself(typed: str) -> None:
    """In either case, with or without hyphens, copied with what stands around it."""
    assert id_range(typed) == (UUID(ID), UUID(ID))


@pytest.mark.parametrize("typed", ["456789ab", "456789AB", "Ref 456789ab", " ref 456789ab "])
def test_a_reference_is_taken_as_copied(typed: str) -> None:
    """With the word before it, in either case."""
    assert reference_in(typed) == "456789ab"


@pytest.mark.parametrize("typed", [ID, "456789a", "456789abc", "Ref", "456789ag", "%" * 8])
def test_what_is_no_reference(typed: str) -> None:
    """Of another length, or with other letters."""
    assert reference_in(typed) is None


@pytest.mark.parametrize("length", range(1, len(ID)))
def test_each_beginning_holds_the_id(length: int) -> None:
    """And no id that begins otherwise."""
    found = id_range(ID[:length])
    assert found is not None
    first, last = found
    assert first <= UUID(ID) <= last
    digits = ID[:length].replace("-", "")
    assert first.hex.startswith(digits)
    assert last.hex.startswith(digits)


@pytest.mark.parametrize(
    "typed",
    ["", " ", "-", "%", "01_", "01%", f"{ID}0", "é", "\u0661", "0x1", "{01}", "' OR true --"],
)
def test_what_begins_no_id(typed: str) -> None:
    """Signs of patterns and digits of other scripts among them, which `UUID` would take."""
    assert id_range(typed) is None
