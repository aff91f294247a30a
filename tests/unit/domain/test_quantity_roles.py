"""A number does in a claim what it does in the source."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.answer import Check
from core.grounding.quantity_roles import roles_kept
from core.grounding.support import Grounds, ungrounded

REPORT = "Hand in the report within 30 days of the trip."
RETURN = "Loaned tools go back no later than 10 days after receipt of the reminder."
NOTICE = "Tell the desk at least 14 days before the move."
REPAIR = "Bicycle repairs are paid up to EUR 200 a year."
KEYS = "Keys of the store expire after 90 days; keys of the vault expire after 45 days."


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Hand in the report 30 days before the trip.", REPORT),
        ("Hand in a report every 30 days.", REPORT),
        ("Hand in the report within 30 days of the request.", REPORT),
        ("Tools go back no later than 10 days before receipt of the reminder.", RETURN),
        ("Tell the desk at least 14 days after the move.", NOTICE),
        ("Bicycles are repaired for up to EUR 200 per repair.", REPAIR),
        ("Bicycles are repaired for up to EUR 200 a month.", REPAIR),
        ("Keys of the vault expire after 90 days.", KEYS),
        ("You get EUR 60 per trip.", "You get EUR 20 per trip, EUR 60 in any calendar quarter."),
        ("Shift workers do 70 hours a week.", "Shift workers do 70 hours in a two week period."),
    ],
)
def test_another_role_is_named(claim: str, source: str) -> None:
    """Which way it counts and from what, how often, per what, of what."""
    assert roles_kept(claim, [source])
    assert ungrounded(claim, Grounds(texts=[source]))[Check.NUMBERS]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (REPORT, REPORT),
        ("You have 30 days after your trip to report.", REPORT),
        ("Reports are due within 30 days.", REPORT),
        ("Bring tools back within 10 days from when you receive the reminder.", RETURN),
        ("The desk needs 14 days' notice of the move.", NOTICE),
        ("Tell the desk 14 days in advance of a move.", NOTICE),
        ("Up to EUR 200 per year is paid for the repair of a bicycle.", REPAIR),
        ("Keys of the vault expire after 45 days.", KEYS),
        ("Keys of the store last 90 days.", KEYS),
        ("Tell us within 3 days of learning of it.", "Tell us within 3 days of becoming aware."),
    ],
)
def test_the_same_role_is_kept(claim: str, source: str) -> None:
    """In other words, or with less said."""
    assert roles_kept(claim, [source]) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_text_keeps_its_own_roles(claim: str, more: str) -> None:
    """Whatever else is cited."""
    assert roles_kept(claim, [more, claim]) is None


@pytest.mark.parametrize("piece", ["30 days before ", "EUR 5 a ", "1 day of the ", "every 2 days "])
def test_hostile_text_is_read_in_time(piece: str) -> None:
    """8,000 characters hold nothing up: the test's own patience is the measure."""
    text = piece * (8_000 // len(piece))
    assert roles_kept(text, [text]) is None


def test_many_numbers_are_compared_in_time() -> None:
    """8,000 characters take half a second of computing, and fifteen if each is held to each."""
    text = "5 days " * 1_150
    began = time.process_time()
    assert is_checked(text)
    assert time.process_time() - began < PATIENCE_S


PATIENCE_S = 4.0


def is_checked(text: str) -> bool:
    """Make every check of a text that is nearly its source."""
    return bool(ungrounded(text, Grounds(texts=[f"{text} more"])))
