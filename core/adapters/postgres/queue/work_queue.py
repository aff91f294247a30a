"""The queue: conversations with an unfinished message or an unsettled reply that is due.

Rows of the inbox and the outbox are the queue; nothing else says that there is work. A row is due
once its `next_at` and its lease have passed, and a conversation when its first row is, so that its
messages are answered and its replies posted one after the other. Handlers claim rows under leases:
a conversation that two processes find at the same time is worked on by one of them, and that of a
process that was killed or stands still is found again when its lease ends. Nothing is begun in a
schema that this release does not work with.

Triggers notify of new rows in the transaction that stores them. Every process also looks by itself:
when the next row becomes due, and at least once a second in case a notification was lost.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import cast

import psycopg
from sqlalchemy import ARRAY, Text, TextClause, bindparam, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import goes_by_pooler, oldest_release
from core.adapters.postgres.engine.schema import newest_revision, suits
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.queue.rate_limits import Housekeeping
from core.cancellation import end_if_cancelled
from core.domain.errors import raised_at
from core.domain.limits import ANSWERED_AT_A_TIME
from core.ports import Handler, Handlers, WorkKind
from core.ports.operations import SlotUse

SLOTS: Mapping[WorkKind, int] = {"answer": ANSWERED_AT_A_TIME, "deliver": 8}
"""Conversations of a process that are worked on at a time, at most. Each kind has slots of its own:
with one queue for both, replies stood behind all questions of a burst."""
CHANNEL = "citebound_due"
"""Of the notifications; the payload is the kind."""
POLLED_EVERY_S = 1.0
"""How long a lost notification delays a conversation."""
POLLED_BY_POOLER_EVERY_S = 0.2
"""By a pooler nobody is notified: a session that listens is handed to other clients."""
SHORTEST_WAIT_S = 0.01
CHECKED_EVERY_S = 10.0
"""How often a connection that listens is asked whether it still lives."""
RESTED_S = 2.0
"""How long a process leaves a conversation alone whose handler raised."""
DRAINED_WITHIN_S = 20.0
"""What a shutdown leaves to work that has begun."""
RESTARTED_AFTER_S = 1.0
"""Pause after the database was lost."""

_ANSWER = """
SELECT DISTINCT ON (conversation_id) conversation_id::text AS conversation, is_ahead, id,
  extract(epoch FROM greatest(next_at, lease_until) - clock_timestamp())::float AS due_in_s
FROM citebound.inbox WHERE state IN ('received', 'running')
ORDER BY conversation_id, coalesce(lease_until > clock_timestamp(), false) DESC, is_ahead DESC, id
"""
"""A row that is being answered stands for its conversation; else a report, else the oldest."""
_DELIVER = """
SELECT DISTINCT ON (conversation_id) conversation_id::text AS conversation, false AS is_ahead, id,
  extract(epoch FROM greatest(next_at, lease_until) - clock_timestamp())::float AS due_in_s
