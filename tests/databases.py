"""Databases of tests: one server for a run, however many workers it has, and copies of templates.

What takes long is done once a run: starting the server, migrating, ingesting. A test gets a copy.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Coroutine, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.postgres.engine.embedded_account import exclusively
from core.adapters.postgres.engine.embedded_owner import admit_owner
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.record_ids import record_named
from core.adapters.postgres.engine.roles import DatabaseRole, as_embedded_login
from core.adapters.postgres.engine.schema import migrate
from core.adapters.postgres.record.audit_reader import newest_records, read_record
from core.adapters.system import SystemClock, UuidSource
from core.domain.audit import RecordLine, RecordView

MIGRATED = "citebound_template"
"""An empty database with our schema."""
MEMORY = Path("/dev/shm")  # noqa: S108  # the server's own folder below it is made by `mkdtemp`
ROOM = 4 * 1024**3
"""Bytes free in memory that let the server lie there; a run takes about 0.5 GB of them."""
PREFIX, LOCK = "citebound-test-", ".run"
CONNECTIONS = 300
"""Several workers share the server, each with products that have pools."""
POLL_S = 0.05
"""Between two looks at what another task or process has to write: each look costs a millisecond of
the processor."""
Fill = Callable[[str], Coroutine[Any, Any, None]]
"""Puts what a template holds into the database at a URL."""
_numbers = count()


def new_home() -> Path:
    """Make the folder of a run's server: in memory, where making and dropping a database is cheap,
    if there is room. Those of runs that were killed are removed.
    """
    can_write = os.access(MEMORY, os.W_OK | os.X_OK)
    in_memory = can_write and shutil.disk_usage(MEMORY).free > ROOM
    folder = MEMORY if in_memory else Path(tempfile.gettempdir())
    for lock in folder.glob(f"{PREFIX}*/{LOCK}"):
        with suppress(OSError), lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its run goes on
            remove(lock.parent)
    home = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
    home.chmod(0o755)
    held = os.open(home / f"{LOCK}.new", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)  # until this process ends
    (home / f"{LOCK}.new").rename(home / LOCK)
    return home


@contextmanager
def server(home: Path) -> Generator[str]:
    """Join the server of this run, or start it; the last to leave stops it."""
    with exclusively(home / ".first"):
        if not any(home.glob("*/postmaster.pid")):
            _tune(home)
        url = start_embedded(home, temporary=True)
    make_template(url, MIGRATED, fill=_migrate)
    yield url
    _engine_of_admin(url).dispose()
    _engine_of_admin.cache_clear()
    stop_embedded(home)


def remove(home: Path) -> None:
    """Remove the folder of a run, and end its server if a worker died without leaving it."""
    for _ in home.glob("*/postmaster.pid"):
        start_embedded(home, temporary=True)
        stop_embedded(home)
    shutil.rmtree(home, ignore_errors=True)


def make_template(server_url: str, name: str, *, fill: Fill, source: str | None = None) -> str:
    """Make a database to be copied, unless another worker has; return its URL.

    Whoever comes first fills it, the others wait; one that was left half filled is made again.
    """
    with admin(server_url) as connection, _only_worker(connection, name):
        known = text("SELECT 1 FROM pg_database WHERE datname = :name")
        if connection.scalar(known, {"name": name}) is None:
            unfinished = f"{name}_unfinished"
            connection.execute(text(f"DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)"))
            _copy(connection, unfinished, source)
            asyncio.run(fill(named(server_url, unfinished)))
            connection.execute(text(f"ALTER DATABASE {unfinished} RENAME TO {name}"))
    return named(server_url, name)


@contextmanager
def _only_worker(connection: Connection, name: str) -> Generator[None]:
    """Keep other workers out. The lock is the session's, which outlives the block."""
    lock = {"name": name}
    connection.execute(text("SELECT pg_advisory_lock(hashtext(:name))"), lock)
    try:
        yield
    finally:
        connection.execute(text("SELECT pg_advisory_unlock(hashtext(:name))"), lock)


