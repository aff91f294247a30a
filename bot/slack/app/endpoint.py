"""How Slack reaches us: over HTTP with a signature, or over sockets without a public address.

- A request is believed only once its signature is checked, over the bytes as they came (scheme v0
  of docs.slack.dev, "Verifying requests from Slack": HMAC-SHA256 of `v0:{timestamp}:{body}`,
  compared in constant time; a timestamp more than five minutes away is a replay). Nothing is parsed
  before: Bolt would answer 500 to what nobody signed.
- There are two sockets, since each has a gap when Slack renews it. One that hears nothing any more
  is opened anew: `is_connected()` says yes long after nothing comes. Sockets know no back-pressure,
  so a crowd waits for its turn here, unacknowledged: Slack sends again what waits for too long.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

from aiohttp import ClientError, web
from aiohttp.web_exceptions import HTTPRequestEntityTooLarge
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.background_tasks import ForeignTasks

LONGEST_AGE_S = 300
TIMESTAMP, SIGNATURE = "X-Slack-Request-Timestamp", "X-Slack-Signature"
_LONGEST_TIMESTAMP = 12
_HEX = 64


CONNECTIONS = 2
PINGS = 4
"""So many pings without an answer, 10 s apart: nobody is there."""

AT_ONCE = 50
"""Requests that are handled at a time, of all connections."""
RESTS_S = 1.0
"""Between two tries to open a socket."""


logger = logging.getLogger(__name__)


class SignatureCheck:
    """Checks signatures by the current signing secret and, during a rotation, the previous one."""

    def __init__(self, secrets: Sequence[str]) -> None:
        """Check the secrets.

        Raises:
            ValueError: There is none, or an empty one: everybody could sign with it.
        """
        if not secrets or not all(secrets):
            raise ValueError("expected a signing secret that is not empty")
        self._secrets = tuple(secret.encode() for secret in secrets)

    def __call__(self, headers: Mapping[str, str], body: bytes, *, now: float) -> bool:
        """Say whether one of the secrets signed these bytes within the last five minutes.

        Args:
            headers: of the request; their names in any case.
            body: as it came.
            now: seconds since 1970.
        """
        folded = {key.lower(): value for key, value in headers.items()}
        timestamp, signature = folded.get(TIMESTAMP.lower()), folded.get(SIGNATURE.lower())
        if timestamp is None or signature is None or not _is_instant(timestamp):
            return False
        if abs(now - int(timestamp)) > LONGEST_AGE_S:
            return False
        version, _, given = signature.partition("=")
        if version != "v0" or len(given) != _HEX or not given.isascii():
            return False
        signed = b"v0:" + timestamp.encode() + b":" + body
        # All secrets are tried, so that the time taken says nothing about which one fits.
        fits = [hmac.compare_digest(_mark(secret, signed), given) for secret in self._secrets]
        return any(fits)


def _is_instant(timestamp: str) -> bool:
    return timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= _LONGEST_TIMESTAMP


def _mark(secret: bytes, signed: bytes) -> str:
    return hmac.new(secret, signed, hashlib.sha256).hexdigest()


class SlackEndpoint:
    """Takes Slack's requests."""

    def __init__(self, app: AsyncApp, check: SignatureCheck) -> None:
        self._app = app
        self._check = check

    async def take(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        try:
            body = await request.read()
        except HTTPRequestEntityTooLarge:
            return web.Response(status=413)
        if not self._check(request.headers, body, now=time.time()):
            logger.warning("a request that Slack did not sign was refused")
            return web.Response(status=401)
        if not _is_readable(body, is_form=request.content_type != "application/json"):
            return web.Response(status=400)
        bolt = AsyncBoltRequest(
            body=body.decode("utf-8"),
            query=request.query_string,
            headers=dict(request.headers),
        )
        return await to_aiohttp_response(await self._app.async_dispatch(bolt))


def _is_readable(body: bytes, *, is_form: bool) -> bool:
    """Say whether the bytes are what Bolt expects: an object of JSON, plain or in a form."""
    try:
        text = body.decode("utf-8")
        if is_form:
            held = parse_qs(text, keep_blank_values=True)
            text = held["payload"][0] if "payload" in held else ""
            if not text:
                return bool(held)
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


class Sockets:
    """The connections of a process."""

    def __init__(
        self, app: AsyncApp, app_token: str, tasks: ForeignTasks, *, silent_s: float
    ) -> None:
        self._tasks = tasks
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
                logger.warning("a socket is silent, and is being reopened")
            except (SlackApiError, SlackClientError, ClientError, OSError, TimeoutError) as error:
                logger.error("cannot open a socket to Slack: %s", type(error).__name__)  # noqa: TRY400  # what it says may hold an address with a ticket
            await asyncio.sleep(min(RESTS_S, self._silent_s))

    async def _once(self) -> None:
        """Hold one connection until it is silent."""
        handler = _Bounded(
            self._app,
            self._app_token,
            self._room,
            self._tasks,
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
        tasks: ForeignTasks,
        *,
        ping_s: float,
    ) -> None:
        super().__init__(app, app_token, ping_interval=ping_s)
        self._room = room
        self._tasks = tasks

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:
        """See `AsyncSocketModeHandler.handle`."""
        with self._tasks.held():
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
