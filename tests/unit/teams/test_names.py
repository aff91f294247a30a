"""What the data of a button says, and what is none of ours."""

from typing import Any

import pytest

from bot.actions.press import PressTarget
from bot.forms.forms import FormName
from bot.teams.protocol.action_ids import (
    ANSWER_KEY,
    EVIDENCE_PAGE,
    EXECUTED,
    OPENING,
    data_of,
    target_of,
)
from core.domain.errors import ContractError


@pytest.mark.parametrize(
    ("choice", "number"), [("", None), (0, 0), ("12", 12), ("all", None), ("-1", None)]
)
def test_what_is_written_is_read(choice: str | int, number: int | None) -> None:
    """An id and, where there is one, a choice."""
    found = target_of(data_of(ANSWER_KEY, "ans_7f3", choice))
    assert found == PressTarget(id="ans_7f3", choice=str(choice))
    assert found.number == number


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"a": ""},
        {"a": 1},
        {"a": None},
        {"a": "x" * 201},
        {"a": "x", "case": "y"},
        {"a": "x", "o": 1},
        {"a": "x", "o": "y" * 201},
        {"a": {"b": "c"}},
    ],
)
def test_other_data_is_refused(data: dict[str, Any]) -> None:
    """It comes from a client, and proves nothing."""
    with pytest.raises(ContractError):
        target_of(data)


def test_each_name_does_one_thing() -> None:
    """A name that opens a dialog neither sends nor changes anything."""
    submitted = {*FormName, EVIDENCE_PAGE}
    assert not OPENING & submitted | OPENING & EXECUTED | submitted & EXECUTED
