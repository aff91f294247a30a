"""Compute over many items without keeping others waiting: the loop also takes in messages."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeVar

AT_ONCE = 16
"""Items between two turns of the loop: sentences take some 0.1 ms each."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


async def in_turns(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """Return the function of each item, in order, and let others run in between."""
    results: list[_Result] = []
    for number, item in enumerate(items, start=1):
        results.append(function(item))
        if number % AT_ONCE == 0:
            await asyncio.sleep(0)
    return results
