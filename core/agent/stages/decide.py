"""After `critique` and `judge`: what becomes of the draft.

Pure; rules in order, and none of them opens by default. Between an answer and a refusal lies the
closest passage: what passed every check and may answer is shown as a quotation, and the asker says
whether it does.
"""

from dataclasses import replace

from core.agent.decision_input import DecidedDraft, DecisionInput, Ruling
from core.confidence.calibration import was_read
from core.domain.answer import Badge, Decision, NotJudged, RefusalKind

TREATED_FROM = 0.7
"""Relevance of the best chunk from which the policies treat what is asked about. Of 108 refusals of
questions about 24 policies that others wrote, each policy alone, 7 lay above it, and no policy of
those 7 answered; of the 101 below it the policies answered 30."""


def decide(situation: DecisionInput) -> Ruling:
    """Apply the rules; the first that speaks decides."""
    for rule in _RULES:
        ruling = rule(situation)
        if ruling is not None:
            return ruling
    return Ruling(decision=Decision.FINAL, reason="verified, judged and confident enough")


def settled(attempted: DecidedDraft) -> DecidedDraft:
    """Decide a draft again that no further attempt will replace."""
    situation = replace(attempted.situation, may_retry=False, may_refine=False)
    return replace(attempted, situation=situation, ruling=decide(situation))


def _again_or(
    situation: DecisionInput, reason: str, kind: RefusalKind, *, may_retry: bool | None = None
) -> Ruling:
    if situation.may_retry if may_retry is None else may_retry:
        return Ruling(decision=Decision.RETRY, reason=reason)
    return Ruling(decision=Decision.ESCALATE, reason=reason, refusal=kind)


def _is_unlikely(situation: DecisionInput) -> bool:
    return situation.confidence.badge not in {Badge.HIGH, Badge.MEDIUM}


def _disagrees(situation: DecisionInput) -> bool:
    return situation.draft.is_conflict and len(situation.verified.claims) > 1


def _is_close(situation: DecisionInput) -> bool:
    """Say whether verified claims that can't stand as an answer may be shown as what comes closest.

    One side of a contradiction is not shown alone.
    """
    calibrated = situation.confidence.calibrated or 0.0
    has_claims = bool(situation.verified.claims)
    return (
        has_claims
        and calibrated >= situation.calibration.closest_from
        and not _disagrees(situation)
    )


def _short_of_an_answer(situation: DecisionInput) -> RefusalKind:
    return RefusalKind.NOT_SURE if _is_close(situation) else _without_answer(situation)


def _without_answer(situation: DecisionInput) -> RefusalKind:
    """Say whether the policies treat the topic and say nothing, or nothing was found."""
    found = situation.best_relevance
    is_treated = found is not None and found >= TREATED_FROM
    return RefusalKind.POLICY_SILENT if is_treated else RefusalKind.NOT_FOUND


def _asked(situation: DecisionInput) -> Ruling | None:
    """A question back in place of an answer states nothing, so it needs no confidence."""
    asked = situation.draft.asked
    if asked is None or situation.verified.claims or not situation.may_clarify:
        return None
    return Ruling(decision=Decision.CLARIFY, reason=f"the {asked.slot} is asked for")


def _conflict(situation: DecisionInput) -> Ruling | None:
    if _disagrees(situation) and not _is_unlikely(situation):
        return Ruling(
            decision=Decision.ESCALATE,
            reason="policies in force contradict each other",
            refusal=RefusalKind.CONFLICT,
            needs_person=True,
        )
    return None


def _nothing_found(situation: DecisionInput) -> Ruling | None:
    if situation.ontology_suffices or situation.best_relevance is None:
        return None
    if situation.best_relevance >= situation.relevance_threshold:
        return None
    reason = (
        f"nothing found is relevant ({situation.best_relevance:.2f} of"
        f" {situation.relevance_threshold:.2f})"
    )
    may_retry = situation.may_retry and situation.has_more
    # People who tell a story use none of the policy's words: relevance is low, and a reader that
    # read both may yet have found what they ask for.
    is_shown = was_read(situation.judgement) and _is_close(situation)
    kind = RefusalKind.NOT_SURE if is_shown else RefusalKind.NOT_FOUND
    return _again_or(situation, reason, kind, may_retry=may_retry)


def _branch(situation: DecisionInput) -> Ruling | None:
    if situation.draft.branch is None or not situation.may_clarify:
        return None
    calibrated = situation.confidence.calibrated
    if calibrated is None or calibrated < situation.calibration.asked_from:
        return None
    return Ruling(
        decision=Decision.CLARIFY, reason=f"the answer depends on the {situation.draft.branch.slot}"
    )


def _not_grounded(situation: DecisionInput) -> Ruling | None:
    if situation.verified.claims:
        return None
    failed = [verdict.reason for verdict in situation.verified.verdicts if not verdict.passed]
    if failed or situation.verified.dropped:
        # Something was drafted: that it failed says nothing of what the policies say.
        reason = f"no claim passed: {failed[0]}" if failed else "no claim passed"
        return _again_or(situation, reason, RefusalKind.NOT_FOUND)
    return _again_or(situation, "there is no claim", _without_answer(situation))


def _beside(situation: DecisionInput) -> Ruling | None:
    if not situation.is_beside:
        return None
    reason = "nothing quoted speaks of the condition that was asked about"
    kind = RefusalKind.NOT_SURE if _is_close(situation) else RefusalKind.NOT_FOUND
    return _again_or(situation, reason, kind)


def _not_approved(situation: DecisionInput) -> Ruling | None:
    judgement = situation.judgement
    if isinstance(judgement, NotJudged):
        kind = RefusalKind.NOT_SURE if _is_close(situation) else RefusalKind.NOT_FOUND
        return _again_or(situation, f"not judged: {judgement.reason}", kind)
    reason = judgement.reason or "the judge did not approve"
    if judgement.decision is Decision.ESCALATE:
        return Ruling(
            decision=Decision.ESCALATE,
            reason=reason,
            refusal=_without_answer(situation),
            needs_person=True,
        )
    if not judgement.approved or judgement.decision is not Decision.FINAL:
        return _again_or(
            situation, reason, _short_of_an_answer(situation), may_retry=situation.may_refine
        )
    return None


def _low(situation: DecisionInput) -> Ruling | None:
    if not _is_unlikely(situation):
        return None
    return _again_or(situation, "the calibrated confidence is low", _short_of_an_answer(situation))


def _refine(situation: DecisionInput) -> Ruling | None:
    critique = situation.critique
    if critique is None or not critique.refine or not situation.may_refine:
        return None
    return Ruling(
        decision=Decision.RETRY,
        reason=f"the critic asks: {'; '.join(critique.issues) or 'refine'}",
    )


_RULES = (
    _asked,
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
