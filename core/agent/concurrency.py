"""Run work ahead of time or side by side, and yield to other tasks during long computations."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TypeVar

from core.domain.errors import CiteboundError

_T = TypeVar("_T")
_U = TypeVar("_U")


async def run_both(
    one: Coroutine[None, None, _T], other: Coroutine[None, None, _U]
) -> tuple[_T, _U]:
    """Return the results of two coroutines that run at the same time; the first error ends both."""
    try:
        async with asyncio.TaskGroup() as group:
            first, second = group.create_task(one), group.create_task(other)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    return first.result(), second.result()


@asynccontextmanager
async def prefetched(
    work: Callable[[], Awaitable[_T]] | None,
) -> AsyncGenerator[Callable[[], Awaitable[_T]] | None]:
    """Start work, and yield what waits for its result; None where there is no work.

    An error of the work is raised where the result is wanted. What nobody wants in the end is
    cancelled.
    """
    if work is None:
        yield None
        return
    started = work

    async def attempted() -> _T | CiteboundError:
        try:
            return await started()
        except CiteboundError as error:
            return error

    try:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(attempted())

            async def result() -> _T:
                found = await running
                if isinstance(found, CiteboundError):
                    raise found
                return found

            try:
                yield result
            finally:
                running.cancel()
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures


AT_ONCE_S = 0.01
"""Seconds between two turns of the loop: a sentence takes some 0.1 ms for a usual question, and a
hundred times as long for one of two thousand words."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


async def yield_to_others() -> None:
    """Give way between two pieces of work that compute on the loop.

    Between them, too, a run is ended whose time is up.
    """
    await asyncio.sleep(0)


async def map_yielding(
    function: Callable[[_Item], _Result], items: Iterable[_Item]
) -> list[_Result]:
    """Return the function of each item, in order, and let others run in between."""
    results: list[_Result] = []
    began_s = perf_counter()
    for item in items:
        results.append(function(item))
        if perf_counter() - began_s >= AT_ONCE_S:
            await asyncio.sleep(0)
            began_s = perf_counter()
    return results