FROM citebound.outbox WHERE settled_at IS NULL ORDER BY conversation_id, id
"""


def _due(first_rows: str) -> TextClause:
    """Return the conversations that are due in the order of their turn, then those to come."""
    return text(
        "SELECT conversation, due_in_s,"  # noqa: S608  # constants
        " (SELECT version_num FROM citebound.alembic_version) AS revision"
        f" FROM ({first_rows}) AS first"
        " WHERE conversation <> ALL(:excluded)"
        " ORDER BY greatest(due_in_s, 0), is_ahead DESC, id LIMIT :limit"
    ).bindparams(bindparam("excluded", type_=ARRAY(Text)))


_DUE: Mapping[WorkKind, TextClause] = {"answer": _due(_ANSWER), "deliver": _due(_DELIVER)}

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Lane:
    """Work of one kind in this process."""

    kind: WorkKind
    handler: Handler
    limit: Callable[[], int] | None = None
    """Says how many conversations at a time, if fewer than `SLOTS`; None: as many."""
    busy: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, "asyncio.Task[None]"])
    """Conversations that are worked on."""
    resting: dict[str, float] = field(default_factory=dict[str, float])
    """Conversations whose handler raised, and until when they are left alone (`monotonic`)."""
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    """Something may have become due, or a slot free."""

    @property
    def free(self) -> int:
        most = SLOTS[self.kind]
        return (min(most, self.limit()) if self.limit else most) - len(self.busy)

    def excluded(self) -> list[str]:
        now = monotonic()
        self.resting = {name: until for name, until in self.resting.items() if until > now}
        return [*self.busy, *self.resting]

    def begin(self, conversation_id: str, group: asyncio.TaskGroup) -> None:
        self.busy[conversation_id] = group.create_task(self._handle(conversation_id))

    async def _handle(self, conversation_id: str) -> None:
        try:
            await self.handler(conversation_id)
        except Exception as error:
            # Name and place alone: what Postgres says of a refused row holds the row, text and all.
            logger.error(  # noqa: TRY400
                "%s of a conversation: %s at %s", self.kind, type(error).__name__, raised_at(error)
            )
            self.resting[conversation_id] = monotonic() + RESTED_S
        finally:
            del self.busy[conversation_id]
            self.woken.set()


class PostgresWorkQueue:
    """See `core.ports.WorkQueue`."""

    def __init__(self, engine: AsyncEngine, *, housekeeping: Housekeeping | None = None) -> None:
        self._engine = engine
        self._listens = not goes_by_pooler(engine)
        self._housekeeping = housekeeping or Housekeeping(engine)
        self._lanes: tuple[_Lane, ...] = ()
        self._suits = {newest_revision(): True}

    def slots(self) -> Mapping[WorkKind, SlotUse]:
        """See `WorkQueue.slots`."""
        return {
            lane.kind: SlotUse(busy=len(lane.busy), free=max(0, lane.free)) for lane in self._lanes
        }

    async def run(self, handlers: Handlers, /) -> None:
        """See `WorkQueue.run`."""
        lanes = self._lanes = (
            _Lane(kind="answer", handler=handlers.answer, limit=handlers.answers),
            _Lane(kind="deliver", handler=handlers.deliver),
        )
        async with asyncio.TaskGroup() as group:
            looking = [group.create_task(self._dispatch(lane, group)) for lane in lanes]
            looking.append(group.create_task(self._housekeeping.run()))
            if self._listens:
                looking.append(group.create_task(self._listen(lanes)))
            try:
                await asyncio.Event().wait()
            finally:
                for task in looking:
                    task.cancel()
                await _drained(lanes)

    async def _dispatch(self, lane: _Lane, group: asyncio.TaskGroup) -> None:
        """Give conversations to handlers, as they become due and slots become free."""
        while True:
            lane.woken.clear()
            try:
                wait_s = await self._begin_due(lane, group)
            except (SQLAlchemyError, OSError):
                logger.warning("the queue lost its database, and is retrying", exc_info=True)
                await asyncio.sleep(RESTARTED_AFTER_S)
                continue
            end_if_cancelled()
            try:
                async with asyncio.timeout(wait_s):
                    await lane.woken.wait()
            except TimeoutError:
                pass

    async def _begin_due(self, lane: _Lane, group: asyncio.TaskGroup) -> float:
        """Begin what is due, and return the seconds after which to look again."""
        poll_s = POLLED_EVERY_S if self._listens else POLLED_BY_POOLER_EVERY_S
        if lane.free <= 0:
            return poll_s
        async with connected(self._engine, "AUTOCOMMIT") as connection:
            found = await connection.execute(
                _DUE[lane.kind], {"excluded": lane.excluded(), "limit": lane.free}
            )
            rows = found.all()
            if rows and not await self._suits_us(rows[0].revision, connection):
                return poll_s
        for row in rows:
            if row.due_in_s > 0:
                return max(SHORTEST_WAIT_S, min(row.due_in_s, poll_s))
            lane.begin(row.conversation, group)
        return poll_s

    async def _suits_us(self, revision: str, connection: AsyncConnection) -> bool:
        """Say whether this release works with a schema: it may be migrated at any time."""
        if revision not in self._suits:
            self._suits[revision] = suits(revision, await oldest_release(connection))
            if not self._suits[revision]:
                logger.error("the schema is at %s: nothing is begun by this release", revision)
        return self._suits[revision]

    async def _listen(self, lanes: Sequence[_Lane]) -> None:
        """Wake the lanes when the database notifies of new rows."""
        while True:
            try:
                await self._hear(lanes)
            except (SQLAlchemyError, psycopg.Error, OSError):
                logger.warning("notifications were interrupted; listening again", exc_info=True)
            end_if_cancelled()
            await asyncio.sleep(RESTARTED_AFTER_S)

    async def _hear(self, lanes: Sequence[_Lane]) -> None:
        async with connected(self._engine, "AUTOCOMMIT") as connection:
            raw = (await connection.get_raw_connection()).driver_connection
            session = cast("psycopg.AsyncConnection[object]", raw)
            try:
                await session.execute(f"LISTEN {CHANNEL}")
                for lane in lanes:
                    lane.woken.set()
                while True:
                    async for notified in session.notifies(timeout=CHECKED_EVERY_S):
                        for lane in lanes:
                            if lane.kind == notified.payload:
                                lane.woken.set()
                    await session.execute("SELECT 1")
                    end_if_cancelled()
            finally:
                # No other user of the pool shall get a session that listens.
                await connection.invalidate()


async def _drained(lanes: Sequence[_Lane]) -> None:
    """Let handlers that have begun end; those that take too long are cancelled by their group."""
    running = [task for lane in lanes for task in lane.busy.values()]
    if running:
        await asyncio.wait(running, timeout=DRAINED_WITHIN_S)
