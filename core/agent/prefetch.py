"""Work begun early or beside other work, so that nobody waits for it twice."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TypeVar

from core.domain.errors import CiteboundError

_T = TypeVar("_T")
_U = TypeVar("_U")


async def both(one: Coroutine[None, None, _T], other: Coroutine[None, None, _U]) -> tuple[_T, _U]:
    """Return the results of two coroutines that run at the same time; the first error ends both."""
    try:
        async with asyncio.TaskGroup() as group:
            first, second = group.create_task(one), group.create_task(other)
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    return first.result(), second.result()


@asynccontextmanager
async def started_ahead(
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
