"""A question with its answer, as it is drafted, decided on by a person, and exported."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from core.domain.policy import EVERYONE
from core.language.question_form import question_form
from core.language.spans import Span, VersionId

REMOVED = "evidence_removed"
"""Kind of a question that is asked again without the sections that answer it."""
QUESTION_LIMIT = 300
"""Characters of a question."""
EASY, MEDIUM, HARD = "easy", "medium", "hard"
DIFFICULTIES = (EASY, MEDIUM, HARD)
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
    """See `evals.measuring.drafting`: what is asked for, such as a deadline."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSection:
    """A section's body, or a part of a long one, as it is stored."""

    version_id: VersionId
    """The version."""
    start: int
    """First character, in code points of the version's text."""
    text: str
    """The stored text."""
    policy: str
    """Key of the policy."""
    title: str
    """The policy's title."""
    version: str
    """The version, as its owner calls it, else its number."""
    section: str
    """Number of the section, or its title."""
    heading: str
    """The section's title."""
    path: tuple[str, ...]
    """Headings from the outermost to the section's own."""
    jurisdiction: str | None = None
    """ISO 3166 code of the policy; None: everywhere."""
    audience: frozenset[str] = frozenset({EVERYONE})
    """Groups that may read the policy."""

    @property
    def sha256(self) -> bytes:
        """What a model is shown of it, as a hash."""
        shown = "\0".join((self.title, *self.path, "", self.text))
        return hashlib.sha256(shown.encode()).digest()
