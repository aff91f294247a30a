"""How far to trust an answer: features of a run, a calibrated probability, and its badge.

The probability that the answer is right is a logistic regression with stored coefficients over
features in [0, 1], each the better the higher.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from core.domain.answer import Badge, Confidence, Decision, Judgement, NotJudged, Verified
from core.domain.evidence import Evidence, is_within
from core.domain.json_value import Json

HIGH = 0.85
"""From here on High, unless a calibration asks for more."""
MEDIUM = 0.5
"""From here on Medium, unless it asks for more; below it nothing is posted as an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Coefficients of one calibration, and from which probabilities on what is shown."""

    name: str
    """Identity, written into each record."""
    intercept: float
    """Log-odds with all features 0."""
    weights: Mapping[str, float]
    """Log-odds for each unit of a feature."""
    is_measured: bool
    """True if it was fitted on labelled answers of this deployment."""
    is_on_samples: bool = False
    """True if it was fitted on labelled answers about policies of others."""
    follows_judge: bool = False
    """True: a language model judged, and while nothing is measured its approval decides between Low
    and more; the formula orders the rest."""
    high_from: float = HIGH
    """Probability from which an answer is High."""
    answer_from: float = MEDIUM
    """Probability from which it is Medium, and given at all."""
    closest_from: float = 0.15
    """Probability from which verified claims that can't stand as an answer are shown as the closest
    passage."""
    asked_from: float = 0.25
    """Probability from which an open fact is asked for. Lower than what an answer needs: a question
    back states nothing, and its reply leaves fewer rules to choose from."""
    urgent_from: float = 0.2
    """Probability of its draft from which a duty with a deadline of days is shown with a refusal:
    below it the draft has nothing to do with the question."""
    data_hash: str = ""
    """SHA-256 of the labels it was fitted on, in hex; empty: it was fitted on none."""


DEFAULT = Calibration(
    name="default/3",
    intercept=-7.0,
    weights={"answers_odds": 12.0},
    is_measured=False,
)
"""Of drafts of the rules where no reader read the sentences: their own log-odds (-6 to 6, told as 0
to 1), less 1. Reasoned towards declining, not fitted."""

DEFAULT_OF_READER = Calibration(
    name="default-of-reader/1",
    intercept=-9.029,
    weights={
        "answers_odds": 8.1147,
        "whole": 6.1391,
        "lexical_rank": 0.8551,
        "dense_share": 1.2615,
    },
    is_measured=False,
    is_on_samples=True,
    high_from=0.94,
    answer_from=0.72,
    closest_from=0.25,
    asked_from=0.45,
    urgent_from=0.4,
    data_hash="e0bf492ac3d52d0b9bfd988d6c0ce8e93c5ae9f1360dd28d7c3967e9f220cdc1",
)
"""Fitted by `python -m evals.fit_calibration` on 1,086 answers and closest passages about 18
workplace policies of other people, of whose questions the reader had seen none, and 179 about the
sample policies (their development sets). With whole documents held out: ECE .023, Brier .133, AUROC
.874. From .72 on 605 of 674 are right (the bound of an error is 12.4 %), from .94 on 245 of 253
(5.6 %, the least); no threshold of it promises 5 %. From .80 on fewer questions are answered whose
evidence was removed (of 124 of the samples' development sets 18 % instead of 31 %), but of the
questions about documents of others 57.5 % rightly, where 65.1 % had been accepted from .72 on; that
run differed in more than the threshold. No substitute for a
deployment's own."""

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


def was_read(judgement: Judgement | NotJudged) -> bool:
    """Say whether a reader read the sentences of the draft with the question."""
    return isinstance(judgement, Judgement) and bool(dict(judgement.measures).get("read"))


def badge_of(calibrated: float, *, is_weakened: bool, calibration: Calibration = DEFAULT) -> Badge:
    """Return the badge.

    An answer with a dropped claim, a conflict in its evidence, or evidence searched for with less
    than there is, is never High.
    """
    if calibrated >= calibration.high_from:
        return Badge.MEDIUM if is_weakened else Badge.HIGH
    return Badge.MEDIUM if calibrated >= calibration.answer_from else Badge.LOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrations:
    """Those in force."""

    rules: Calibration = DEFAULT_OF_READER
    """Of drafts that the rules wrote, where a reader read the sentences with the question."""
    words: Calibration = DEFAULT
    """Of drafts that the rules wrote by words alone."""
    models: Calibration = DEFAULT_OF_MODELS
    """Of drafts that a language model wrote."""

    def own(self, *, of_models: bool) -> Calibration:
        """Return the one in whose place another one may come."""
        return self.models if of_models else self.rules

    def of(self, judgement: Judgement | NotJudged, *, is_model: bool) -> Calibration:
        """Return the one for a draft."""
        if is_model:
            return self.models
        return self.rules if was_read(judgement) else self.words


SHIPPED = Calibrations()
"""In force until an officer or operator activates another one."""


def calibrations_json(calibrations: Calibrations) -> dict[str, Json]:
    """Return calibrations as they are stored and recorded."""
    return {
        name: calibration_json(getattr(calibrations, name)) for name in ("rules", "words", "models")
    }


def calibrations_of(stored: Mapping[str, Any]) -> Calibrations:
    """Return calibrations as `calibrations_json` told them."""
    return Calibrations(**{name: calibration_of(one) for name, one in stored.items()})


def calibration_json(calibration: Calibration) -> dict[str, Json]:
    """Return one as it is stored."""
    return {**asdict(calibration), "weights": dict(calibration.weights)}


def calibration_of(stored: Mapping[str, Any]) -> Calibration:
    """Return one as `calibration_json` told it; what a later release added is passed over."""
    known = {item.name for item in fields(Calibration)}
    return Calibration(**{name: value for name, value in stored.items() if name in known})


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
    cited = _cited(verified, evidence)
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
    features |= _agreement(evidence, cited)
    if relevances:
        features["relevance"] = max(relevances)
    if of_cited:
        features["cited_relevance"] = max(of_cited)
    if reported is not None:
        features["reported"] = reported
    return features


def _cited(verified: Verified, evidence: Evidence) -> frozenset[str]:
    """Return the keys of what is cited; of a fact alone, with the passages that hold its words.

    A fact has no place in the search, its passage has.
    """
    citations = [citation for claim in verified.claims for citation in claim.citations]
    keys = frozenset(citation.key for citation in citations)
    found = [item for item in evidence.items if item.relevance is not None]
    if any(item.key in keys for item in found):
        return keys
    holding = (
        item.key
        for item in found
        if any(is_within(citation.span, item.span) for citation in citations)
    )
    return keys.union(holding)


def _agreement(evidence: Evidence, cited: Collection[str]) -> dict[str, float]:
    """Return how far each half of the search prefers what is cited to all else that it found.

    `lexical_rank` is 1 for the chunk with the highest BM25, 1/2 for the second, and so on;
    `dense_share` is its cosine as a share of the highest.
    """
    found = [item for item in evidence.items if item.lexical_score is not None]
    mine = [item for item in found if item.key in cited]
    if not mine:
        return {}
    lexical = max(item.lexical_score or 0.0 for item in mine)
    dense = max(item.dense_score or 0.0 for item in mine)
    nearest = max(item.dense_score or 0.0 for item in found)
    ahead = sum((item.lexical_score or 0.0) > lexical for item in found)
    return {
        "lexical_rank": 1 / (1 + ahead),
        "dense_share": max(0.0, dense) / nearest if nearest > 0 else 0.0,
    }


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
            calibration=calibration,
        ),
        is_calibrated=calibration.is_measured,
        is_on_samples=calibration.is_on_samples,
        calibration=calibration.name,
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
