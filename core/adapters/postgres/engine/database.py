"""Engines for a Postgres, and what its server says of itself: reachable, new enough, in UTF8."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from inspect import iscoroutinefunction
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar, cast

import psycopg
from sqlalchemy import (
    URL,
    Connection,
    NullPool,
    TextClause,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from core.adapters.postgres.engine.failover import Servers, servers_of
from core.adapters.postgres.engine.pool import KEPT, OVERFLOW, CountedPool, ping_after_rest
from core.adapters.postgres.engine.reach import name_readers
from core.adapters.postgres.engine.roles import LoginFacts, login_facts
from core.domain.errors import ConfigError, TransientError

MINIMUM_POSTGRES = 15
"""`security_invoker` views came with it (release notes of Postgres 15)."""
MINIMUM_PGVECTOR = (0, 8)
"""Iterative index scans came with it (CHANGELOG of pgvector 0.8.0)."""
ENCODING = "UTF8"
BY_POOLER, SERVERS = "citebound_by_pooler", "citebound_servers"
"""Options of an engine."""
LEADING = (
    *("PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "PGSYSCONFDIR", "PGOPTIONS"),
    *("PGTARGETSESSIONATTRS", "PGLOADBALANCEHOSTS", "PGDATESTYLE", "PGTZ", "PGGEQO"),
)
"""How variables of libpq begin that lead to another database, or change what a session sees there
(Postgres manual, 34.15)."""
_SECRETS = ("password", "sslpassword")
"""What a URL may say in its query as well."""

_SERVER = text(
    "SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),"
    " pg_backend_pid()"
)
_READABLE = text(
    "SELECT has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
    " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace"
    " WHERE nspname = 'citebound' AND relname = :name"
)
SERVER_TIME = text("SELECT clock_timestamp()")
_REVISION = text("SELECT version_num FROM citebound.alembic_version")
_OLDEST_RELEASE = text(
    "SELECT oldest_release FROM citebound.schema_compatibility"
    " JOIN citebound.alembic_version ON version_num = revision"
)

_P = ParamSpec("_P")
_T = TypeVar("_T")
_S = TypeVar("_S")


def raises_transient(
    method: "Callable[_P, CoroutineType[Any, Any, _T]]",
) -> "Callable[_P, CoroutineType[Any, Any, _T]]":
    """Let a method of a store raise `TransientError` where the database failed."""

    @wraps(method)
    async def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return await method(*args, **kwargs)
        except (DBAPIError, PoolTimeoutError, OSError) as error:
            raise TransientError(f"the database failed: {cause_of(error)}") from error

    return wrapped


def database_store(store: type[_S]) -> type[_S]:
    """Let every public coroutine of a store raise `TransientError` where the database failed."""
    for name, method in list(vars(store).items()):
        if not name.startswith("_") and iscoroutinefunction(method):
            setattr(store, name, raises_transient(method))
    return store


class EngineStore:
    """A store on an engine of its own."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine


def failure_of(error: BaseException) -> TransientError | None:
    """Return what a command says of a database that takes no connection, or lost it; else None."""
    if not isinstance(error, OperationalError | psycopg.OperationalError):
        return None
    cure = "see whether it runs, and has connections left (max_connections, CONNECTION LIMIT)"
    return TransientError(f"the database failed: {cause_of(error)}; {cure}")


def cause_of(error: BaseException) -> str:
    """Return what the database said, in one line."""
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


class UnreachableError(ConfigError):
    """A database can't be reached: it is not there yet, or never will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What a server says of itself."""

    postgres: int
    """Major version."""
    encoding: str
    """Of the database."""
    pgvector: str | None
    """Installed version, or the one that would be; None: not there."""
    revision: str | None
    """Newest migration applied; None: none, or none that this login may read of."""
    oldest_release: str | None
    """Newest migration of the oldest release that works with this schema; None: it says nothing."""
    login: LoginFacts
    """As whom we ask."""
    is_pooled: bool
    """Whether a pooler such as PgBouncer stands between, which may hand a session to others after
    each transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the server works and waits for one statement of ours, in milliseconds."""

    statement_ms: int = 10_000
    """For a whole statement."""
    lock_ms: int = 2_000
    """For a lock, advisory ones among them."""
    idle_ms: int = 10_000
    """Between two statements of a transaction."""
    silent_ms: int = 12_000
    """Until a server counts as standing still that neither answers nor ends the statement."""

    def settings(self) -> dict[str, int]:
        """Return them as Postgres calls them."""
        return {
            "statement_timeout": self.statement_ms,
            "lock_timeout": self.lock_ms,
            "idle_in_transaction_session_timeout": self.idle_ms,
        }


