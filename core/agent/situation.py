"""What a decision rests on, and what it says: shared by `decide` and what comes after it."""

from dataclasses import dataclass

from core.domain.answer import (
    Confidence,
    Critique,
    Decision,
    Draft,
    Judgement,
    NotJudged,
    RefusalKind,
    Verified,
)
from core.domain.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """All that a decision rests on."""

    draft: Draft
    """What was proposed."""
    verified: Verified
    """What is left of it."""
    judgement: Judgement | NotJudged
    """The judge's word."""
    critique: Critique | None
    """The critic's reading, where a language model gave it; None elsewhere."""
    confidence: Confidence
    """The calibrated confidence of what is left."""
    may_retry: bool
    """True if attempts and evidence allow another draft."""
    may_refine: bool
    """True if the draft may be written again at the wish of judge or critic: once a run."""
    may_clarify: bool
    """True if fewer questions back were asked than are allowed."""
    best_relevance: float | None
    """Highest relevance of a retrieved chunk; None if nothing was retrieved."""
    relevance_threshold: float
    """Below it nothing counts as found."""
    ontology_suffices: bool
    """True if the gate found the ontology enough."""
    is_beside: bool = False
    """True if nothing that is left speaks of the condition that a follow-up asks about."""
    notes: tuple[str, ...] = ()
    """What is said with it; see `Bound.notes`."""
    is_limited: bool = False
    """True if a claim holds for one group of staff alone; no yes or no leads such an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A decision with its reason."""

    decision: Decision
    """What becomes of the draft."""
    reason: str
    """Why."""
    refusal: RefusalKind | None = None
    """With ESCALATE: the kind of refusal that is shown; None otherwise."""
    needs_person: bool = False
    """With ESCALATE: true if there is something to it that a person should decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """One draft with what was decided of it."""

    situation: Situation
    """What it rested on."""
    ruling: Ruling
    """What was decided."""
    evidence: Evidence
    """What it could cite."""

    @property
    def score(self) -> float:
        """What a retry must raise: the judge's score; a draft that was not judged has none."""
        judgement = self.situation.judgement
        return judgement.score if isinstance(judgement, Judgement) else -1.0


def relevance_read(found: float | None, judged: Judgement | NotJudged) -> float | None:
    """Return the relevance of what was found: at least how likely a reader found it to answer.

    Relevance by words and cosines was fitted on questions in the policies' own language; of 374
    everyday questions that 18 documents answer it was below the threshold for 74.

    Args:
        found: Highest relevance of a retrieved chunk; None if nothing was retrieved.
        judged: Its measure `answers`, if a reader `read` the sentences with the question.
    """
    measures = dict(judged.measures) if isinstance(judged, Judgement) else {}
    answers = measures.get("answers", 0.0) if measures.get("read") else 0.0
    return None if found is None else max(found, answers)
