"""Listen, and close connections of slow clients.

A connection has one deadline for the head of a request, one for all of it, and one for idling
between two requests; past any of them it is closed. At the limit of open connections the one that
has been silent for longest is closed for the next, so that complete requests are answered however
many others are half sent. A request that was received whole is never cut off.
"""

import asyncio
import errno
import functools
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage

from core.domain.errors import ConfigError

ANSWERED_WITHIN_S = 5.0
"""Grace for requests in flight when the process stops."""
LINGERING_S = 1.0
"""How long the rest of a request is read that was answered before it was whole."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Limits of a client. Slack and Microsoft send a request within milliseconds."""

    head_within_s: float = 5.0
    """From the connection, or the first byte of a further request, to the end of the headers."""
    request_within_s: float = 10.0
    """From there to the end of the body."""
    rests_for_s: float = 30.0
    """Idle time between two requests of a connection."""
    connections: int = 512
    """Open at a time, of one port: half of the descriptors that a process usually may have."""


class _Unnamed(web.Request):
    """A request whose response, also to a malformed one, does not name the server software."""

    async def _prepare_hook(self, response: web.StreamResponse) -> None:
        # aiohttp sets the header just before, without an option to leave it out.
        await super()._prepare_hook(response)
        response.headers.popall("Server", None)


class OpenConnections:
    """All connections of one port."""

    def __init__(self, server: web.Server, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._server = server
        self._count = 0
        self._silent: dict[Connection, None] = {}

    def __call__(self) -> asyncio.Protocol:
        """Return the protocol of a connection that is about to be made."""
        return Connection(self, self._server())

    def opened(self) -> bool:
        """Count one more, closing the longest silent one at the limit; False: there is none."""
        if self._count >= self.limits.connections:
            oldest = next(iter(self._silent), None)
            if oldest is None:
                return False
            oldest.cut()
        self._count += 1
        return True

    def closed(self) -> None:
        """Count one less."""
        self._count -= 1

    def listen_to(self, connection: "Connection") -> None:
        """Let it be closed for others, after those that have been silent for longer."""
        self._silent[connection] = None

    def hold(self, connection: "Connection") -> None:
        """Never close it for others: its request is whole, or it is gone."""
        self._silent.pop(connection, None)


class Connection(asyncio.Protocol):
    """Sets the deadlines of one connection; the rest is aiohttp's."""

    def __init__(self, all_: OpenConnections, inner: asyncio.Protocol) -> None:
        self._all = all_
        self._inner = inner
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._since_s = 0.0
        self._rests = False
        self._is_counted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the deadline of its first request."""
        self._transport = cast("asyncio.Transport", transport)
        self._is_counted = self._all.opened()
        self._inner.connection_made(transport)
        if not self._is_counted:
            self._transport.abort()
            return
        self._listen(self._all.limits.head_within_s)

    def data_received(self, data: bytes) -> None:
        """Pass it on; after idling it starts the deadline of a request."""
        if self._rests:
            self._listen(self._all.limits.head_within_s)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """See `asyncio.Protocol`."""
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._forget()
        self._inner.connection_lost(exc)

    def has_head(self) -> None:
        """Start the deadline of the body."""
        left_s = self._since_s + self._all.limits.request_within_s - _now_s()
        self._set_timer(max(0.0, left_s))

    def has_all(self) -> None:
        """Stop the deadlines while the request is answered."""
        self._set_timer(None)
        self._all.hold(self)

    def answered(self) -> None:
        """Let it idle until the next request."""
        if self._is_counted:
            self._listen(self._all.limits.rests_for_s)
            self._rests = True

    def cut(self) -> None:
        """Close it at once."""
        self._forget()
        if self._transport is not None:
            self._transport.abort()

    def _listen(self, within_s: float) -> None:
        self._rests = False
        self._since_s = _now_s()
        self._all.hold(self)
        self._all.listen_to(self)
        self._set_timer(within_s)

    def _set_timer(self, within_s: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if within_s is not None and self._is_counted:
            self._timer = asyncio.get_running_loop().call_later(within_s, self.cut)

    def _forget(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self._all.closed()
        self._all.hold(self)
        self._set_timer(None)


def _now_s() -> float:
    return asyncio.get_running_loop().time()


@web.middleware
async def received(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Read a request whole before its handler runs, and tell its connection how far it is."""
    protocol = request.transport.get_protocol() if request.transport else None
    connection = protocol if isinstance(protocol, Connection) else None
    if connection is None:
        return await handler(request)
    connection.has_head()
    try:
        if request.match_info.http_exception is None and request.body_exists:
            try:
                await request.read()
            except ConnectionError:
                return web.Response(status=408)
            except (BadHttpMessage, web.RequestPayloadError):
                return web.Response(status=400)
            except web.HTTPRequestEntityTooLarge:
                return web.Response(status=413)
        connection.has_all()
        return await handler(request)
    finally:
        connection.answered()


async def _bound(
    connections: OpenConnections, host: str, port: int, *, or_any: bool
) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    try:
        return await loop.create_server(connections, host, port)
    except OSError as error:
        if not (or_any and error.errno == errno.EADDRINUSE):
            raise
    return await loop.create_server(connections, host, 0)


@asynccontextmanager
async def listening(
    served: web.Application,
    *,
    host: str,
    port: int,
    settings: str,
    limits: ConnectionLimits,
    or_any: bool = False,
) -> AsyncGenerator[int]:
    """Serve an application until the block ends; return the port.

    Args:
        served: What is served; `received` is among its middlewares.
        host: The address.
        port: 0: any free one.
        settings: The variables that say where, for the message.
        limits: See there.
        or_any: Take any free port if this one is taken.

    Raises:
        ConfigError: The address or the port can't be had.
    """
    runner = web.AppRunner(
        served,
        shutdown_timeout=ANSWERED_WITHIN_S,
        access_log=None,
        keepalive_timeout=limits.rests_for_s,
        lingering_time=LINGERING_S,
    )
    await runner.setup()
    server = cast("web.Server", runner.server)  # there is one after `setup`
    server.request_factory = functools.partial(server.request_factory, _cls=_Unnamed)
    listener: asyncio.Server | None = None
    try:
        try:
            listener = await _bound(OpenConnections(server, limits), host, port, or_any=or_any)
        except OSError as error:
            raise ConfigError(
                f"{host}:{port} can't be listened on ({error.strerror}): set {settings}"
            ) from error
        told: int = listener.sockets[0].getsockname()[1]
        yield told
    finally:
        if listener is not None:
            listener.close()
        await runner.cleanup()