SERVING = Limits()
"""Of processes that serve people. Commands have none: publication
waits for its turn, and an index takes as long as it takes."""
CONNECTED_WITHIN_S = 3
UNACKNOWLEDGED_MS = 5_000
"""How long what was sent may stay unacknowledged until the connection counts as broken."""


PLANS = {"plan_cache_mode": "force_custom_plan"}
"""A plan made for the arrays of any question takes ten times as long on 13,000 sections as one made
for those of this one; the search, whose plan is the same for all, says otherwise for itself."""


def connect_arguments(
    url: URL, limits: Limits | None, *, by_pooler: bool = False, pooled: bool = False
) -> dict[str, Any]:
    """Return what libpq is told beside the URL; what the URL says itself stays.

    By a pooler nothing is kept in a session, and it refuses a start with options. Only connections
    that are used again (`pooled`) keep plans.
    """
    given: dict[str, Any] = {
        "connect_timeout": CONNECTED_WITHIN_S,
        "tcp_user_timeout": UNACKNOWLEDGED_MS,
    }
    told = {key: value for key, value in given.items() if key not in url.query}
    # Text is read as text whatever the URL says: from a database in SQL_ASCII it came as bytes.
    told["client_encoding"] = "utf8"
    if by_pooler:
        told["prepare_threshold"] = None
        return told
    settings = {**(limits.settings() if limits else {}), **(PLANS if pooled else {})}
    if settings:
        own = url.query.get("options", "")
        words = [own] if isinstance(own, str) else list(own)
        # Ours stand first: of two that differ the server takes the last.
        ours = (f"-c {name}={value}" for name, value in settings.items())
        told["options"] = " ".join([*ours, *words]).strip()
    return told


def forget_variables(*prefixes: str) -> None:
    """Take out of the environment what libpq would read where a URL says nothing.

    Credentials and TLS stay, but for the embedded server, which has none.
    """
    variables = os.environ  # noqa: TID251  # libpq reads it, we only take away
    for name in [name for name in variables if name.startswith(prefixes or LEADING)]:
        del variables[name]


def engine_for(
    url: str,
    *,
    pooled: bool = True,
    limits: Limits | None = None,
    by_pooler: bool = False,
    servers: Servers | None = None,
) -> AsyncEngine:
    """Return an engine for a Postgres URL; nothing connects yet.

    Args:
        url: where.
        pooled: False opens a connection each time.
        limits: of each statement; None: it may take as long as it takes.
        by_pooler: whether a pooler stands between: see `ServerFacts.is_pooled`.
        servers: what is known of the servers; None: nothing yet.

    Raises:
        ConfigError: The URL is not one of Postgres.
    """
    forget_variables()
    parsed, servers = _parsed(url), servers or Servers()
    options: dict[str, Any] = {SERVERS: servers, **({BY_POOLER: True} if by_pooler else {})}
    told: dict[str, Any] = {
        "hide_parameters": True,
        "connect_args": {
            **connect_arguments(parsed, limits, by_pooler=by_pooler, pooled=pooled),
            "answers_within_s": None if limits is None else limits.silent_ms / 1_000,
            "async_creator_fn": servers.connect,
        },
        "execution_options": options,
    }
    if pooled:
        engine = create_async_engine(
            parsed, poolclass=CountedPool, pool_size=KEPT, max_overflow=OVERFLOW, **told
        )
        ping_after_rest(engine)
    else:
        engine = create_async_engine(parsed, poolclass=NullPool, **told)
    if by_pooler and limits is not None:
        _limit_transactions(engine, limits)
    name_readers(engine)
    return engine


def servers_behind(engine: AsyncEngine) -> Servers:
    """Return the servers that an engine connects to."""
    return cast("Servers", engine.sync_engine.get_execution_options()[SERVERS])


def goes_by_pooler(engine: AsyncEngine) -> bool:
    """Say whether an engine was made for a pooler."""
    return BY_POOLER in engine.sync_engine.get_execution_options()


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(_with_hosts_in_query(url))
    except (ArgumentError, ValueError) as error:
        raise ConfigError(
            "DATABASE_URL is not a URL; expected postgresql://user:password@host/database"
        ) from error
    if parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigError(
            f"DATABASE_URL names {parsed.get_backend_name()!r}; expected postgresql://..."
        )
    return parsed.set(drivername="postgresql+psycopg")


