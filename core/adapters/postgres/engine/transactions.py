"""How transactions are repeated, and the locks that they hold.

Only methods that may be repeated are: each writes under a key or a lease, so that one whose COMMIT
was in doubt finds what it has done.

A lock belongs to a transaction, never to a session: it ends with the transaction whatever becomes
of the process, and a pooler that hands one session to many clients can't lose it. Processes that
serve people wait for a lock no longer than their statements may run; a command says that it waits,
and gives up after a while.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from enum import IntEnum, StrEnum, unique
from functools import wraps
from types import CoroutineType
from typing import Any, Literal, ParamSpec, TypeVar

import psycopg
from sqlalchemy import ARRAY, Connection, Text, bindparam, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import goes_by_pooler
from core.adapters.postgres.engine.reach import is_for_officers
from core.domain.errors import OccupiedError

ATTEMPTS = 3
PAUSES_S = (0.05, 0.25)
"""After the first attempt and the second."""
JITTER = 0.5
ENDED = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})
"""Serialization failure, deadlock; shut down by an administrator, crashed, not yet accepting."""
CONNECTION = "08"
"""Class of connection exceptions (Postgres, appendix A)."""

IsolationLevel = Literal["AUTOCOMMIT", "REPEATABLE READ"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def begun_again(
    method: "Callable[_P, CoroutineType[Any, Any, _T]]",
) -> "Callable[_P, CoroutineType[Any, Any, _T]]":
    """Let a method of a store run anew where the database ended its transaction."""

    @wraps(method)
    async def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        for pause_s in PAUSES_S:
            try:
                return await method(*args, **kwargs)
            except DBAPIError as error:
                if not is_passing(error):
                    raise
            spread = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  # no secret
            await asyncio.sleep(pause_s * spread)
        return await method(*args, **kwargs)

    return wrapped


def is_passing(error: DBAPIError) -> bool:
    """Say whether the same transaction, begun anew, may succeed."""
    code: str | None = getattr(error.orig, "sqlstate", None)
    if code is None:
        # A connection that broke, or was never made, has no code of the server's.
        return error.connection_invalidated or isinstance(error.orig, psycopg.OperationalError)
    return code in ENDED or code.startswith(CONNECTION)


@unique
class AdvisoryLock(IntEnum):
    """What only one may do at a time.

    7_203_114_027 and 7_203_114_034 are not used again: a process of an older release may hold them.
    """

    MIGRATING = 7_203_114_026
    """One process migrates the schema."""
    BUILDING_EVALUATION = 7_203_114_028
    """One process builds an evaluated corpus, others wait for it."""
    FILLING_SPACES = 7_203_114_029
    """One process fills embedding spaces, so that no text is embedded twice."""
    ROTATING = 7_203_114_030
    """Seed of a lock for each workspace: one process exchanges its refresh token, others wait."""
    COUNTING_CASES = 7_203_114_031
    """Seed of a lock for each asker: two answers at once do not open one case too many."""
    PUBLISHING = 7_203_114_032
    """Publication is serialised, so that editions have one order."""
    COUNTING_WAITING = 7_203_114_033
    """Seed of a lock for each asker: of two messages at once only one is the last that may wait."""
    ERASING = 7_203_114_035
    """Taken by functions of the database: what is being erased is not held at the same time."""
    ACTIVATING_CALIBRATION = 7_203_114_036
    """Seed of a lock for each kind of reasoner: who decides has seen what was in force."""
    TELLING_OFFICERS = 7_203_114_037
    """Seed of a lock for each kind of notice: two processes do not tell of the same thing."""
    INGESTING = 7_203_114_038
    """Seed of a lock for each run of `ingest`, held while it goes on: it tells by itself."""


@unique
class TableLock(StrEnum):
    """A table that is locked so that only one does something, where others may not stop it.

    Every login can take any advisory lock; a table's only who may write to it.
    """

    SEALING = "citebound.sealing"
    """One process gives records their places in the ledger."""


UNSAID_S = 1.0
"""Shorter waits are not worth a line: two commands that publish many files meet at each."""
PUBLISHED_WITHIN_S = 120.0
"""How long a command waits for another publication: one file takes seconds to store."""
MIGRATED_WITHIN_S = 600.0
"""How long a start waits for another one that migrates: one statement may take as long."""
BUILT_WITHIN_S = 3_600.0
"""How long an evaluation waits for another one that builds the same corpus."""

_BUSY_WITH = {
    AdvisoryLock.MIGRATING: "migrates the database",
    AdvisoryLock.BUILDING_EVALUATION: "builds the evaluated corpus",
    AdvisoryLock.PUBLISHING: "publishes",
    TableLock.SEALING: "seals the ledger",
}
_TRY = text("SELECT pg_try_advisory_xact_lock(:key)")
_WAIT = text("SELECT pg_advisory_xact_lock(:key)")
_WAIT_FOR_TABLE = {lock: text(f"LOCK TABLE {lock} IN EXCLUSIVE MODE") for lock in TableLock}
_TRY_ONE = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, :seed))")
_WAIT_FOR_ONE = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, :seed))")
_WAIT_FOR_EACH = text(
    "SELECT pg_advisory_xact_lock(hashtextextended(name, :seed)) FROM"
    " (SELECT DISTINCT name FROM unnest(:names) AS given(name) ORDER BY name) AS ordered"
).bindparams(bindparam("names", type_=ARRAY(Text)))
_LIMIT_OF_NOW = text("SELECT current_setting('lock_timeout')")
_LIMIT = text("SELECT set_config('lock_timeout', :limit, true)")
_IDLES = text("SET LOCAL idle_in_transaction_session_timeout = 0")
"""Last in a transaction that only holds a lock: the statement before keeps its snapshot until then,
and an index that is built meanwhile would wait for whoever has an older one."""
_NOTICES_LOSS = text(
    "SELECT set_config('tcp_keepalives_idle', '60', true),"
    " set_config('tcp_keepalives_interval', '20', true),"
    " set_config('tcp_keepalives_count', '3', true)"
)
"""After two minutes the server gives up a connection whose machine lost its power or its network.
Most systems wait two hours, during which it would hold the lock."""
_GAVE_UP = frozenset({"55P03", "57014"})
"""`lock_not_available`, `query_canceled`: the limit is over, or that of the whole statement."""

logger = logging.getLogger(__name__)


@asynccontextmanager
async def connected(
    engine: AsyncEngine, isolation_level: IsolationLevel
) -> AsyncGenerator[AsyncConnection]:
    """Lend a connection whose transactions are isolated so.

    An engine's own `isolation_level` is set before the connection is ours to close: a task that is
    cancelled at this moment leaves it checked out.
    """
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level=isolation_level)
        yield connection


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Lend a connection for statements that only read, each a transaction of its own.

    It needs no BEGIN and no ROLLBACK: two round trips fewer, and psycopg keeps its prepared
    statements, which it forgets at each rollback. By a pooler the limits belong to a transaction.
    """
    if goes_by_pooler(engine) or is_for_officers(engine):
        async with engine.connect() as connection:
            yield connection
    else:
        async with connected(engine, "AUTOCOMMIT") as connection:
            yield connection


