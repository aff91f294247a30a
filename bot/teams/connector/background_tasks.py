"""What goes on after a request was answered: bounded, tried again, and ended before a stop ends.

What follows from a press and is recorded nowhere is sent from here: a line to whoever pressed, a
card that shows what was chosen. Nothing of it is stored: a process that is killed loses it, and
whoever missed it presses again. One that stops lets it end.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine

from bot.call_results import CallResult, RateLimited, Rejected, Succeeded, Uncertain

MOST_AT_A_TIME = 64
TRIED_AGAIN_AFTER_S = (1.0, 4.0, 15.0)
"""After the first attempt, the second, ...; the service may ask for more."""
LONGEST_REST_S = 30.0
"""What the service may ask for: a line that comes later helps nobody."""
ENDED_WITHIN_S = 5.0
"""What a stop leaves to what has begun."""

logger = logging.getLogger(__name__)


class Background:
    """Does things beside all else. Safe from many tasks."""

    def __init__(
        self,
        group: asyncio.TaskGroup,
        *,
        tried_again_after_s: tuple[float, ...] = TRIED_AGAIN_AFTER_S,
    ) -> None:
        """Take what waits for the tasks, and how long is waited between attempts."""
        self._group = group
        self._rests_s = tried_again_after_s
        self._free = asyncio.Semaphore(MOST_AT_A_TIME)
        self._tasks: set[asyncio.Task[None]] = set()
        self._stop = asyncio.Event()

    def begin(self, what: Coroutine[None, None, None]) -> None:
        """Begin it, once there is room."""
        task = self._group.create_task(self._done(what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def insist(self, send: Callable[[], Awaitable[CallResult]]) -> CallResult:
        """Send something until it is taken or refused; some attempts, the last one at a stop.

        What may have arrived is sent once more, not for ever: read twice it does no harm, never
        read it leaves somebody without an answer.
        """
        unclear = 0
        for rest_s in self._rests_s:
            outcome = await send()
            unclear += isinstance(outcome, Uncertain)
            if isinstance(outcome, Succeeded | Rejected) or unclear > 1 or self._stop.is_set():
                return outcome
            asked_s = outcome.after_s if isinstance(outcome, RateLimited) else 0.0
            await self._rest(min(LONGEST_REST_S, max(rest_s, asked_s)))
        return await send()

    async def ended(self, *, within_s: float = ENDED_WITHIN_S) -> None:
        """Wait until all has ended, without rests; cancel what takes longer."""
        self._stop.set()
        begun = set(self._tasks)
        if not begun:
            return
        _, late = await asyncio.wait(begun, timeout=within_s)
        for task in late:
            logger.warning("a stop did not wait for all that Teams was told is being done")
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return

    async def _done(self, what: Coroutine[None, None, None]) -> None:
        try:
            async with self._free:
                await what
        except Exception as error:  # it ends no process
            logger.warning("not done after a request: %s", type(error).__name__)
        finally:
            what.close()
