"""What might be asked next: sections near the question, of the policies that the answer quotes.

A function of the stored answer alone, so that a button pressed later means what it said.
"""

from bot.replies.places import section_title
from core.domain.answer import Answer, Outcome

SUGGESTED = 3
LONGEST = 75
"""Characters: what a button shows whole."""


def follow_ups(answer: Answer) -> tuple[str, ...]:
    """Return questions to go on with; none but of an answer."""
    if answer.outcome is not Outcome.ANSWERED:
        return ()
    quoted = {one.place.policy_key for one in answer.citations}
    near = [place for place in answer.nearest if place.policy_key in quoted]
    asked = (f"What does {section_title(place)} say?" for place in near)
    return tuple(one for one in asked if len(one) <= LONGEST)[:SUGGESTED]