def wait_for(connection: Connection, lock: AdvisoryLock | TableLock, *, within_s: float) -> None:
    """Take a lock for the rest of the transaction; say so if somebody else has it for long.

    Raises:
        OccupiedError: Somebody else had it all the time.
    """
    if isinstance(lock, AdvisoryLock) and connection.scalar(_TRY, {"key": lock}):
        return
    if _taken(connection, lock, within_s=min(UNSAID_S, within_s)):
        return
    others = f"another process {_BUSY_WITH[lock]}"
    logger.warning("%s: waiting for it, %.0f s at most", others, within_s)
    if not _taken(connection, lock, within_s=within_s):
        raise OccupiedError(
            f"{others}, and has not ended within {within_s:.0f} s: try again later, or end it"
        )


def _taken(connection: Connection, lock: AdvisoryLock | TableLock, *, within_s: float) -> bool:
    """Wait for a lock, and say whether it came; other limits of the transaction stay."""
    before = connection.scalar(_LIMIT_OF_NOW)
    waiting = connection.begin_nested()
    connection.execute(_LIMIT, {"limit": f"{max(1, round(within_s * 1_000))}ms"})
    try:
        if isinstance(lock, TableLock):
            connection.execute(_WAIT_FOR_TABLE[lock])
        else:
            connection.execute(_WAIT, {"key": lock})
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) not in _GAVE_UP:
            raise
        waiting.rollback()
        return False
    waiting.commit()
    connection.execute(_LIMIT, {"limit": before})
    return True


async def wait_for_publishing(connection: AsyncConnection) -> None:
    """Be the only transaction that publishes.

    Raises:
        OccupiedError: See `wait_for`.
    """
    await connection.run_sync(wait_for, AdvisoryLock.PUBLISHING, within_s=PUBLISHED_WITHIN_S)


async def wait_for_each(
    connection: AsyncConnection, lock: AdvisoryLock, names: Sequence[str]
) -> None:
    """Take the locks of several among many, in one order, so that nobody waits in a circle."""
    await connection.execute(_WAIT_FOR_EACH, {"names": list(names), "seed": lock})


async def wait_for_one(connection: AsyncConnection, lock: AdvisoryLock, name: str) -> None:
    """Take the lock of one among many, within the time of the transaction's statements."""
    await connection.execute(_WAIT_FOR_ONE, {"name": name, "seed": lock})


@contextmanager
def held(connection: Connection, lock: AdvisoryLock, *, within_s: float) -> Generator[None]:
    """Hold a lock while others of our connections work; this one does nothing else.

    Raises:
        OccupiedError: See `wait_for`.
    """
    with connection.begin():
        wait_for(connection, lock, within_s=within_s)
        connection.execute(_IDLES)
        yield


@asynccontextmanager
async def held_meanwhile(
    engine: AsyncEngine, lock: AdvisoryLock, *, within_s: float
) -> AsyncGenerator[None]:
    """Hold a lock on a connection of its own.

    Raises:
        OccupiedError: See `wait_for`.
    """
    async with engine.connect() as connection, connection.begin():
        await connection.run_sync(wait_for, lock, within_s=within_s)
        await connection.execute(_IDLES)
        yield


@asynccontextmanager
async def held_if_free(
    engine: AsyncEngine, lock: AdvisoryLock, *, name: str | None = None
) -> AsyncGenerator[bool]:
    """Hold a lock on a connection of its own, if nobody else does; say whether it is ours.

    Args:
        engine: makes the connection.
        lock: the lock, or the seed of one among many.
        name: which among many; None: there is one.
    """
    given = {"key": lock} if name is None else {"name": name, "seed": lock}
    async with engine.connect() as connection, connection.begin():
        is_ours = bool(await connection.scalar(_TRY if name is None else _TRY_ONE, given))
        await connection.execute(_NOTICES_LOSS)
        await connection.execute(_IDLES)
        yield is_ours
