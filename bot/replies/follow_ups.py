"""What might be asked next: the sections near the question that the answer did not quote.

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
    asked = (f"What does {section_title(place)} say?" for place in answer.nearest)
    return tuple(one for one in asked if len(one) <= LONGEST)[:SUGGESTED]
