"""Time of calls that overlap, and time for others."""

import asyncio
from collections.abc import Iterable

from core.domain.run import ModelCall


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