def _with_hosts_in_query(url: str) -> str:
    """Return a URL that names several hosts as libpq does (`h1:5432,h2:5432`) as SQLAlchemy has it.

    Of several, the one that takes writes is used: after a failover that is another one.
    """
    scheme, mark, rest = url.partition("://")
    authority, slash, tail = rest.partition("/")
    user, at, hosts = authority.rpartition("@")
    if "," not in hosts:
        return url
    path, _, query = tail.partition("?")
    words = [f"host={host}" for host in hosts.split(",")]
    if "target_session_attrs=" not in query:
        words.append("target_session_attrs=read-write")
    return f"{scheme}{mark}{user}{at}{slash or '/'}{path}?{'&'.join([*words, query]).rstrip('&')}"


async def survey(engine: AsyncEngine) -> None:
    """Learn from all servers of an engine which of them was promoted last, if there are several."""
    _, parameters = engine.dialect.create_connect_args(engine.url)
    if len(servers_of(parameters)) > 1:
        told = connect_arguments(engine.url, None, by_pooler=True)
        await servers_behind(engine).survey({**parameters, **told})


def _limit_transactions(engine: AsyncEngine, limits: Limits) -> None:
    """Tell the server the limits at the begin of each transaction: one more round trip."""
    settings = ", ".join(
        f"set_config('{name}', '{value}', true)" for name, value in limits.settings().items()
    )

    @event.listens_for(engine.sync_engine, "begin")
    def _begins(connection: Connection) -> None:
        if connection.get_execution_options().get("isolation_level") != "AUTOCOMMIT":
            connection.exec_driver_sql(f"SELECT {settings}")


async def server_facts(engine: AsyncEngine) -> ServerFacts:
    """Ask the server for its versions.

    Raises:
        UnreachableError: It can't be reached; the message says why, without the password.
    """
    try:
        async with engine.connect() as connection:
            major, encoding, process_id = (await connection.execute(_SERVER)).one()
            raw = (await connection.get_raw_connection()).driver_connection
            is_pooled = _told_process_id(raw) != process_id
            vector = await connection.scalar(
                text(
                    "SELECT coalesce(installed_version, default_version)"
                    " FROM pg_available_extensions WHERE name = 'vector'"
                )
            )
            login = await login_facts(connection)
            revision = await _scalar_of(connection, "alembic_version", _REVISION)
            oldest = await oldest_release(connection)
    except (DBAPIError, OSError) as error:
        cause = cause_of(error)
        place = engine.url.difference_update_query(_SECRETS).render_as_string(hide_password=True)
        raise UnreachableError(
            f"the database {place} can't be reached: {cause};"
            " check DATABASE_URL, or unset it to use the embedded one"
        ) from error
    return ServerFacts(
        postgres=major // 10_000,
        encoding=encoding,
        pgvector=vector,
        revision=revision,
        oldest_release=oldest,
        login=login,
        is_pooled=is_pooled,
    )


async def server_now(connection: AsyncConnection) -> datetime:
    """Return the server's time, UTC: records are dated by it, whatever a process's clock says."""
    return (await connection.execute(SERVER_TIME)).scalar_one().astimezone(UTC)


async def oldest_release(connection: AsyncConnection) -> str | None:
    """Return the newest migration of the oldest release that works with the schema; see there."""
    return await _scalar_of(connection, "schema_compatibility", _OLDEST_RELEASE)


async def _scalar_of(connection: AsyncConnection, table: str, query: TextClause) -> str | None:
    """Return what a query says; None: its table is not there yet, or closed to us."""
    if not await connection.scalar(_READABLE, {"name": table}):
        return None
    return await connection.scalar(query)


def _told_process_id(connection: object) -> int:
    """Return which process of the server we were told to be connected to: a pooler makes one up."""
    return cast("psycopg.AsyncConnection[Any]", connection).info.backend_pid


def check_facts(facts: ServerFacts) -> None:
    """Refuse a server that lacks what we need.

    Raises:
        ConfigError: Postgres or pgvector is missing or too old, or the database has another
            encoding.
    """
    if facts.encoding != ENCODING:
        raise ConfigError(
            f"the database's encoding is {facts.encoding}: make it anew in {ENCODING}"
            f" (CREATE DATABASE name ENCODING '{ENCODING}' TEMPLATE template0)"
        )
    if facts.postgres < MINIMUM_POSTGRES:
        raise ConfigError(
            f"Postgres {facts.postgres} is too old: {MINIMUM_POSTGRES} or later is needed"
        )
    if facts.pgvector is None:
        raise ConfigError(
            "the server has no pgvector: install its package (0.8 or later) for this Postgres"
        )
    if tuple(int(part) for part in facts.pgvector.split(".")[:2]) < MINIMUM_PGVECTOR:
        raise ConfigError(f"pgvector {facts.pgvector} is too old: 0.8 or later is needed")
