"""How hard a drafted question is, by what can be counted."""

from collections.abc import Sequence

from core.domain.question_draft import DIFFICULTIES
from core.language.content_words import content_words

MANY_SHARED, FEW_SHARED = 0.75, 0.5
"""Share of a question's telling words that stand in its passages: from the first on it is found by
words alone, below the second mostly by what it means."""


def difficulty_of(
    question: str, passages: Sequence[str], *, is_conditional: bool, compares: bool
) -> str:
    """Return how hard a question is by what can be counted; see `docs/quality.md`.

    One point each for: words not shared with the passages (two if most are not), a condition or an
    exception that decides, a figure to compare; two for a second passage. No point is easy, one is
    medium, more are hard.
    """
    shared = shared_words(question, passages)
    points = 0 if shared >= MANY_SHARED else 1 if shared >= FEW_SHARED else 2
    points += is_conditional + compares + 2 * (len(passages) > 1)
    return DIFFICULTIES[min(points, 2)]


def shared_words(question: str, passages: Sequence[str]) -> float:
    """Return the share of a question's telling words that stand in its passages, in [0, 1]."""
    asked = content_words(question)
    said = frozenset[str]().union(*map(content_words, passages))
    return len(asked & said) / len(asked) if asked else 0.0
