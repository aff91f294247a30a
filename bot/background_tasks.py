"""What goes on after a platform was answered, and ends before a process does.

Whoever pressed something is acknowledged at once; what they asked for is done afterwards, and some
of it is recorded nowhere: a process that is killed loses that, and whoever missed it presses again.
A process that stops lets what has begun end, before the database is closed beneath it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator
from contextlib import contextmanager
from typing import Any

from bot.call_results import CallResult, RateLimited, Rejected, Succeeded, Uncertain

MOST_AT_A_TIME = 64
RETRY_AFTER_S = (1.0, 4.0, 15.0)
"""After the first attempt, the second, ...; the platform may ask for more."""
LONGEST_REST_S = 30.0
"""What the platform may ask for: a line that comes later helps nobody."""
ENDED_WITHIN_S = 5.0
"""What a stop leaves to what has begun."""

logger = logging.getLogger(__name__)


class ForeignTasks:
    """Tasks that an SDK began and nobody awaits, while they do something of ours.

    Slack's Bolt runs each listener in such a task, and its socket client each envelope.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    @contextmanager
    def held(self) -> Generator[None]:
        """Let a stop wait for the block, which the current task runs."""
        task = asyncio.current_task()
        if task is None or task in self._tasks:
            yield
            return
        self._tasks.add(task)
        try:
            yield
        finally:
            self._tasks.discard(task)

    async def ended(self, *, within_s: float = ENDED_WITHIN_S) -> None:
        """Wait until all has ended; cancel what takes longer. Nothing may begin any more."""
        await asyncio.sleep(0)  # a task that was just made has not come as far as `held`
        await _ended(self._tasks, within_s)


class BackgroundTasks:
    """Tasks of our own: bounded, and retried. Safe from many tasks."""

    def __init__(
        self, group: asyncio.TaskGroup, *, retry_after_s: tuple[float, ...] = RETRY_AFTER_S
    ) -> None:
        self._group = group
        self._rests_s = retry_after_s
        self._free = asyncio.Semaphore(MOST_AT_A_TIME)
        self._tasks: set[asyncio.Task[None]] = set()
        self._stop = asyncio.Event()

    def begin(self, what: Coroutine[None, None, None]) -> None:
        """Begin it, once there is room."""
        task = self._group.create_task(self._run(what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def retry(self, send: Callable[[], Awaitable[CallResult]]) -> CallResult:
        """Send something until it is taken or refused; some attempts, the last one at a stop.

        What may have arrived is sent once more, not for ever: read twice it does no harm, never
        read it leaves somebody without an answer.
        """
        uncertain = 0
        for rest_s in self._rests_s:
            is_last = self._stop.is_set()  # a stop while it is sent leaves one attempt more
            result = await send()
            uncertain += isinstance(result, Uncertain)
            if isinstance(result, Succeeded | Rejected) or uncertain > 1 or is_last:
                return result
            asked_s = result.after_s if isinstance(result, RateLimited) else 0.0
            await self._rest(min(LONGEST_REST_S, max(rest_s, asked_s)))
        return await send()

    async def ended(self, *, within_s: float = ENDED_WITHIN_S) -> None:
        """Wait until all has ended, without rests; cancel what takes longer."""
        self._stop.set()
        await _ended(self._tasks, within_s)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return

    async def _run(self, what: Coroutine[None, None, None]) -> None:
        try:
            async with self._free:
                await what
        except Exception as error:  # it ends no process
            logger.warning("not done after a request: %s", type(error).__name__)
        finally:
            what.close()


async def _ended(tasks: Collection[asyncio.Task[Any]], within_s: float) -> None:
    begun = set(tasks)
    if not begun:
        return
    _, late = await asyncio.wait(begun, timeout=within_s)
    for task in late:
        logger.warning("a stop did not wait for all that is being done after an answer")
        task.cancel()
    if late:
        await asyncio.wait(late)
