"""The alarm clock: procrastinate's jobs, each naming a conversation that has something to do.

The only module that knows the queue. A job is deferred on the connection, and so within the
transaction, of what it is to follow. Jobs of one kind and conversation share a lock: one at a time.

Each kind has a queue and slots of its own, so that no reply waits behind questions.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import psycopg
import psycopg_pool
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import (
    Limits,
    connect_arguments,
    goes_by_pooler,
    raises_transient,
)
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.rescue import Rescuer
from core.cancellation import end_if_cancelled
from core.domain.errors import TransientError
from core.ports import Handler, Handlers, JobKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Where jobs of one kind wait."""

    name: str
    """As procrastinate knows it."""
    slots: int
    """Jobs of a process that run at a time."""


QUEUES: Mapping[JobKind, Queue] = {
    "answer": Queue(name="citebound", slots=8),
    "deliver": Queue(name="citebound-deliveries", slots=8),
}
"""With one queue for both, replies stood behind all questions of a burst: of 150 within 5 s, the
last were recorded after 11.8 s and posted after 19.2 s."""
AHEAD = 10
"""Priority of a job that others give way to; theirs is 0."""
CONNECTIONS = 6
"""Of the queue's pool: both workers fetch and end jobs at a time."""
POLLED_EVERY_S = 0.2
"""At procrastinate's 5 s the second job of a lock waits that long."""
BEATS_EVERY_S = 2.0
STALLED_AFTER_S = 10.0
DRAINED_WITHIN_S = 20.0
"""What a shutdown leaves to jobs that have begun."""
TOLD_EVERY_S = 0.05
RESTARTED_AFTER_S = 1.0
"""How long a worker rests that lost its database."""

logger = logging.getLogger(__name__)


class PostgresJobs:
    """See `core.ports.Jobs`."""

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        limits: Limits | None = None,
        stalled_after_s: float = STALLED_AFTER_S,
    ) -> None:
        """Use a migrated database; nothing connects yet. `limits` hold for the queue's own."""
        self._engine = engine
        self._limits = limits
        self._stalled_after_s = stalled_after_s
        self._app = App(connector=PsycopgConnector())

    async def defer(
        self,
        connection: AsyncConnection,
        kind: JobKind,
        conversation_id: str,
        *,
        at: datetime | None = None,
        is_ahead: bool = False,
    ) -> None:
        """Defer a job within the transaction of a connection; None: for now.

        `is_ahead`: it is run before those that wait.

        Raises:
            TransientError: The queue refused it, and the transaction is lost.
        """
        raw = (await connection.get_raw_connection()).driver_connection
        job = self._app.configure_task(
            kind,
            queue=QUEUES[kind].name,
            lock=lock_of(kind, conversation_id),
            schedule_at=at,
            priority=AHEAD if is_ahead else 0,
            connection=raw,
        )
        try:
            await job.defer_async(conversation_id=conversation_id)
        except ConnectorException as error:
            raise TransientError("the queue took no job") from error

    async def defer_now(
        self,
        connection: AsyncConnection,
        kind: JobKind,
        conversation_ids: Sequence[str],
        *,
        ahead: Collection[str] = (),
    ) -> None:
        """Defer a job for each conversation, those of `ahead` before all that wait; see `defer`."""
        if not conversation_ids:
            return
        raw = (await connection.get_raw_connection()).driver_connection
        jobs = [
            self._app.configure_task(
                kind,
                queue=QUEUES[kind].name,
                lock=lock_of(kind, conversation_id),
                priority=AHEAD if conversation_id in ahead else 0,
            ).make_new_job(conversation_id=conversation_id)
            for conversation_id in conversation_ids
        ]
        try:
            await self._app.job_manager.batch_defer_jobs_async(jobs, connection=raw)
        except ConnectorException as error:
            raise TransientError("the queue took no job") from error

    @raises_transient
    @begun_again
    async def wake(self, kind: JobKind, conversation_id: str, /, *, at: datetime) -> None:
        """See `Jobs.wake`."""
        async with self._engine.begin() as connection:
            await self.defer(connection, kind, conversation_id, at=at)

    async def run(self, handlers: Handlers, /) -> None:
        """See `Jobs.run`."""
        while True:
            try:
                await self._run_once(handlers)
            except* (ConnectorException, psycopg.Error, psycopg_pool.PoolTimeout, OSError):
                logger.warning("the queue lost its database, and begins again", exc_info=True)
            end_if_cancelled()
            await asyncio.sleep(RESTARTED_AFTER_S)

    async def _run_once(self, handlers: Handlers) -> None:
        app = self._open(handlers)
        rescuer = Rescuer(
            self._engine, app.job_manager, self.defer, stalled_after_s=self._stalled_after_s
        )
        workers = [self._worker(app, queue) for queue in QUEUES.values()]
        async with _connected(app), asyncio.TaskGroup() as group:
            end_if_cancelled()
            rescuing = group.create_task(rescuer.run())
            working = {group.create_task(worker.run()) for worker in workers}
            try:
                await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await _stopped(workers, working)
                rescuing.cancel()

    def _worker(self, app: App, queue: Queue) -> Worker:
        return Worker(
            app=app,
            queues=[queue.name],
            concurrency=queue.slots,
            fetch_job_polling_interval=POLLED_EVERY_S,
            update_heartbeat_interval=min(BEATS_EVERY_S, self._stalled_after_s / 3),
            stalled_worker_timeout=self._stalled_after_s,
            shutdown_graceful_timeout=DRAINED_WITHIN_S,
            install_signal_handlers=False,
            delete_jobs="always",
            # By a pooler nobody would be told: a session that listens is given to others.
            listen_notify=not goes_by_pooler(self._engine),
        )

    def _open(self, handlers: Handlers) -> App:
        url = self._engine.url.set(drivername="postgresql")
        app = App(
            connector=PsycopgConnector(
                conninfo=url.render_as_string(hide_password=False),
                kwargs=connect_arguments(url, self._limits, by_pooler=goes_by_pooler(self._engine)),
                min_size=1,
                max_size=CONNECTIONS,
            )
        )
        # Both workers know both kinds: the release before put all jobs into one queue.
        by_kind: Mapping[JobKind, Handler] = {
            "answer": handlers.answer,
            "deliver": handlers.deliver,
        }
        for kind, handler in by_kind.items():
            app.task(name=kind, queue=QUEUES[kind].name)(_named(handler))
        return app


@asynccontextmanager
async def _connected(app: App) -> AsyncGenerator[None]:
    """Open the queue's pool, and close it also where its opening was cancelled.

    A pool that is left open keeps tasks of its own, of which one may not hear that it is cancelled:
    the process would never end.
    """
    try:
        async with app.open_async():
            yield
    finally:
        await app.close_async()


async def _stopped(workers: Sequence[Worker], working: set[asyncio.Task[None]]) -> None:
    """Let workers finish what they have begun. Told to stop, not cancelled: they might not hear it.

    Told again and again, since a worker that has not yet begun forgets that it was told.
    """
    while any(not task.done() for task in working):
        for worker in workers:
            worker.stop()
        await asyncio.wait(working, timeout=TOLD_EVERY_S)


def lock_of(kind: JobKind, conversation_id: str) -> str:
    """Return the lock that jobs of one kind and conversation share."""
    return f"{kind}:{conversation_id}"


def _named(handler: Handler):
    async def run(conversation_id: str) -> None:
        await handler(conversation_id)

    return run
