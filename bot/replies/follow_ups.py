"""What might be asked next: sections near the question, of the policies that the answer quotes.

A function of the stored answer alone, so that a button pressed later means what it said.
"""

from bot.replies.text import line
from core.domain.answer import Answer, Outcome
from core.domain.ontology import SectionRef

SUGGESTED = 3
LONGEST = 75
"""Characters: what a button shows whole."""


def follow_ups(answer: Answer) -> tuple[str, ...]:
    """Return questions to go on with; none but of an answer."""
    if answer.outcome is not Outcome.ANSWERED:
        return ()
    quoted = {one.place.policy_key for one in answer.citations}
    near = [place for place in answer.nearest if place.policy_key in quoted]
    asked = (_asked(place) for place in near)
    return tuple(one for one in asked if one and len(one) <= LONGEST)[:SUGGESTED]


def _asked(place: SectionRef) -> str:
    """Return a question for what a section says; empty for one without a title."""
    title, policy = line(place.title), line(place.policy_title) or "policy"
    if not title or title == policy:
        return ""
    if title.endswith("?"):
        return title
    named = title.lower() if title.isupper() else title
    return f"What does the {policy.removeprefix('The ')} say about \u201c{named}\u201d?"
