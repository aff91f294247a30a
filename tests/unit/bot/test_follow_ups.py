"""Questions to go on with: as somebody would ask them, answerable, and none cut short."""

from dataclasses import replace

import pytest

from bot.replies.buttons import ABOUT, LONGEST, follow_ups
from bot.replies.sections import section_title
from core.domain.answer import Answer, Confidence, Outcome, ShownCitation
from tests.factories import make_place, make_span

CONFIDENCE = Confidence(reported=None, calibrated=None, badge=None, is_calibrated=False)
HERE = make_place("Limits", number="2")


def _answer(*policies: str, country: str | None = None) -> Answer:
    quoted = tuple(
        ShownCitation(
            number=number,
            key=f"c{number}",
            span=make_span(0, 4),
            quote="Cash",
            place=replace(HERE, policy_title=title, jurisdiction=country),
            effective_from=None,
        )
        for number, title in enumerate(policies, start=1)
    )
    return Answer(
        outcome=Outcome.ANSWERED, text="Cash. [1]", citations=quoted, confidence=CONFIDENCE
    )


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("Gifts Policy", ("What are the main rules of the Gifts Policy?",)),
        ("The Gifts Policy", ("What are the main rules of the Gifts Policy?",)),
        ("Information Security and Acceptable Use Policy", None),
        ("Notes of a meeting", ()),
        ("Policy", ()),
        ("", ()),
        ("Gifts " * 2_000 + "Policy", ()),
    ],
)
def test_a_policy_that_is_understood_by_its_name(title: str, asked: tuple[str, ...] | None) -> None:
    """In words that fit on a button; none where the words would not be understood."""
    said = follow_ups(_answer(title))
    assert said == ((f"Summarise the {title}",) if asked is None else asked)
    assert all(len(one) <= LONGEST for one in said)


def test_nothing_is_suggested_twice_or_in_vain() -> None:
    """Two policies at most; none after a summary, and none of which several have the title."""
    assert len(follow_ups(_answer("Gifts Policy", "Gifts Policy"))) == 1
    assert len(follow_ups(_answer("Gifts Policy", "Travel Policy", "Leave Policy"))) == 2
    assert follow_ups(_answer("Gifts Policy", country="DE")) == ()
    about = replace(CONFIDENCE, features=((ABOUT, 1.0),))
    assert follow_ups(replace(_answer("Gifts Policy"), confidence=about)) == ()
    assert follow_ups(replace(_answer("Gifts Policy"), outcome=Outcome.REFUSED)) == ()


def test_a_section_is_set_apart_from_its_policy() -> None:
    """Two titles side by side read as one."""
    place = make_place("Digital cards", number=None)
    assert section_title(place).endswith(", Digital cards")
