"""Time of stages and of calls that overlap, and time for others."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import TypeVar

from core.domain.run import Json, ModelCall, Step
from core.ports import Clock

AT_ONCE_S = 0.01
"""Seconds between two turns of the loop: a sentence takes some 0.1 ms for a usual question, and a
hundred times as long for one of two thousand words."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


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


async def in_turns(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """Return the function of each item, in order, and let others run in between."""
    results: list[_Result] = []
    began_s = perf_counter()
    for item in items:
        results.append(function(item))
        if perf_counter() - began_s >= AT_ONCE_S:
            await asyncio.sleep(0)
            began_s = perf_counter()
    return results
