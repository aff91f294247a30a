"""Connections that outlast no server: which of several is used, and when one is given up.

A server that stands still keeps its connections open, and its kernel acknowledges what is sent, so
no setting of TCP notices. Here every wait for an answer ends, and so does the connection.

A server that was the primary may come back after another one was promoted, and take writes that
are lost once it is repaired. Each promotion begins a new timeline, so that a server of an older
timeline than the newest one seen is refused, and sessions that were left open on it end.

A process knows the timelines of the servers that it has connected to, and asks all that its URL
names when it starts. One that starts while only the old primary can be reached can't tell.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.abc import PQGen

SURVEYED_WITHIN_S = 5.0
"""What a start leaves to asking all servers: one that is down is waited for to no avail."""
FIRST_ANSWER_WITHIN_S = 3.0
"""What a server may take for the first answer on a new connection."""
CANCELLED_WITHIN_S = 1.0
"""What a server may take to cancel a statement nobody waits for any more; then it stands still."""
_INTERVAL_S = 0.1
"""Between two looks at a silent connection, as psycopg itself has it."""
_TIMELINE = (
    "SELECT CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())"
    " ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int END"
)
"""The control file of a primary names the new timeline only some time after its promotion."""

_T = TypeVar("_T")

logger = logging.getLogger(__name__)


class OutdatedServerError(psycopg.OperationalError):
    """A server takes writes, though another one was promoted in its place."""


class Servers:
    """The servers of one URL, shared by all engines that connect to them."""

    def __init__(self) -> None:
        self.newest_timeline = 0
        """Of all servers seen; 0: none was."""
        self.current: Mapping[str, Any] = {}
        """What names the server connected to last, of several."""
        self._failures: dict[str, int] = {}
        self._count = 0
        self._told: set[str] = set()

    async def connect(
        self, conninfo: str = "", *, answers_within_s: float | None = None, **parameters: Any
    ) -> "FailoverConnection":
        """Connect to the server that failed longest ago, or never did.

        Args:
            conninfo: see `psycopg.AsyncConnection.connect`.
            answers_within_s: what a server may take for an answer; None: as long as it takes.
            parameters: see `psycopg.AsyncConnection.connect`.

        Raises:
            psycopg.Error: None can be reached, or takes writes.
            OutdatedServerError: The only one that takes writes was the primary once.
        """
        outdated: OutdatedServerError | None = None
        failure: psycopg.Error | None = None
        for server in self._in_order(parameters):
            try:
                connection = await self._connected(conninfo, {**parameters, **server})
                connection.joins(self, server)
                connection.refuse_outdated()
            except OutdatedServerError as error:
                outdated = error
            except psycopg.Error as error:
                self.failed(server)
                failure = error
            except asyncio.CancelledError:
                # Whoever asked had less time than the server took: the next one tries another.
                self.failed(server)
                raise
            else:
                connection.limit_answers(answers_within_s)
                self.current = server
                return connection
        raise outdated or failure or psycopg.OperationalError("no server is named")

    async def survey(self, parameters: Mapping[str, Any]) -> None:
        """Learn the newest timeline from all servers that can be reached, standbys among them."""
        anywhere = {**parameters, "target_session_attrs": "any"}

        async def ask(server: Mapping[str, Any]) -> None:
            with suppress(psycopg.Error):
                connection = await self._connected("", {**anywhere, **server})
                await connection.close()

        with suppress(TimeoutError):
            async with asyncio.timeout(SURVEYED_WITHIN_S), asyncio.TaskGroup() as group:
                for server in servers_of(parameters):
                    group.create_task(ask(server))

    async def _connected(
        self, conninfo: str, parameters: Mapping[str, Any]
    ) -> "FailoverConnection":
        """Connect to one server, and learn its timeline."""
        connection = await FailoverConnection.connect(conninfo, **parameters)
        try:
            timeline = await connection.find_timeline()
        except BaseException:
            connection.pgconn.finish()
            raise
        if timeline > self.newest_timeline:
            if self.newest_timeline:
                logger.warning("another primary took over: its timeline is %d", timeline)
            self.newest_timeline = timeline
        return connection

    def tell_once(self, words: str) -> None:
        """Log that a server is refused, which every new connection finds again."""
        if words not in self._told:
            self._told.add(words)
            logger.error("%s: nothing is written there, fence it", words)

    def failed(self, server: Mapping[str, Any]) -> None:
        """Try others first from now on."""
        self._count += 1
        self._failures[str(server)] = self._count

    def _in_order(self, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        named = servers_of(parameters)
        return sorted(named, key=lambda server: self._failures.get(str(server), 0))


def servers_of(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what names each server in the parameters of a connection; one of a kind is itself."""
    hosts = str(parameters.get("host") or "").split(",")
    if len(hosts) == 1:
        return [{}]
    ports = str(parameters.get("port") or "").split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    return [
        {"host": host, "port": int(port or 5432)} for host, port in zip(hosts, ports, strict=True)
    ]


