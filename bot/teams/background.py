"""What goes on after a request was answered: bounded, and waited for when the process stops."""

import asyncio
import logging
from collections.abc import Coroutine

MOST_AT_A_TIME = 64
"""An app that a whole company gets at once greets as it can."""

logger = logging.getLogger(__name__)


class Background:
    """Does things that are worth one attempt. Safe from many tasks."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        """Take what is waited for."""
        self._group = group
        self._free = asyncio.Semaphore(MOST_AT_A_TIME)

    def begin(self, what: Coroutine[None, None, None]) -> None:
        """Begin it, once there is room."""
        self._group.create_task(self._done(what))

    async def _done(self, what: Coroutine[None, None, None]) -> None:
        async with self._free:
            try:
                await what
            except Exception as error:  # it ends no process
                logger.warning("not done after a request: %s", type(error).__name__)
