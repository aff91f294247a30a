"""After `critique` and `judge`: what becomes of the draft.

Pure; rules in order, and none of them opens by default.
"""

from core.agent.situation import Ruling, Situation
from core.domain.answer import Badge, Decision, NotJudged, RefusalKind

ASKED_FROM = 0.25
"""Calibrated confidence from which an open fact is asked for. Lower than what an answer needs: a
question back states nothing, and its reply leaves fewer rules to choose from."""


def decide(situation: Situation) -> Ruling:
    """Apply the rules; the first that speaks decides."""
    for rule in _RULES:
        ruling = rule(situation)
        if ruling is not None:
            return ruling
    return Ruling(decision=Decision.FINAL, reason="verified, judged and confident enough")


def _again_or(
    situation: Situation,
    reason: str,
    kind: RefusalKind,
    *,
    may_retry: bool | None = None,
    needs_person: bool = False,
) -> Ruling:
    if situation.may_retry if may_retry is None else may_retry:
        return Ruling(decision=Decision.RETRY, reason=reason)
    return Ruling(
        decision=Decision.ESCALATE, reason=reason, refusal=kind, needs_person=needs_person
    )


def _is_unlikely(situation: Situation) -> bool:
    return situation.confidence.badge not in {Badge.HIGH, Badge.MEDIUM}


def _conflict(situation: Situation) -> Ruling | None:
    both = situation.draft.is_conflict and len(situation.verified.claims) > 1
    if both and not _is_unlikely(situation):
        return Ruling(
            decision=Decision.ESCALATE,
            reason="policies in force contradict each other",
            refusal=RefusalKind.CONFLICT,
            needs_person=True,
        )
    return None


def _nothing_found(situation: Situation) -> Ruling | None:
    if situation.ontology_suffices or situation.best_relevance is None:
        return None
    if situation.best_relevance >= situation.relevance_threshold:
        return None
    return Ruling(
        decision=Decision.ESCALATE,
        reason=(
            f"nothing found is relevant ({situation.best_relevance:.2f} of"
            f" {situation.relevance_threshold:.2f})"
        ),
        refusal=RefusalKind.POLICY_SILENT,
    )


def _branch(situation: Situation) -> Ruling | None:
    if situation.draft.branch is None or not situation.may_clarify:
        return None
    calibrated = situation.confidence.calibrated
    if calibrated is None or calibrated < ASKED_FROM:
        return None
    return Ruling(
        decision=Decision.CLARIFY, reason=f"the answer depends on the {situation.draft.branch.slot}"
    )


def _not_grounded(situation: Situation) -> Ruling | None:
    if situation.verified.claims:
        return None
    failed = [verdict.reason for verdict in situation.verified.verdicts if not verdict.passed]
    reason = f"no claim passed: {failed[0]}" if failed else "there is no claim"
    return _again_or(situation, reason, RefusalKind.NOT_FOUND)


def _beside(situation: Situation) -> Ruling | None:
    if not situation.is_beside:
        return None
    reason = "nothing quoted speaks of the condition that was asked about"
    return _again_or(situation, reason, RefusalKind.NOT_FOUND)


def _not_approved(situation: Situation) -> Ruling | None:
    judgement = situation.judgement
    if isinstance(judgement, NotJudged):
        return _again_or(situation, f"not judged: {judgement.reason}", RefusalKind.NOT_FOUND)
    reason = judgement.reason or "the judge did not approve"
    if judgement.decision is Decision.ESCALATE:
        return Ruling(
            decision=Decision.ESCALATE,
            reason=reason,
            refusal=RefusalKind.POLICY_SILENT,
            needs_person=True,
        )
    if not judgement.approved or judgement.decision is not Decision.FINAL:
        return _again_or(
            situation, reason, RefusalKind.POLICY_SILENT, may_retry=situation.may_refine
        )
    return None


def _low(situation: Situation) -> Ruling | None:
    if not _is_unlikely(situation):
        return None
    return _again_or(
        situation,
        "the calibrated confidence is low",
        RefusalKind.POLICY_SILENT,
        needs_person=True,
    )


def _refine(situation: Situation) -> Ruling | None:
    critique = situation.critique
    if critique is None or not critique.refine or not situation.may_refine:
        return None
    return Ruling(
        decision=Decision.RETRY,
        reason=f"the critic asks: {'; '.join(critique.issues) or 'refine'}",
    )


_RULES = (
    _conflict,
    _nothing_found,
    _branch,
    _not_grounded,
    _beside,
    _not_approved,
    _low,
    _refine,
)
"""In the order in which they speak."""