@contextmanager
def copied(server_url: str, template: str) -> Generator[str]:
    """Copy a template, and drop the copy at the end."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    with admin(server_url) as connection:
        _copy(connection, name, template)
    yield named(server_url, name)
    with admin(server_url) as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@contextmanager
def admin(server_url: str) -> Generator[Connection]:
    """Connect as whoever makes and drops databases."""
    with _engine_of_admin(server_url).connect() as connection:
        yield connection


def named(server_url: str, database: str) -> str:
    """Return the URL of a database of the server."""
    return make_url(server_url).set(database=database).render_as_string(hide_password=False)


def as_role(url: str, role: DatabaseRole) -> str:
    """Return the URL of a database of the server for the login of a role."""
    return as_embedded_login(url, role)


def logins(url: str) -> dict[str, Any]:
    """Return the settings by which the product uses a database, with the rights that it has."""
    return {"database_url": _of_app(url), "migration_url": url}


def login_variables(url: str) -> dict[str, str]:
    """Return the same, as a process of its own reads them."""
    return {"DATABASE_URL": _of_app(url), "CITEBOUND_MIGRATION_URL": url}


def role_of(words: Sequence[str]) -> DatabaseRole:
    """Return of which role the login is that runs a command."""
    if words[:1] != ("audit",):
        return DatabaseRole.APP
    return _AUDIT.get(words[1], DatabaseRole.CONSOLE)


_AUDIT = {
    "affected": DatabaseRole.APP,
    "replay": DatabaseRole.APP,
    "seal": DatabaseRole.SEQUENCER,
    "rebase": DatabaseRole.SEQUENCER,
    "rotate-key": DatabaseRole.SEQUENCER,
    "verify": DatabaseRole.AUDITOR,
}


def _of_app(url: str) -> str:
    """Take on the role of the product on the server of the run; others have no such login."""
    if PREFIX not in url:
        return url  # it may name several hosts, which SQLAlchemy does not read
    is_ours = make_url(url).username == "postgres"
    return as_embedded_login(url, DatabaseRole.APP) if is_ours else url


def _copy(connection: Connection, name: str, source: str | None) -> None:
    template = f" TEMPLATE {source}" if source else ""
    # In memory, copying files costs a third of what logging each of their pages does.
    folder = str(connection.scalar(text("SHOW data_directory")))
    strategy = " STRATEGY FILE_COPY" if source and folder.startswith(f"{MEMORY}/") else ""
    connection.execute(text(f"CREATE DATABASE {name}{template}{strategy}"))


@cache
def _engine_of_admin(server_url: str) -> Engine:
    """Return an engine that keeps its connection: a new one costs as much as copying a database."""
    return create_engine(
        make_url(server_url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
    )


def _tune(home: Path) -> None:
    """Start the server once, and stop it: some settings are read at the start alone."""
    url = start_embedded(home)
    with admin(url) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes", "autovacuum"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(text(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}"))
        connection.execute(text("ALTER SYSTEM SET max_wal_size = '256MB'"))
    _engine_of_admin(url).dispose()
    stop_embedded(home)


async def _migrate(url: str) -> None:
    engine = engine_for(url, pooled=False)
    await migrate(engine)
    await engine.dispose()


def corpus_store(engine: AsyncEngine) -> PostgresCorpusStore:
    """Return the corpus of a database, as a command opens it."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test")
    return PostgresCorpusStore(engine, ledger=ledger, operator="console")


LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="default")


def admit_officer(url: str, officer: str) -> None:
    """Let somebody read the record of all units, recorded as a grant is."""
    with ThreadPoolExecutor(1) as beside:  # a test may have a loop of its own
        beside.submit(asyncio.run, admit_owner(url, officer, LEDGER)).result()


class UnrecordedReader:
    """The record as a test looks at it: its reading is nobody's."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def show(self, record_id: str) -> RecordView | None:
        """Return the one record that is meant."""
        async with self._engine.connect() as connection:
            found = await record_named(connection, record_id)
            return await read_record(connection, found) if found else None

    async def list(self, *, limit: int = 20, outcome: str | None = None) -> list[RecordLine]:
        """See `newest_records`."""
        async with self._engine.connect() as connection:
            return await newest_records(connection, limit=limit, outcome=outcome)
