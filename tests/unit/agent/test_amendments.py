"""Which titles amend which policy."""

import time

import pytest

from core.agent.amendments import is_amendment
from core.agent.policy_facts.question_forms import section_asked


@pytest.mark.parametrize(
    ("title", "amends"),
    [
        ("Amendment No. 2 to the Records Rules Nordhafen", True),
        ("First Amendment to the Special Leave Rules", True),
        ("Change of the Rules on Holiday Flats, valid from 1 May 2026", True),
        ("2. Nachtrag zur Reiserichtlinie", True),
        ("Change Management Policy", False),
        ("Records Rules", False),
    ],
)
def test_a_title_says_what_it_amends(title: str, amends: bool) -> None:
    """A policy on changes amends none."""
    assert is_amendment(title) is amends


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("What does section 2.2 say?", "2.2"),
        ("Show me \u00a7 4 of the Gifts Policy", "4"),
        ("Was steht in Abschnitt 3.2 der Reiserichtlinie?", "3.2"),
        ("Does section 2 apply to me?", None),
        ("What does section 2.2 say, and may I keep a gift of EUR 40?", None),
    ],
)
def test_a_section_is_asked_for_by_its_number(question: str, number: str | None) -> None:
    """And by nothing else."""
    assert section_asked(question) == number


def test_hostile_titles_and_questions_are_read_at_once() -> None:
    """Their length does not matter."""
    begun = time.perf_counter()
    for part in ("amendment ", "change to ", " ", "section 2 ", "what does ", "of the "):
        is_amendment(part * 8000)
        section_asked(part * 8000)
    assert time.perf_counter() - begun < 20
