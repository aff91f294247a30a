"""Questions to go on with: as somebody would ask them, and none that a button can't show whole."""

from dataclasses import replace

from bot.replies.buttons import LONGEST, follow_ups
from bot.replies.sources import section_title
from core.domain.answer import Answer, Confidence, Outcome, ShownCitation
from tests.factories import make_place, make_span

CONFIDENCE = Confidence(reported=None, calibrated=None, badge=None, is_calibrated=False)
HERE = make_place("Limits", number="2")


def _answer(*titles: str) -> Answer:
    near = tuple(replace(make_place(title), policy_key=HERE.policy_key) for title in titles)
    quoted = ShownCitation(
        number=1, key="c1", span=make_span(0, 4), quote="Cash", place=HERE, effective_from=None
    )
    return Answer(
        outcome=Outcome.ANSWERED,
        text="Cash. [1]",
        citations=(quoted,),
        confidence=CONFIDENCE,
        nearest=near,
    )


def test_they_are_asked_as_people_ask() -> None:
    """A printed question as it stands, a heading in capitals without shouting."""
    said = follow_ups(_answer("Who decides?", "ROLES AND DUTIES", "x" * LONGEST))
    assert said[0] == "Who decides?"
    assert said[1].endswith("say about “roles and duties”?")
    assert len(said) == 2


def test_a_section_without_a_number_is_set_apart_from_its_policy() -> None:
    """Two titles side by side read as one."""
    place = make_place("Digital cards", number=None)
    assert section_title(place).endswith(", Digital cards")
    assert ", " not in section_title(HERE)
