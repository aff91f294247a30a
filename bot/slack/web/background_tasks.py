"""What goes on after Slack was answered.

Bolt runs each listener in a task that nobody awaits, and the socket client each envelope: whoever
pressed something is acknowledged, and what they asked for is done afterwards. A process that stops
lets that end, before the database is closed beneath it.
"""

import asyncio
import logging
from collections.abc import Generator
from contextlib import contextmanager

ENDED_WITHIN_S = 5.0
"""What a stop leaves to what has begun."""

logger = logging.getLogger(__name__)


class Underway:
    """The tasks that are not ours, while they do something of ours."""

    def __init__(self) -> None:
        """Begin with none."""
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
        begun = set(self._tasks)
        if not begun:
            return
        _, late = await asyncio.wait(begun, timeout=within_s)
        for task in late:
            logger.warning("a stop did not wait for all that Slack was told is being done")
            task.cancel()
        if late:
            await asyncio.wait(late)
