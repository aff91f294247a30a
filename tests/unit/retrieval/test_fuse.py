import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.policy import ChunkKey
from core.retrieval.ranking import HYBRID, Candidate, Closeness, fused, rank

SHARES = st.floats(0, 1)


def _candidate(
    key: int,
    *,
    bm25: float = 0.0,
    cosine: float | None = None,
    window: float = 0.0,
    phrases: float = 0.0,
) -> Candidate:
    return Candidate(
        chunk_key=ChunkKey(key),
        bm25=bm25,
        cosine=cosine,
        closeness=Closeness(coverage=0.0, window=window, phrases=phrases),
    )


CANDIDATES = st.lists(
    st.builds(
        _candidate,
        st.integers(1, 1_000),
        bm25=st.floats(0, 40),
        cosine=st.none() | st.floats(-1, 1),
        window=SHARES,
        phrases=SHARES,
    ),
    unique_by=lambda candidate: candidate.chunk_key,
    max_size=20,
)


def test_score_is_the_weighted_sum() -> None:
    """A score is .35 x 5/10 + .65 x .6 for the arms, plus .19 x .5 + .71 x .2 for wording."""
    candidate = _candidate(1, bm25=5.0, cosine=0.6, window=0.5, phrases=0.2)
    assert fused(candidate, best_bm25=10, lexical_weight=0.35) == pytest.approx(0.565)
    assert rank([candidate], best_bm25=10, lexical_weight=0.35)[0].score == pytest.approx(
        0.565 + 0.095 + 0.142
    )


def test_without_vectors_words_decide() -> None:
    """With the weight at 1 the cosine counts for nothing."""
    found = rank(
        [_candidate(1, bm25=1, cosine=0.9), _candidate(2, bm25=2, cosine=0.1)],
        best_bm25=2,
        lexical_weight=1,
    )
    assert [place.candidate.chunk_key for place in found] == [2, 1]


def test_no_common_word_is_no_error() -> None:
    """Where no candidate has a word of the question, meaning alone ranks."""
    found = rank([_candidate(1, cosine=0.3)], best_bm25=0, lexical_weight=0.35)
    assert found[0].score == pytest.approx(0.195)


@given(candidates=CANDIDATES, data=st.data())
def test_order_of_input_does_not_matter(candidates: list[Candidate], data: st.DataObject) -> None:
    """Any order of the same candidates gives the same ranking."""
    shuffled = data.draw(st.permutations(candidates))
    assert rank(candidates, best_bm25=40, lexical_weight=0.35) == rank(
        shuffled, best_bm25=40, lexical_weight=0.35
    )


@given(candidates=CANDIDATES)
def test_ranking_is_bounded_and_without_duplicates(candidates: list[Candidate]) -> None:
    """Each chunk is ranked once, best first, and no score leaves its bounds."""
    found = rank([*candidates, *candidates], best_bm25=40, lexical_weight=0.35)
    scores = [place.score for place in found]
    assert len(found) == len(candidates)
    assert scores == sorted(scores, reverse=True)
    assert all(-1 <= score <= 1 + HYBRID.window + HYBRID.phrases + 1e-9 for score in scores)
