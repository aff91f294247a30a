"""Time of stages and of calls that overlap, and time for others."""

import asyncio
from collections.abc import Iterable, Mapping

from core.domain.run import Json, ModelCall, Step
from core.ports import Clock


class StepLog:
    """The stages of a run as they end, each with the time since the one before."""

    def __init__(self, clock: Clock) -> None:
        """Begin now."""
        self._clock = clock
        self.started_s = self._mark_s = clock.monotonic_s()
        self._steps: list[Step] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        """Stages so far, in order."""
        return tuple(self._steps)

    @property
    def total_ms(self) -> float:
        """Milliseconds since the beginning."""
        return (self._clock.monotonic_s() - self.started_s) * 1_000

    def add(self, stage: str, detail: Mapping[str, Json]) -> None:
        """Note that a stage has ended."""
        now_s = self._clock.monotonic_s()
        self._steps.append(Step(stage=stage, detail=detail, took_ms=(now_s - self._mark_s) * 1_000))
        self._mark_s = now_s


def covered_s(calls: Iterable[ModelCall]) -> float:
    """Return the seconds during which at least one of the calls was under way."""
    total, until = 0.0, float("-inf")
    for call in sorted(calls, key=lambda one: one.started_s):
        total += max(0.0, call.ended_s - max(call.started_s, until))
        until = max(until, call.ended_s)
    return total


async def let_others_run() -> None:
    """Give way between two pieces of work that compute on the loop.

    Between them, too, a run is ended whose time is up.
    """
    await asyncio.sleep(0)
