"""Batches within the limits, for any texts."""

from hypothesis import given
from hypothesis import strategies as st

from core.adapters.voyage.models import FILLING, MOST_TEXTS, batches, estimated_tokens


@given(st.lists(st.text(max_size=200), max_size=300), st.integers(100, 5_000))
def test_batches_hold_all_texts_in_order(texts: list[str], limit: int) -> None:
    """Nothing is lost or moved, and only a text that is too long alone exceeds the limit."""
    parts = list(batches(texts, request_tokens=limit))
    assert [text for part in parts for text in part] == texts
    for part in parts:
        assert 0 < len(part) <= MOST_TEXTS
        assert len(part) == 1 or sum(map(estimated_tokens, part)) <= limit * FILLING


def test_the_estimate_is_high() -> None:
    """Words of three letters, digits, signs and other scripts count as a token or more each."""
    assert estimated_tokens("EUR 1,000") - estimated_tokens("") == 1 + 5
    assert estimated_tokens("notification") - estimated_tokens("") == 4
    assert estimated_tokens("贈答規程") - estimated_tokens("") == 4
