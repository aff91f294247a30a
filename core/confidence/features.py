"""What the confidence of an answer is computed from; each feature in [0, 1], higher is better."""

from core.domain.answer import Judgement, NotJudged, Verified
from core.domain.evidence import Evidence


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
    if relevances:
        features["relevance"] = max(relevances)
    if of_cited:
        features["cited_relevance"] = max(of_cited)
    if reported is not None:
        features["reported"] = reported
    return features
