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

from aiohttp import ClientError
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.slack.web.background_tasks import Underway

CONNECTIONS = 2
PINGS = 4
"""So many pings without an answer, 10 s apart: nobody is there."""

AT_ONCE = 50
"""Requests that are handled at a time, of all connections (reliability, section 4)."""
RESTS_S = 1.0
"""Between two tries to open a socket."""

logger = logging.getLogger(__name__)


class Sockets:
    """The connections of a process."""

    def __init__(
        self, app: AsyncApp, app_token: str, underway: Underway, *, silent_s: float
    ) -> None:
        """Take who handles what comes, and what opens sockets."""
        self._underway = underway
        self._app = app
        self._app_token = app_token
        self._silent_s = silent_s
        self._room = asyncio.Semaphore(AT_ONCE)
        self._open = 0

    async def trouble(self) -> str | None:
        """Say that nothing reaches us; None: one of the sockets is open."""
        return None if self._open else "no socket to Slack is open"

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
            try:
                await self._once()
                logger.warning("a socket is silent, and is opened anew")
            except (SlackApiError, SlackClientError, ClientError, OSError, TimeoutError) as error:
                logger.error("no socket to Slack opens: %s", type(error).__name__)  # noqa: TRY400  # what it says may hold an address with a ticket
            await asyncio.sleep(min(RESTS_S, self._silent_s))

    async def _once(self) -> None:
        """Hold one connection until it is silent."""
        handler = _Bounded(
            self._app,
            self._app_token,
            self._room,
            self._underway,
            ping_s=self._silent_s / PINGS,
        )
        try:
            async with asyncio.timeout(self._silent_s):
                await handler.connect_async()
            self._open += 1
            try:
                await _silence(handler, self._silent_s)
            finally:
                self._open -= 1
        finally:
            await handler.close_async()


class _Bounded(AsyncSocketModeHandler):
    """Bolt's handler, but that a crowd waits for its turn."""

    def __init__(
        self,
        app: AsyncApp,
        app_token: str,
        room: asyncio.Semaphore,
        underway: Underway,
        *,
        ping_s: float,
    ) -> None:
        super().__init__(app, app_token, ping_interval=ping_s)
        self._room = room
        self._underway = underway

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:
        """See `AsyncSocketModeHandler.handle`."""
        with self._underway.held():
            async with self._room:
                await super().handle(client, req)


async def _silence(handler: AsyncSocketModeHandler, silent_s: float) -> None:
    """Return once nothing was heard for so long.

    The SDK opens a new socket itself where it notices, and forgets then when it last heard: that
    counts as a beginning, or the new socket would be closed at once.
    """
    began, was_heard = time.time(), False
    while True:
        await asyncio.sleep(silent_s / PINGS)
        heard: float | None = getattr(handler.client, "last_ping_pong_time", None)
        if heard is None and was_heard:
            began = time.time()
        was_heard = heard is not None
        if time.time() - (heard or began) > silent_s:
            return
