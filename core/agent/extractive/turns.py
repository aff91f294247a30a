"""Compute over many items without keeping others waiting: the loop also takes in messages."""

import asyncio
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TypeVar

AT_ONCE_S = 0.01
"""Seconds between two turns of the loop: a sentence takes some 0.1 ms for a usual question, and a
hundred times as long for one of two thousand words."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


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
