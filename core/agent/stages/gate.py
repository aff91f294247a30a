"""After `explore`, before `retrieve`: does the ontology suffice? Pure."""

from collections.abc import Sequence

from core.domain.run import GateDecision


def gate(
    reported: Sequence[float | None], *, threshold: float, use_rag: bool, has_chunks: bool
) -> GateDecision:
    """Decide whether chunks are retrieved.

    The first confidence below the threshold decides, whatever follows it; without one the first of
    all does. An absent confidence counts as below the threshold.

    Args:
        reported: What was reported, in order; None where nothing was.
        threshold: Where the ontology suffices.
        use_rag: False: graph only.
        has_chunks: False: there is nothing to retrieve.
    """
    low = [score for score in reported if score is None or score < threshold]
    score = (low or [*reported, None])[0]
    if not use_rag:
        return _decision(score, threshold, retrieve=False, reason="retrieval is switched off")
    if score is not None and score >= threshold:
        return _decision(score, threshold, retrieve=False, reason="the ontology suffices")
    if not has_chunks:
        return _decision(score, threshold, retrieve=False, reason="no chunks are in scope")
    reason = "no confidence was reported" if score is None else "the ontology does not suffice"
    return _decision(score, threshold, retrieve=True, reason=reason)


def _decision(
    reported: float | None, threshold: float, *, retrieve: bool, reason: str
) -> GateDecision:
    return GateDecision(score=reported, threshold=threshold, retrieve=retrieve, reason=reason)
