import pytest

from core.retrieval.ranking import highest_score, plain


def test_misleading_characters_are_plain() -> None:
    """Slashes and dashes become spaces, typographic quotes straight ones, one character each."""
    raw = "and/or \u2018gift\u2019 \u201climit\u201d 1\u20132"
    assert plain(raw) == "and or 'gift' \"limit\" 1 2"
    assert len(plain(raw)) == len(raw)


def test_highest_score_is_saturation() -> None:
    """A term's weight tends to k1 + 1 = 1.9 as it is repeated."""
    assert highest_score(2.0) == pytest.approx(3.8)
