"""Who reads the record: granted and revoked by whoever migrates, and recorded.

An officer is a row of `audit.officer`; one with a login can connect by themselves, with psql or any
other client. A login is a role of the server, member of `citebound_officer` and of nothing else.
"""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import psycopg
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import RecordingStore
from core.adapters.postgres.engine.roles import BECOME_OWNER
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.officers.session import READ_WITHIN_S, WORK_MEMORY
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.errors import ConfigError, TransientError, UsageError
from core.domain.json_value import Json

PASSWORD_BYTES = 24
LONGEST_LOGIN = 63
"""Bytes of a role's name (NAMEDATALEN of Postgres, less one)."""
RESERVED = ("pg_", "citebound_", "embedded_")
"""How roles of the server and of ours begin."""
NOT_ALLOWED = "42501"
"""SQLSTATE `insufficient_privilege` (Postgres, appendix A)."""

_ROLE = text(
    "SELECT rolcanlogin AS can_log_in, login IS NOT NULL AS is_ours FROM pg_roles"
    " LEFT JOIN audit.officer ON login = rolname WHERE rolname = :login"
)
_GRANT = text(
    "INSERT INTO audit.officer (login, units, audiences) VALUES (:login, :units, :audiences)"
    " ON CONFLICT (login) DO UPDATE SET units = excluded.units, audiences = excluded.audiences,"
    " granted_at = now(), revoked_at = NULL"
)
_REVOKE = text(
    "UPDATE audit.officer SET revoked_at = now() WHERE login = :login AND revoked_at IS NULL"
)
_END_SESSIONS = text(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = :login"
)
_SIGN_OUT = (
    text(
        "UPDATE citebound.console_sessions SET ended_at = clock_timestamp()"
        " WHERE login = :login AND ended_at IS NULL"
    ),
    text("DELETE FROM citebound.console_links WHERE login = :login AND used_at IS NULL"),
)
"""Of the console: else who is granted again would find in an old browser, or in a lost one, that it
is still signed in."""
_LIST = text(
    "SELECT login, units, audiences, granted_at, revoked_at,"
    " coalesce((SELECT rolcanlogin FROM pg_roles WHERE rolname = login), false) AS can_log_in"
    " FROM audit.officer ORDER BY revoked_at IS NOT NULL, login"
)
_DEFAULTS = {
    "default_transaction_read_only": "on",
    "statement_timeout": f"{READ_WITHIN_S}s",
    "idle_in_transaction_session_timeout": "60s",
    "search_path": "audit",
    "work_mem": WORK_MEMORY,
}
"""What a login's sessions begin with: kindness to others, not protection; that is its rights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedOfficer:
    """Somebody who reads the record, or did."""

    login: str
    """Their name in the record."""
    units: tuple[str, ...]
    """Whose records they read; `*` stands for every unit."""
    audiences: tuple[str, ...]
    """Groups whose policies they read beside those for everyone; `*` stands for every group."""
    granted_at: datetime
    """Since when."""
    revoked_at: datetime | None
    """Until when; None: they still do."""
    can_log_in: bool
    """True: they have a login of their own; False: they read in the console."""


@database_store
class PostgresGrants(RecordingStore):
    """Makes and unmakes officers, as whoever migrates."""

    async def grant(
        self,
        login: str,
        *,
        units: Sequence[str],
        audiences: Sequence[str],
        has_login: bool,
        by: str,
    ) -> str | None:
        """Let somebody read, or read something else than before.

        Returns the password of a new login; None: there is no login, or it goes on as it is.

        Raises:
            UsageError: It can't be the name of a login, or is that of somebody else's.
            ConfigError: We may make no login, or hand on the officers' role.
        """
        _check_name(login)
        async with self._engine.begin() as connection:
            password = await _login(connection, login) if has_login else None
            await connection.execute(BECOME_OWNER)
            given = {"login": login, "units": [*units], "audiences": [*audiences]}
            await connection.execute(_GRANT, given)
            says = {"officer": login, "units": [*units], "audiences": [*audiences]}
            await self._record(
                connection, Tag.OFFICER_GRANTED, {**says, "has_login": has_login}, login, by
            )
        return password

    async def revoke(self, login: str, *, by: str) -> None:
        """Let somebody read no more, close their login, and end their sessions there and here.

        Raises:
            UsageError: They are no officer.
            ConfigError: We may close no login: they read nothing any more, and can still log in.
        """
        async with self._engine.begin() as connection:
            lacking = await _close(connection, login)
            await connection.execute(BECOME_OWNER)
            done = await connection.execute(_REVOKE, {"login": login})
            if done.rowcount != 1:
                why = f"{login!r} is not an officer: `citebound audit officers` lists them"
                raise UsageError(why)
            for statement in _SIGN_OUT:
                await connection.execute(statement, {"login": login})
            await self._record(connection, Tag.OFFICER_REVOKED, {"officer": login}, login, by)
        if lacking is not None:
            raise lacking
        async with self._engine.begin() as connection:  # once nobody logs in any more
            await _end_sessions(connection, login)

    async def list(self) -> list[ListedOfficer]:
        """Return all officers, those first who still are."""
        async with self._engine.connect() as connection:
            await connection.execute(BECOME_OWNER)
            return [record(ListedOfficer, row) for row in await connection.execute(_LIST)]

    async def _record(
        self,
        connection: AsyncConnection,
        tag: Tag,
        says: dict[str, Json],
        login: str,
        by: str,
    ) -> None:
        event = Event(
            tag=tag,
            actor=by,
            actor_kind="operator",
            conversation=None,
            seq=None,
            subject=f"officer:{login}",
            cause=None,
            trace_id=None,
            says=says,
        )
        await self._ledger.event(connection, event, content={})


def _check_name(login: str) -> None:
    is_name = login.isprintable() and not set(login) & set(" \"'\\/:@%")
    if not is_name or not 0 < len(login.encode()) <= LONGEST_LOGIN or login.startswith(RESERVED):
        raise UsageError(
            f"expected a name like anna.berg, of at most {LONGEST_LOGIN} letters, figures, dots and"
            f" dashes, that does not begin with {', '.join(RESERVED)}, got {login!r}"
        )


async def _login(connection: AsyncConnection, login: str) -> str | None:
    """Make a login, or let one that was revoked in again; return its password.

    None: it has one already, which goes on.
    """
    role = (await connection.execute(_ROLE, {"login": login})).one_or_none()
    if role is not None and not role.is_ours:
        raise UsageError(
            f"the server has a role {login!r} that is no officer's: choose another name"
        )
    if role is not None and role.can_log_in:
        return None
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    made = "CREATE ROLE {} LOGIN" if role is None else "ALTER ROLE {} LOGIN"
    await _execute(connection, f"{made} PASSWORD {{}} CONNECTION LIMIT 10", login, password)
    await _execute(connection, "GRANT citebound_officer TO {}", login)
    for name, value in _DEFAULTS.items():
        await _execute(connection, f"ALTER ROLE {{}} SET {name} = '{value}'", login)
    with suppress(ConfigError):  # of a superuser alone, as is the right to grant it
        async with connection.begin_nested():
            await _execute(connection, "ALTER ROLE {} SET temp_file_limit = '1GB'", login)
    return password


async def _close(connection: AsyncConnection, login: str) -> ConfigError | None:
    """Close a login of ours; return why we may not, and None if it is closed or was none."""
    role = (await connection.execute(_ROLE, {"login": login})).one_or_none()
    if role is None or not role.is_ours:
        return None
    try:
        async with connection.begin_nested():
            await _execute(connection, "ALTER ROLE {} NOLOGIN PASSWORD NULL", login)
            await _execute(connection, "REVOKE citebound_officer FROM {}", login)
    except ConfigError as error:
        return ConfigError(f"{login} reads nothing any more, and can still log in: {error}")
    return None


async def _end_sessions(connection: AsyncConnection, login: str) -> None:
    """End what a login of ours has open; only its members may, and superusers."""
    role = (await connection.execute(_ROLE, {"login": login})).one_or_none()
    if role is None or not role.is_ours:
        return
    await _execute(connection, "GRANT {} TO CURRENT_USER", login)
    await connection.execute(_END_SESSIONS, {"login": login})
    await _execute(connection, "REVOKE {} FROM CURRENT_USER", login)


async def _execute(
    connection: AsyncConnection, statement: str, login: str, password: str | None = None
) -> None:
    """Execute a statement about a role; of a password the server is told the SCRAM secret alone.

    Raises:
        ConfigError: We may not.
    """
    raw = (await connection.get_raw_connection()).driver_connection
    driver = cast("psycopg.AsyncConnection[Any]", raw)
    values: list[sql.Composable] = [sql.Identifier(login)]
    if password is not None:
        secret = driver.pgconn.encrypt_password(password.encode(), login.encode(), b"scram-sha-256")
        values.append(sql.Literal(secret.decode()))
    try:
        await driver.execute(sql.SQL(cast("Any", statement)).format(*values))
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigError(
            f"the login that migrates may make no officers ({error.diag.message_primary}): let an"
            " administrator run ALTER ROLE name CREATEROLE and GRANT citebound_officer TO name WITH"
            " ADMIN OPTION, or grant with --no-login"
        ) from error
    except psycopg.Error as error:
        raise TransientError(f"the database failed: {str(error).splitlines()[0]}") from error
