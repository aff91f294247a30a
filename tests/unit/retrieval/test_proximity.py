import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.ranking import WINDOW_WORDS, closeness, wording

POSITIONS = st.dictionaries(
    st.sampled_from("abcdef"),
    st.lists(st.integers(1, 200), min_size=1, max_size=5, unique=True).map(sorted),
)


def test_neighbouring_terms_are_pairs() -> None:
    """Terms next to each other make a pair, over a stop word too; far and equal ones do not."""
    question = wording(
        {"gift": [1], "limit": [3], "germany": [20], "de": [21, 22]},
        {"gift": 2.0, "limit": 1.0, "germany": 3.0, "de": 1.0},
    )
    assert [(pair.first, pair.second, pair.gap) for pair in question.pairs] == [
        ("gift", "limit", 2),
        ("germany", "de", 1),
    ]


def test_phrases_count_pairs_in_their_order() -> None:
    """A chunk with the pair in its order scores, one with the words apart or swapped does not."""
    question = wording({"gift": [1], "limit": [2]}, {"gift": 1.0, "limit": 1.0})
    near, apart, swapped = closeness(
        question,
        [
            {"gift": [7], "limit": [8]},
            {"gift": [7], "limit": [30]},
            {"limit": [7], "gift": [8]},
        ],
    )
    assert (near.phrases, apart.phrases, swapped.phrases) == (1.0, 0.0, 0.0)
    assert near.coverage == apart.coverage == 1.0


def test_a_pair_that_few_have_counts_more() -> None:
    """Of two pairs, the one that fewer candidates have is worth more."""
    question = wording({"a": [1], "b": [2], "c": [3]}, {"a": 1.0, "b": 1.0, "c": 1.0})
    common, rare = {"a": [1], "b": [2]}, {"b": [1], "c": [2]}
    found = closeness(question, [common, common, common, rare])
    assert found[3].phrases > found[0].phrases


def test_window_takes_the_best_stretch() -> None:
    """Words further apart than the window do not add up: idf 3 of 4 is the best stretch."""
    question = wording({"a": [1], "b": [2]}, {"a": 1.0, "b": 3.0})
    (far,) = closeness(question, [{"a": [1], "b": [2 + WINDOW_WORDS]}])
    (near,) = closeness(question, [{"a": [1], "b": [1 + WINDOW_WORDS]}])
    assert far.window == pytest.approx(0.75)
    assert near.window == 1.0


@given(question=POSITIONS, chunks=st.lists(POSITIONS, max_size=8))
def test_shares_are_shares(
    question: dict[str, list[int]], chunks: list[dict[str, list[int]]]
) -> None:
    """All measures lie in [0, 1]; a window holds no more than the chunk."""
    idf = dict.fromkeys(question, 1.5)
    for near in closeness(wording(question, idf), chunks):
        assert 0 <= near.window <= near.coverage + 1e-9
        assert near.coverage <= 1
        assert 0 <= near.phrases <= 1
