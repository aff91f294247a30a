"""How far to trust an answer: features of a run, a calibrated probability, and its badge.

The probability that the answer is right is a logistic regression with stored coefficients over
features in [0, 1], each the better the higher.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.answer import Badge, Confidence, Decision, Judgement, NotJudged, Verified
from core.domain.evidence import Evidence

HIGH = 0.85
"""From here on High."""
MEDIUM = 0.5
"""From here on Medium; below it nothing is posted as an answer."""


def badge_of(calibrated: float, *, is_weakened: bool) -> Badge:
    """Return the badge.

    An answer with a dropped claim, a conflict in its evidence, or evidence searched for with less
    than there is, is never High.
    """
    if calibrated >= HIGH:
        return Badge.MEDIUM if is_weakened else Badge.HIGH
    return Badge.MEDIUM if calibrated >= MEDIUM else Badge.LOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Coefficients of one calibration."""

    name: str
    """Identity, written into each record."""
    intercept: float
    """Log-odds with all features 0."""
    weights: Mapping[str, float]
    """Log-odds for each unit of a feature."""
    is_measured: bool
    """True if it was fitted on labelled answers of this deployment."""
    follows_judge: bool = False
    """True: a language model judged, and while nothing is measured its approval decides between Low
    and more; the formula orders the rest."""


DEFAULT = Calibration(
    name="default/3",
    intercept=-7.0,
    weights={"answers_odds": 12.0},
    is_measured=False,
)
"""The rules' own log-odds (-6 to 6, told as 0 to 1), less 1: what they hold to be right with a
probability of .73 is Medium, of .94 High. With Medium as the bound 57 % of 374 questions that 18
documents answer were answered rightly and 4 % wrongly, each document held out of the fit in turn;
the reader had seen none of them with its questions. No substitute for a deployment's own."""

DEFAULT_OF_MODELS = Calibration(
    name="default-of-models/1",
    intercept=-12.0,
    weights={
        "judged_lowest": 8.0,
        "faithfulness": 2.0,
        "judged_relevance": 1.0,
        "judged_completeness": 1.0,
        "passed": 3.0,
        "cited_relevance": 0.3,
        "reported": 0.1,
    },
    is_measured=False,
    follows_judge=True,
)
"""Reasoned, not fitted, for drafts that a language model wrote and judged. With every check passed:
all scores .9 are High, .8 Medium; down to .7 (`APPROVED`) an approval is Medium too, and below it
or without one all is Low, whatever else speaks for the draft. The lowest
score weighs most, since completeness does not mend faithfulness; half of the claims dropped costs
1.5. What the search and the reasoner itself say moves a borderline case at most."""


APPROVED = 0.7
"""Each score of a judge whose approval counts for at least Medium."""


def calibrate(features: Mapping[str, float], calibration: Calibration = DEFAULT) -> float:
    """Return the probability in [0, 1] that the answer is right.

    An absent feature counts as 0; one that is no number makes it 0.
    """
    score = calibration.intercept + sum(
        weight * features.get(name, 0.0) for name, weight in calibration.weights.items()
    )
    if math.isnan(score):
        return 0.0
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


SUREST = 6.0
"""Log-odds beyond which nothing is surer."""


def features_of(
    *,
    verified: Verified,
    judgement: Judgement | NotJudged,
    evidence: Evidence,
    reported: float | None,
) -> dict[str, float]:
    """Return the features of an attempt by name; what is not known is left out."""
    cited = {citation.key for claim in verified.claims for citation in claim.citations}
    relevances = [item.relevance for item in evidence.items if item.relevance is not None]
    of_cited = [
        item.relevance
        for item in evidence.items
        if item.key in cited and item.relevance is not None
    ]
    total = len(verified.claims) + len(verified.dropped)
    features = {"passed": len(verified.claims) / total if total else 0.0}
    if isinstance(judgement, Judgement):
        features |= {
            "faithfulness": judgement.faithfulness,
            "judged_relevance": judgement.relevance,
            "judged_completeness": judgement.completeness,
            "judged_lowest": min(
                judgement.faithfulness, judgement.relevance, judgement.completeness
            ),
            **dict(judgement.measures),
        }
    if "answers" in features:
        features["answers_odds"] = _odds(features["answers"])
    if relevances:
        features["relevance"] = max(relevances)
    if of_cited:
        features["cited_relevance"] = max(of_cited)
    if reported is not None:
        features["reported"] = reported
    return features


def _odds(probability: float) -> float:
    """Return the log-odds of a probability, from `-SUREST` to `SUREST`, as a share of that."""
    least = 1 / (1 + math.exp(SUREST))
    bounded = max(least, min(1 - least, probability))
    return (math.log(bounded / (1 - bounded)) + SUREST) / (2 * SUREST)


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
