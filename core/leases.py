"""Work under a lease: it is prolonged while the work goes on, and the work ends once it is lost.

For questions, deliveries and sources alike.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import cast

from core.cancellation import end_if_cancelled
from core.domain.errors import OvertakenError, TransientError

RENEWED_EVERY_S = 5.0
"""A quarter of the lease: three renewals may fail before somebody takes over."""

logger = logging.getLogger(__name__)


@asynccontextmanager
async def renewed(
    renew: Callable[[], Awaitable[None]],
    *,
    every_s: float = RENEWED_EVERY_S,
    look: asyncio.Event | None = None,
) -> AsyncGenerator[None]:
    """Renew a lease until the block ends; set `look` to renew at once.

    Raises:
        OvertakenError: The lease was lost; the block was cancelled.
    """
    try:
        async with asyncio.TaskGroup() as group:
            keeper = group.create_task(_keep(renew, every_s, look or asyncio.Event()))
            yield
            keeper.cancel()
    except BaseExceptionGroup as failures:
        end_if_cancelled()
        raise _first(_lost(failures) or failures) from None


async def _keep(renew: Callable[[], Awaitable[None]], every_s: float, look: asyncio.Event) -> None:
    while True:
        try:
            async with asyncio.timeout(every_s):
                await look.wait()
        except TimeoutError:
            pass
        look.clear()
        try:
            await renew()
        except OvertakenError:
            raise
        except TransientError:
            # What is recorded in the end is checked against the lease, renewed or not.
            logger.warning("a lease could not be renewed")
        end_if_cancelled()


def _lost(known: BaseExceptionGroup[BaseException]) -> BaseException | None:
    return known.subgroup(OvertakenError)


def _first(failure: BaseException) -> BaseException:
    """Return what went wrong within a group: the caller knows no groups."""
    if not isinstance(failure, BaseExceptionGroup):
        return failure
    return _first(cast("BaseExceptionGroup[BaseException]", failure).exceptions[0])
