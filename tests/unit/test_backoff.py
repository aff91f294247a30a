"""Pauses between attempts: growing, random, never past the deadline."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.backoff import Backoff, retry_after_s

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
seconds = st.floats(min_value=0, max_value=1e6)
shares = st.floats(min_value=0, max_value=1, exclude_max=True)


def test_pauses_double_up_to_the_longest() -> None:
    """0.5, 1, 2, 4, then 4: at the upper end of what is random, less half of it at the lower."""
    backoff = Backoff(attempts=9, first_s=0.5, longest_s=4)
    asked = [
        (
            backoff.pause_s(attempt=attempt, share=0, asked_s=None, left_s=99),
            backoff.pause_s(attempt=attempt, share=1, asked_s=None, left_s=99),
        )
        for attempt in range(1, 6)
    ]
    assert asked == [(0.25, 0.5), (0.5, 1), (1, 2), (2, 4), (2, 4)]


@given(attempt=st.integers(1, 10_000), share=shares, asked=st.none() | seconds, left=seconds)
def test_no_pause_goes_past_the_deadline(
    attempt: int, share: float, asked: float | None, left: float
) -> None:
    """After a pause there is always time for an attempt, and a service's wish is never cut."""
    backoff = Backoff(attempts=10_001)
    pause = backoff.pause_s(attempt=attempt, share=share, asked_s=asked, left_s=left)
    if pause is not None:
        assert pause >= 0
        assert pause + backoff.shortest_attempt_s <= left  # what is subtracted rounds otherwise
        assert asked is None or pause == asked


@given(attempts=st.integers(1, 20))
def test_attempts_are_counted(attempts: int) -> None:
    """After the last attempt nothing is tried again, however much time there is."""
    backoff = Backoff(attempts=attempts)
    pauses = [
        backoff.pause_s(attempt=attempt, share=0, asked_s=0, left_s=1e9)
        for attempt in range(1, attempts + 1)
    ]
    assert pauses == [0] * (attempts - 1) + [None]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "3600"}, 3600),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "-4"}, 0),
        ({"retry-after": "Fri, 20 Nov 2026 09:00:30 GMT"}, 30),
        ({"retry-after": "Fri, 20 Nov 2026 08:00:30 GMT"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": f"Fri, 20 Nov {'9' * 20} 09:00:30 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], expected: float | None) -> None:
    """Seconds, milliseconds or a date; what can't be read says nothing."""
    assert retry_after_s(headers, now=NOW) == expected


@given(text=st.text(max_size=40))
def test_no_retry_after_breaks_us(text: str) -> None:
    """Whatever a service sends, it is a number of seconds from 0 or nothing."""
    found = retry_after_s({"retry-after": text}, now=NOW + timedelta(days=1))
    assert found is None or found >= 0
