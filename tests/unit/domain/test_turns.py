"""When a turn is free: the law of the limit, and its arithmetic."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from core.domain.limits import TurnLimit, free_at, with_one_more

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_the_turn_after_the_last_is_free_when_the_first_is_long_enough_ago() -> None:
    """Two in ten seconds: begun at 0 and 4, the third at 10, the fourth at 14."""
    limit = TurnLimit(times=2, within_s=10)
    assert free_at([], limit, now=at(0)) == at(0)
    assert free_at([at(0)], limit, now=at(4)) == at(4)
    assert free_at([at(0), at(4)], limit, now=at(5)) == at(10)
    assert with_one_more([at(0), at(4)], limit, at=at(10)) == (at(4), at(10))
    assert free_at([at(4), at(10)], limit, now=at(11)) == at(14)
    assert free_at([at(4), at(10)], limit, now=at(30)) == at(30)


@given(
    times=st.integers(1, 6),
    within_s=st.floats(0.5, 100),
    gaps_s=st.lists(st.floats(0, 60), min_size=1, max_size=60),
)
def test_never_more_than_so_many_in_any_window(
    times: int, within_s: float, gaps_s: list[float]
) -> None:
    """Whenever questions come: each is begun, in order, and no window holds more than allowed."""
    limit = TurnLimit(times=times, within_s=within_s)
    taken: tuple[datetime, ...] = ()
    begun: list[datetime] = []
    now = NOON
    for gap_s in gaps_s:
        now += timedelta(seconds=gap_s)
        now = free_at(taken, limit, now=now)
        assert free_at(taken, limit, now=now) == now
        taken = with_one_more(taken, limit, at=now)
        begun.append(now)
    assert len(begun) == len(gaps_s)
    assert len(taken) <= times
    for earlier, later in zip(begun, begun[times:], strict=False):
        assert later - earlier >= timedelta(seconds=within_s)
