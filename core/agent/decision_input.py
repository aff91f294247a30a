"""What `decide` decides on, and its ruling; shared with the stages and the reply after it."""

from dataclasses import dataclass

from core.agent.applicability import ApplicableClaims
from core.confidence.calibration import DEFAULT, Calibration, was_read
from core.domain.answer import (
    Claim,
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

LIKELY = 0.5
"""Relevance to the question, by its judge, from which a draft is likelier to answer than not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionInput:
    """Everything a decision is based on."""

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
    calibration: Calibration = DEFAULT
    """What the confidence was computed with, and from which probabilities on something is shown."""
    amending: tuple[Claim, ...] = ()
    """Those of its claims that amend what others quote."""
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
    bound: ApplicableClaims | None = None
    """What is left, held to who asks and what they ask; None: nothing was."""
    has_more: bool = False
    """True if only the policies to which the question is bound were searched so far."""

    @property
    def is_beside(self) -> bool:
        """True if nothing that is left speaks of the condition that a follow-up asks about."""
        return self.bound is not None and self.bound.is_beside

    @property
    def is_limited(self) -> bool:
        """True if a claim holds for one group of staff alone; no yes or no leads such an answer."""
        return self.bound is not None and self.bound.is_limited

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said with it; see `ApplicableClaims.notes`."""
        return self.bound.notes if self.bound is not None else ()


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
class DecidedDraft:
    """One draft with its ruling."""

    situation: DecisionInput
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


def better_of(earlier: DecidedDraft, later: DecidedDraft) -> DecidedDraft:
    """Return the better judged of two drafts, the earlier one decided for good.

    What is close in the policies to which a question is bound gives way to an answer from others,
    and to nothing less; if it is likelier to answer than not, to nothing at all: who asks what the
    travel policy says is not told what another one does.
    """
    is_close = earlier.situation.has_more and earlier.ruling.refusal is RefusalKind.NOT_SURE
    if is_close and (later.ruling.decision is not Decision.FINAL or _is_likely(earlier)):
        return earlier
    return later if later.score > earlier.score else earlier


def _is_likely(attempted: DecidedDraft) -> bool:
    judgement = attempted.situation.judgement
    return isinstance(judgement, Judgement) and judgement.relevance >= LIKELY


def relevance_read(
    found: float | None, judged: Judgement | NotJudged, *, is_foreign: bool = False
) -> float | None:
    """Return the relevance of what was found: at least how likely a reader found it to answer.

    Relevance by words and cosines was fitted on questions in the policies' own language; of 374
    everyday questions that 18 documents answer it was below the threshold for 74.

    Args:
        found: Highest relevance of a retrieved chunk; None if nothing was retrieved.
        judged: Its measure `answers`, if a reader `read` the sentences with the question.
        is_foreign: True if a language model judged claims on a question in another language: what
            its words find in English policies says nothing of how relevant that is.
    """
    if is_foreign and isinstance(judged, Judgement):
        return None if found is None else max(found, judged.relevance)
    measures = dict(judged.measures) if isinstance(judged, Judgement) else {}
    answers = measures.get("answers", 0.0) if was_read(judged) else 0.0
    return None if found is None else max(found, answers)
