"""Slack over sockets, for networks without a public address: the same intake.

Two connections, since each has a gap when Slack renews it. One that hears nothing any more is
opened anew: `is_connected()` says yes long after nothing comes. Sockets know no back-pressure, so a
crowd waits for its turn here, unacknowledged: Slack sends again what waits for too long.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp

CONNECTIONS = 2
PING_S = 10.0
SILENT_S = 4 * PING_S
"""Four pings without an answer: nobody is there."""

logger = logging.getLogger(__name__)


class Sockets:
    """The connections of a process."""

    def __init__(self, app: AsyncApp, app_token: str, *, silent_s: float = SILENT_S) -> None:
        """Take who handles what comes, and what opens sockets."""
        self._app = app
        self._app_token = app_token
        self._silent_s = silent_s

    def trouble(self) -> str | None:
        """Say that nothing reaches us; None: something does."""
        return None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Take what Slack sends until the block ends."""
        async with asyncio.TaskGroup() as group:
            held = [group.create_task(self._hold()) for _ in range(CONNECTIONS)]
            try:
                yield
            finally:
                for task in held:
                    task.cancel()

    async def _hold(self) -> None:
        """Keep one connection, and open it anew when it is dead."""
        while True:
            handler = AsyncSocketModeHandler(self._app, self._app_token, ping_interval=PING_S)
            try:
                await handler.connect_async()
                await _silence(handler, self._silent_s)
                logger.warning("a socket is silent, and is opened anew")
            finally:
                await handler.close_async()


async def _silence(handler: AsyncSocketModeHandler, silent_s: float) -> None:
    began = time.time()
    while True:
        await asyncio.sleep(min(PING_S, silent_s / 2))
        heard = getattr(handler.client, "last_ping_pong_time", None) or began
        if time.time() - heard > silent_s:
            return