class FailoverConnection(psycopg.AsyncConnection[Any]):
    """A connection whose waits end, and which ends when a newer primary is known."""

    _servers: Servers | None = None
    _server: Mapping[str, Any]
    _timeline = 0
    _answers_within_s: float | None = FIRST_ANSWER_WITHIN_S

    def joins(self, servers: Servers, server: Mapping[str, Any]) -> None:
        """Be one of these from now on."""
        self._servers, self._server = servers, server

    def limit_answers(self, within_s: float | None) -> float | None:
        """Change what the server may take for an answer, and return what it was."""
        before, self._answers_within_s = self._answers_within_s, within_s
        return before

    async def find_timeline(self) -> int:
        """Return the server's timeline; 0: it has none."""
        is_autocommit = self.autocommit
        await self.set_autocommit(True)
        # Services that keep no such log have no standby of this kind either.
        with suppress(errors.InsufficientPrivilege, errors.FeatureNotSupported):
            self._timeline = int((await (await self.execute(_TIMELINE)).fetchone() or (0,))[0])
        await self.set_autocommit(is_autocommit)
        return self._timeline

    async def wait(
        self,
        gen: PQGen[_T],
        interval: float = _INTERVAL_S,
        timeout: float | None = None,  # noqa: ASYNC109  # psycopg's
    ) -> _T:
        """See `psycopg.AsyncConnection.wait`; the wait for an answer ends.

        Raises:
            OutdatedServerError: Another server was promoted meanwhile.
            psycopg.OperationalError: No answer came; the connection is closed.
        """
        self.refuse_outdated()
        if timeout is not None or self._answers_within_s is None:
            return await super().wait(gen, interval, timeout)
        try:
            return await super().wait(gen, interval, self._answers_within_s)
        except errors._WaitTimeout:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            self._give_up()
            raise psycopg.OperationalError(
                f"the server said nothing for {self._answers_within_s:g} s"
            ) from None

    async def cancel_safe(
        self,
        *,
        timeout: float = CANCELLED_WITHIN_S,  # noqa: ASYNC109  # psycopg's
    ) -> None:
        """See `psycopg.AsyncConnection.cancel_safe`; a server that stands still is not waited for.

        psycopg calls it when a task is cancelled in the middle of a statement.
        """
        try:
            await super().cancel_safe(timeout=min(timeout, CANCELLED_WITHIN_S))
        except errors.CancellationTimeout:
            self._give_up()
            raise

    def refuse_outdated(self) -> None:
        """End a connection to a server in whose place another one was promoted.

        Raises:
            OutdatedServerError: It was.
        """
        newest = self._servers.newest_timeline if self._servers else 0
        if self._servers is None or not 0 < self._timeline < newest or self.closed:
            return
        self._give_up()
        told = (
            f"a server was the primary until another one was promoted: its timeline is"
            f" {self._timeline}, and {newest} has been seen"
        )
        self._servers.tell_once(told)
        raise OutdatedServerError(told)

    def _give_up(self) -> None:
        if self._servers is not None:
            self._servers.failed(self._server)
        self.pgconn.finish()
