"""The closest passage as it is shown: where it stands, its words, and what can be done.

The badge line above it says what it is, and that it may not answer. A function of the stored answer
alone. Its quotation is one text; how each sentence is stored, and what stands around it, is under
"Show evidence".
"""

from dataclasses import dataclass

from bot.replies.policy_links import Library
from bot.replies.source_labels import Source, numbers, sources
from core.domain.answer import Answer

ANSWERS_IT = "This answers it"
ANSWERS_IT_LABEL = "Say that this passage answers the question for you"
"""The button under it, and what a screen reader says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage:
    """A closest passage, taken apart to be drawn."""

    source: Source
    """Where it stands."""
    quotation: str
    """Its words, within quotation marks."""
    marks: str
    """The [n] of what is quoted."""
    after: str
    """What can be done if it does not answer; what was added to that."""


def passage_of(answer: Answer, library: Library) -> ShownPassage | None:
    """Return the closest passage of an answer; None: it shows none."""
    if not answer.is_closest:
        return None
    claim = answer.claims[0]
    marks = numbers([one for one in answer.citations if one.number in claim.numbers])
    _, _, after = answer.text.partition(f"{claim.text} {marks}")
    return ShownPassage(
        source=next(iter(sources(answer.citations, library))),
        quotation=claim.text,
        marks=marks,
        after=after.strip(),
    )
