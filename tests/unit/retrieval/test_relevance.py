from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.relevance import Features, relevance

SHARES = st.floats(0, 1)


def test_chance_resemblance_is_not_relevant() -> None:
    """What the median off-topic question finds at best lies below .3, with and without vectors."""
    assert relevance(Features(lexical_score=0.13, cosine=0.1, coverage=0.21)) < 0.3
    assert relevance(Features(lexical_score=0.13, cosine=None, coverage=0.21)) < 0.3


def test_gold_is_relevant() -> None:
    """What a labelled answer typically shows lies well above .3."""
    assert relevance(Features(lexical_score=0.32, cosine=0.69, coverage=0.53)) > 0.9
    assert relevance(Features(lexical_score=0.33, cosine=None, coverage=0.54)) > 0.6


@given(lexical=SHARES, cosine=st.none() | st.floats(-1, 1), coverage=SHARES, more=SHARES)
def test_more_evidence_never_lowers_relevance(
    lexical: float, cosine: float | None, coverage: float, more: float
) -> None:
    """Relevance is a probability and grows with each feature."""
    less = relevance(Features(lexical_score=lexical, cosine=cosine, coverage=coverage))
    greater = relevance(
        Features(lexical_score=max(lexical, more), cosine=cosine, coverage=max(coverage, more))
    )
    assert 0 <= less <= greater <= 1
