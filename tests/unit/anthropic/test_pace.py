"""Calls begin no faster than their rate."""

from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.api.api_types import ModelReply, ModelRequest
from core.adapters.anthropic.extraction.composition import MINUTE_S, PacedCalls
from core.domain.run import TokenUse

REQUEST = ModelRequest(
    purpose="extract", prompt="extract/1", model="m", max_tokens=1, system=(), messages=()
)
REPLY = ModelReply(parts=(), content=(), stop_reason="end_turn", tokens=TokenUse(fresh=0))


class Timed:
    """A clock that moves when somebody sleeps, and calls that note when they began."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.began: list[float] = []

    def monotonic_s(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    async def call(self, request: ModelRequest, /) -> ModelReply:
        self.began.append(self.now_s)
        return REPLY


@given(st.integers(1, 6), st.lists(st.floats(0, 40), max_size=30))
async def test_no_minute_holds_more_calls_than_allowed(rate: int, pauses: list[float]) -> None:
    """Whenever they come; and none waits without need."""
    world = Timed()
    paced = PacedCalls(world, per_minute=rate, monotonic_s=world.monotonic_s, sleep=world.sleep)
    for pause_s in pauses:
        asked_s = world.now_s = world.now_s + pause_s
        assert await paced.call(REQUEST) == REPLY
        if len(world.began) <= rate:
            assert world.began[-1] == asked_s
    for first, later in zip(world.began, world.began[rate:], strict=False):
        assert later - first >= MINUTE_S - 1e-6
