"""From what was checked and judged of a draft to its confidence."""

from core.confidence.badge import MEDIUM, badge_of
from core.confidence.calibrate import APPROVED, DEFAULT, Calibration, calibrate
from core.confidence.features import features_of
from core.domain.answer import Confidence, Decision, Judgement, NotJudged, Verified
from core.domain.evidence import Evidence

UNAPPROVED = MEDIUM - 0.01
"""Highest probability of a draft that a language model wrote and none approved."""


def confidence_of(
    verified: Verified,
    judgement: Judgement | NotJudged,
    *,
    evidence: Evidence,
    reported: float | None,
    is_conflict: bool,
    is_degraded: bool = False,
    calibration: Calibration = DEFAULT,
) -> Confidence:
    """Return the confidence of what verification left of a draft; without a claim there is none.

    Args:
        verified: Claims kept and dropped.
        judgement: The judge's word.
        evidence: What the draft could cite.
        reported: The reasoner's own number in [0, 1], if it gave one.
        is_conflict: True if the evidence contradicts itself.
        is_degraded: True if the evidence was searched for with less than there is.
        calibration: Coefficients.
    """
    if not verified.claims:
        return Confidence(reported=reported, calibrated=None, badge=None, is_calibrated=False)
    features = features_of(
        verified=verified, judgement=judgement, evidence=evidence, reported=reported
    )
    calibrated = calibrate(features, calibration)
    if calibration.follows_judge and not calibration.is_measured:
        calibrated = _as_judged(calibrated, judgement, is_conflict=is_conflict)
    is_partly = isinstance(judgement, Judgement) and judgement.is_partly_supported
    return Confidence(
        reported=reported,
        calibrated=round(calibrated, 4),
        badge=badge_of(
            calibrated,
            is_weakened=bool(verified.dropped) or is_conflict or is_degraded or is_partly,
        ),
        is_calibrated=calibration.is_measured,
        features=tuple(sorted((name, round(value, 4)) for name, value in features.items())),
    )


def _as_judged(calibrated: float, judgement: Judgement | NotJudged, *, is_conflict: bool) -> float:
    """Return a probability on the judge's side of Medium.

    Coefficients that nobody measured may neither refuse what a judge approves, nor post what none
    did. A contradiction is not posted as an answer, so it needs no approval to be told.
    """
    if isinstance(judgement, Judgement):
        approves = judgement.approved and judgement.decision is Decision.FINAL
        if approves and judgement.lowest >= APPROVED:
            return max(calibrated, MEDIUM)
    return calibrated if is_conflict else min(calibrated, UNAPPROVED)
