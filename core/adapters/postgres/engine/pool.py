"""The connections that a process keeps: how many, whether they live, and who waits for one."""

from time import monotonic
from typing import Any, cast

from sqlalchemy import AsyncAdaptedQueuePool, PoolProxiedConnection, event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.failover import FailoverConnection
from core.ports.operations import ConnectionUse

KEPT, OVERFLOW = 8, 8
"""Connections of a process that stay open, and that may be opened beyond them."""
RESTED_S = 1.0
"""Seconds without use from which a pooled connection may have died unnoticed. One that dies sooner
fails a statement, and the unit of work begins again with another."""
PINGED_WITHIN_S = 2.0
"""What a server may take to say that it lives: less than probes and platforms wait for us."""


class CountedPool(AsyncAdaptedQueuePool):
    """Counts who waits for a connection: the pool itself does not tell."""

    # Named by its module it would log as one of ours, each connection with its words.
    _sqla_logger_namespace = "sqlalchemy.pool.CountedPool"

    waiting = 0
    """How many wait for one, or for one to be opened."""

    def connect(self) -> PoolProxiedConnection:
        """See `Pool.connect`."""
        self.waiting += 1
        try:
            return super().connect()
        finally:
            self.waiting -= 1


def connection_use(engine: AsyncEngine) -> ConnectionUse | None:
    """Say how the connections of a pool are used; None: the engine keeps none."""
    pool = engine.sync_engine.pool
    if not isinstance(pool, CountedPool):
        return None
    return ConnectionUse(
        idle=pool.checkedin(),
        in_use=pool.checkedout(),
        overflow=max(0, pool.overflow()),
        most=KEPT + OVERFLOW,
        waiting=pool.waiting,
    )


def ping_after_rest(engine: AsyncEngine) -> None:
    """Ask a connection whether it lives before it is used again, if it has rested.

    SQLAlchemy's own `pool_pre_ping` asks each time: one more round trip for each transaction.
    """
    pool, dialect = engine.sync_engine.pool, engine.dialect

    @event.listens_for(pool, "checkin")
    def _rests(_: object, record: PoolProxiedConnection) -> None:
        record.info["rests_since"] = monotonic()

    @event.listens_for(pool, "checkout")
    def _wakes(connection: Any, record: PoolProxiedConnection, _: object) -> None:
        rested_s = monotonic() - record.info.get("rests_since", monotonic())
        if rested_s < RESTED_S:
            return
        session = cast("FailoverConnection", connection.driver_connection)
        before = session.limit_answers(PINGED_WITHIN_S)
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            # What took this one took the others that rest as well.
            raise InvalidatePoolError("it died while it rested") from error
        session.limit_answers(before)
