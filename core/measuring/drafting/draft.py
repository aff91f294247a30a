"""A question with its answer, as it is drafted, decided on by a person, and exported."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.policy import EVERYONE
from core.language.content_words import content_words
from core.language.question_form import question_form
from core.language.spans import Span
from core.measuring.questions import (
    ANSWERED_ONLY,
    DEADLINE,
    DECLINED,
    DEFINITION,
    EXCEPTION,
    NORM,
    REMOVED,
    THRESHOLD,
    TWO_POLICIES,
    UNANSWERABLE,
)

DRAFTED_KINDS = (
    NORM,
    THRESHOLD,
    DEADLINE,
    EXCEPTION,
    DEFINITION,
    TWO_POLICIES,
    REMOVED,
    UNANSWERABLE,
)
"""The kinds that are drafted, in the order in which they are told."""
QUESTION_LIMIT = 300
"""Characters of a question."""
EASY, MEDIUM, HARD = "easy", "medium", "hard"
DIFFICULTIES = (EASY, MEDIUM, HARD)
MANY_SHARED, FEW_SHARED = 0.75, 0.5
"""Share of a question's telling words that stand in its passages: from the first on it is found by
words alone, below the second mostly by what it means."""
ANSWERED, REFUSED = "answered", "refused"
"""What should become of a question: the two that a person chooses between."""


class DraftState(StrEnum):
    """What a person made of a draft; only an accepted one counts."""

    DRAFT = "draft"
    ACCEPTED = "accepted"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPassage:
    """A stretch of a policy that answers a question, or a part of it."""

    span: Span
    """Where it stands."""
    quote: str
    """The stored text there."""
    policy: str
    """Key of the policy."""
    title: str
    """The policy's title."""
    version: str
    """The version, as its owner calls it, else its number once it is stored."""
    section: str
    """Number of the section, or its title."""
    heading: str
    """The section's title."""
    jurisdiction: str | None = None
    """ISO 3166 code of the policy; None: everywhere."""
    audience: frozenset[str] = frozenset({EVERYONE})
    """Groups that may read the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDraft:
    """A question that somebody may accept."""

    question: str
    """As a person would ask it."""
    kind: str
    """One of `DRAFTED_KINDS`."""
    difficulty: str
    """One of `DIFFICULTIES`."""
    expected: str
    """`ANSWERED` or `REFUSED`."""
    passages: tuple[AnswerPassage, ...]
    """What answers it; of `evidence_removed` what it is asked without; empty: nothing does."""
    made_by: str
    """Who worded it: `rules/1`, or a model with its prompt."""

    @property
    def key(self) -> bytes:
        """What it asks and of which words, however it is worded: drafted once, and never again.

        A question that nothing answers is known by its words.
        """
        of = [f"{one.policy}\0{' '.join(one.quote.split())}" for one in self.passages]
        told = "" if of else question_form(self.question)
        by = self.made_by.partition("/")[0]
        return hashlib.sha256("\0\0".join([by, self.kind, told, *sorted(of)]).encode()).digest()

    @property
    def outcomes(self) -> frozenset[str]:
        """The outcomes that are right; see `LabelledQuestion.expected`."""
        if self.expected == ANSWERED:
            return ANSWERED_ONLY
        return frozenset(outcome.value for outcome in DECLINED)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDraft:
    """A draft as it is stored, with what became of it."""

    number: int
    """By which officers name it."""
    draft: QuestionDraft
    """As it stands now, mended or not."""
    state: DraftState
    """What a person made of it."""
    drafted: str
    """The question as it was drafted."""
    decided_by: str | None = None
    """Login of the officer; None: nobody decided."""
    is_mended: bool = False
    """True: an officer changed it."""
    revision: int = 0
    """How often somebody decided on it."""
    is_stale: bool = False
    """True: a passage of it no longer stands in force as it is quoted."""


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
