"""What the confidence of an answer is computed from; each feature in [0, 1], higher is better."""

import math

from core.domain.answer import Judgement, NotJudged, Verified
from core.domain.evidence import Evidence

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
