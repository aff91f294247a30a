"""After `explore`, before `retrieve`: does the ontology suffice? Pure."""

from core.domain.run import GateDecision


def gate(
    reported: float | None, *, threshold: float, use_rag: bool, has_chunks: bool
) -> GateDecision:
    """Decide whether chunks are retrieved. An absent confidence counts as below the threshold."""
    if not use_rag:
        return _decision(reported, threshold, retrieve=False, reason="retrieval is switched off")
    if reported is not None and reported >= threshold:
        return _decision(reported, threshold, retrieve=False, reason="the ontology suffices")
    if not has_chunks:
        return _decision(reported, threshold, retrieve=False, reason="no chunks are in scope")
    reason = "no confidence was reported" if reported is None else "the ontology does not suffice"
    return _decision(reported, threshold, retrieve=True, reason=reason)


def _decision(
    reported: float | None, threshold: float, *, retrieve: bool, reason: str
) -> GateDecision:
    return GateDecision(score=reported, threshold=threshold, retrieve=retrieve, reason=reason)
