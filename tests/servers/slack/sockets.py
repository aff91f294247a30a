"""Socket Mode: envelopes over WebSockets, each to be acknowledged."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.servers.slack.wire import Json, is_object
from tests.servers.slack.workspace import Workspace

MOST_CONNECTIONS = 10


@dataclass(slots=True, eq=False)
class Connection:
    """One open socket."""

    socket: web.WebSocketResponse
    pings: int = 0
    """Pings of the client that were seen."""
    acknowledged: list[str] = field(default_factory=list[str])


@dataclass(slots=True, kw_only=True)
class Acknowledgement:
    """What came back for an envelope."""

    payload: Json | None = None


class Sockets:
    """The other end of the app's sockets."""

    def __init__(self, workspace: Workspace):
        self.connections: list[Connection] = []
        self.deaf = False
        """True: pings go unanswered and acknowledgements unheard, as if half the line were cut."""
        self._workspace = workspace
        self._waiting: dict[str, asyncio.Future[Acknowledgement]] = {}
        self._turn = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Keep one socket open."""
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        connection = Connection(socket)
        self.connections.append(connection)
        await socket.send_str(json.dumps(self._hello()))
        if len(self.connections) > MOST_CONNECTIONS:
            await self._say_goodbye(connection, "too_many_websockets")
        try:
            await self._listen(connection)
        finally:
            self.connections.remove(connection)
        return socket

    async def send(
        self,
        kind: str,
        payload: Json,
        *,
        ack_timeout_s: float,
        retry: int = 0,
        reason: str = "",
        answerable: bool = False,
    ) -> Acknowledgement | None:
        """Send an envelope over one of the sockets; None: no acknowledgement came in time."""
        usable = [one for one in self.connections if not one.socket.closed]
        if not usable:
            return None
        self._turn += 1
        connection = usable[self._turn % len(usable)]
        number = f"env-{self._workspace.number()}"
        envelope: Json = {"envelope_id": number, "type": kind, "payload": payload}
        envelope["accepts_response_payload"] = answerable
        if kind == "events_api":
            envelope |= {"retry_attempt": retry, "retry_reason": reason}
        waiting: asyncio.Future[Acknowledgement] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            await connection.socket.send_str(json.dumps(envelope))
            async with asyncio.timeout(ack_timeout_s):
                return await waiting
        except (TimeoutError, ConnectionError):
            return None
        finally:
            self._waiting.pop(number, None)

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask every client to come back on a new socket, and close these."""
        for connection in list(self.connections):
            await self._say_goodbye(connection, reason)

    async def ping(self) -> None:
        """Ping every client."""
        for connection in self.connections:
            await connection.socket.ping(b"slack")

    def cut(self) -> None:
        """Break every socket without a word."""
        for connection in list(self.connections):
            transport = connection.socket._req.transport if connection.socket._req else None  # pyright: ignore[reportPrivateUsage]
            if transport is not None:
                transport.abort()

    async def close(self) -> None:
        """Close every socket."""
        for connection in list(self.connections):
            await connection.socket.close()

    def _hello(self) -> Json:
        debug: Json = {"host": "applink-fake", "build_number": 1}
        debug["approximate_connection_time"] = 18060
        hello: Json = {"type": "hello", "num_connections": len(self.connections)}
        return hello | {
            "debug_info": debug,
            "connection_info": {"app_id": self._workspace.app.id},
        }

    async def _say_goodbye(self, connection: Connection, reason: str) -> None:
        told = {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-fake"}}
        await connection.socket.send_str(json.dumps(told))

    async def _listen(self, connection: Connection) -> None:
        async for frame in connection.socket:
            if self.deaf:
                continue
            if frame.type is WSMsgType.PING:
                connection.pings += 1
                await connection.socket.pong(frame.data)
            elif frame.type is WSMsgType.TEXT:
                self._heard(connection, json.loads(frame.data))

    def _heard(self, connection: Connection, told: Any) -> None:
        if not is_object(told):
            return
        number = str(told.get("envelope_id"))
        connection.acknowledged.append(number)
        waiting = self._waiting.get(number)
        if waiting and not waiting.done():
            payload: Any = told.get("payload")
            waiting.set_result(Acknowledgement(payload=payload if is_object(payload) else None))
