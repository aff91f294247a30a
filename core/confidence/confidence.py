"""From what was checked and judged of a draft to its confidence."""

from core.confidence.badge import badge_of
from core.confidence.calibrate import DEFAULT, Calibration, calibrate
from core.confidence.features import features_of
from core.domain.answer import Confidence, Judgement, NotJudged, Verified
from core.domain.evidence import Evidence


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
    return Confidence(
        reported=reported,
        calibrated=round(calibrated, 4),
        badge=badge_of(
            calibrated, is_weakened=bool(verified.dropped) or is_conflict or is_degraded
        ),
        is_calibrated=calibration.is_measured,
        features=tuple(sorted((name, round(value, 4)) for name, value in features.items())),
    )
