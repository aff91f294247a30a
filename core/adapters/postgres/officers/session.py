"""Officers read the record: each reading is recorded first, and then done as the officer.

What an officer does to the record goes through functions of its owner, which check and append it.

The record of a reading is committed before anything is read: what can't be recorded is not read.
Then one transaction reads, as the role of officers, and is rolled back in any case: nothing that
was set, locked or notified in it stays.

Who reads is the login of the connection. Only the console's login reads for others, whom it names.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ARRAY, LargeBinary, Text, TextClause, bindparam, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import cause_of, raises_transient, server_now
from core.adapters.postgres.engine.ledger import Entry, Ledger
from core.adapters.postgres.engine.record_ids import id_range, record_named
from core.audit.canonical import leaf_hash
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.errors import ConfigError, TransientError, UsageError
from core.domain.json_value import Json

READ_WITHIN_S = 15
"""How long one statement may take."""
WORK_MEMORY = "64MB"
"""For each sort and hash of a statement: officers count over all records, a few at a time."""
EVERY_UNIT = "*"
"""Among the units of an officer who reads all."""
_WHO = text("SELECT audit.officer_login() AS login, audit.my_units() AS units")


def deed(name: str) -> TextClause:
    """Return the call of a function of the owner that appends a record of an officer's."""
    return text(
        f"SELECT * FROM audit.{name}(:canonical, :leaf, :fields, :salts, :bodies) AS done"  # noqa: S608
    ).bindparams(
        bindparam("fields", type_=ARRAY(Text)),
        bindparam("salts", type_=ARRAY(LargeBinary)),
        bindparam("bodies", type_=ARRAY(Text)),
    )


_RECORD = deed("record_reading")
_READ_WRITE = text("SET TRANSACTION READ WRITE")
"""Whatever the login begins with: the record of a reading is written."""
_READ_ONLY = text("SET TRANSACTION READ ONLY")
_READY = text(
    "SELECT set_config('citebound.officer', :officer, true),"
    " set_config('role', 'citebound_officer', true),"
    " set_config('search_path', 'audit', true),"
    f" set_config('statement_timeout', '{READ_WITHIN_S}s', true),"
    f" set_config('work_mem', '{WORK_MEMORY}', true),"
    " set_config('lock_timeout', '2s', true), set_config('TimeZone', 'UTC', true),"
    " set_config('idle_in_transaction_session_timeout', '60s', true)"
)
_TAKE_TIME = text("SELECT set_config('statement_timeout', '5min', true)")
"""A deed goes over all records of a person or of years."""
REFUSALS = frozenset({"42501", "55006", "P0002"})
"""SQLSTATEs with which our functions refuse (Postgres, appendix A): `insufficient_privilege`,
`object_in_use` where something is held or over, `no_data_found`."""
_BEGIN, _BACK = text("SAVEPOINT reading"), text("ROLLBACK TO SAVEPOINT reading")
_UNLOCK = text("SELECT pg_advisory_unlock_all()")
"""A pooler hands the session to others, with the locks that a statement has taken in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an officer is about to read, as the record says it."""

    purpose: str | None = None
    """Why, in the officer's words; None: nobody asked."""
    statement: str | None = None
    """The SQL, or the filters of a search; None: one record is read."""
    views: Sequence[str] = ()
    """Views and tables that the statement names."""
    record_id: str | None = None
    """The record that is read; None: a statement is executed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficerDeed:
    """A transaction in which an officer does something that is recorded."""

    connection: AsyncConnection
    login: str
    """The officer."""
    units: Sequence[str]
    """Theirs; empty: they are no officer, and the functions refuse them."""
    ledger: Ledger
    """Writes their records, of `own_unit`."""

    @property
    def own_unit(self) -> str:
        """Return the unit of what is of no other."""
        is_ours = EVERY_UNIT in self.units or self.ledger.unit in self.units or not self.units
        return self.ledger.unit if is_ours else self.units[0]

    async def record_id(self, typed: str) -> str:
        """Return the id of the record of the officer's units that is meant.

        Raises:
            UsageError: There is none, or there are several.
        """
        found = await record_named(self.connection, typed)
        if found is None:
            raise UsageError(
                "expected the id of a record of your units, its beginning, or the reference below"
                f" a reply, got {typed!r}"
            )
        return str(found)

    async def do(
        self,
        function: TextClause,
        tag: Tag,
        *,
        content: Mapping[str, str],
        unit: str | None = None,
        subject: str | None = None,
        says: Mapping[str, Json] | None = None,
    ) -> "Done":
        """Append what the officer does by the function that does it; see `deed`."""
        event = Event(
            tag=tag,
            actor=self.login,
            actor_kind="officer",
            conversation=None,
            seq=None,
            subject=subject,
            cause=None,
            trace_id=None,
            says=says or {},
        )
        at = await server_now(self.connection)
        entry = self.ledger.of(unit or self.own_unit).entry(event, at=at, content=content)
        found = await self.connection.execute(function, _given(entry))
        return Done(record_id=entry.record_id, row=found.one_or_none())


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was appended, and what the function returned."""

    record_id: str
    row: Any
    """Its columns by name; of a function that returns one value, `done`."""


class OfficerSession:
    """One officer's door to the record.

    Args:
        engine: on the login of the officer, or on that of the console.
        ledger: writes who read what.
        officer: for whom the console reads; None: the login of the connection is the officer.
    """

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, officer: str | None = None) -> None:
        self._engine = engine
        self._ledger = ledger
        self._officer = officer or ""

    @asynccontextmanager
    async def reading(self, reading: Reading) -> AsyncGenerator[AsyncConnection]:
        """Record a reading, and lend a connection that reads as the officer, and can do no more.

        Raises:
            ConfigError: Who reads is no officer: `citebound audit grant-officer` makes one.
            TransientError: It could not be recorded, so nothing is read; or the database failed
                while the connection was made ready.
        """
        await self._record(reading)
        async with self._engine.connect() as connection:
            await self._make_ready(connection)
            try:
                yield connection
            finally:
                await _leave_nothing(connection)

    @asynccontextmanager
    async def acting(self) -> AsyncGenerator[OfficerDeed]:
        """Lend a transaction in which the officer does what the owner's functions let them.

        Raises:
            UsageError: A function refused; nothing was done.
            TransientError: The database failed.
        """
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_READ_WRITE)
                await connection.execute(_READY, {"officer": self._officer})
                await connection.execute(_TAKE_TIME)
                login, units = (await connection.execute(_WHO)).one()
                yield OfficerDeed(
                    connection=connection, login=login, units=units, ledger=self._ledger
                )
        except (DBAPIError, PoolTimeoutError, OSError) as error:
            cause = getattr(error, "orig", None)
            if getattr(cause, "sqlstate", None) not in REFUSALS:
                raise TransientError(f"nothing was done: {cause_of(error)}") from error
            diagnosis = getattr(cause, "diag", None)
            raise UsageError(str(getattr(diagnosis, "message_primary", cause))) from error

    async def record_id(self, typed: str, *, purpose: str) -> str | None:
        """Return the id of the one record that is meant; None: there is none.

        To look for it is a reading of its own; what is read then is recorded by the whole id.

        Raises:
            ConfigError, TransientError: See `reading`.
            UsageError: There are several.
        """
        meant = id_range(typed)
        if meant is None:
            return None
        if meant[0] == meant[1]:
            return str(meant[0])
        async with self.reading(
            Reading(purpose=purpose, statement=typed, views=["record"])
        ) as connection:
            found = await record_named(connection, typed)
        return str(found) if found else None

    async def note(self, reading: Reading) -> None:
        """Record a reading of what stands in the working copies, as cases do, before it is read.

        Raises:
            ConfigError: See `reading`.
            TransientError: It could not be recorded, so nothing may be read.
        """
        await self._record(reading)

    @raises_transient
    async def catalogue(
        self, query: TextClause, given: Mapping[str, str]
    ) -> Sequence[tuple[Any, ...]]:
        """Return what a statement of ours finds in the catalogue: nothing of the record."""
        async with self._engine.connect() as connection:
            return [tuple(row) for row in await connection.execute(query, given)]

    @raises_transient
    async def _make_ready(self, connection: AsyncConnection) -> None:
        await connection.execute(_READ_ONLY)
        await connection.execute(_READY, {"officer": self._officer})
        await connection.execute(_BEGIN)

    async def _record(self, reading: Reading) -> None:
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_READ_WRITE)
                await connection.execute(_READY, {"officer": self._officer})
                login, units = (await connection.execute(_WHO)).one()
                if not units:
                    raise ConfigError(
                        f"{login or 'this login'} is not an officer: an operator makes one with"
                        f" `citebound audit grant-officer {login or 'LOGIN'}`"
                    )
                ledger = self._ledger
                if EVERY_UNIT not in units and ledger.unit not in units:
                    ledger = ledger.of(units[0])
                at = await server_now(connection)
                entry = ledger.entry(_event(reading, login), at=at, content=_texts(reading))
                await connection.execute(_RECORD, _given(entry))
        except (DBAPIError, PoolTimeoutError, OSError) as error:
            raise TransientError(
                f"nothing is read, since it could not be recorded: {cause_of(error)}"
            ) from error


def _given(entry: Entry) -> dict[str, object]:
    return {
        "canonical": entry.data,
        "leaf": leaf_hash(entry.data),
        "fields": [part.field for part in entry.contents],
        "salts": [part.salt for part in entry.contents],
        "bodies": [part.body for part in entry.contents],
    }


def _event(reading: Reading, login: str) -> Event:
    is_view = reading.record_id is not None
    return Event(
        tag=Tag.RECORD_VIEWED if is_view else Tag.QUERY_EXECUTED,
        actor=login,
        actor_kind="officer",
        conversation=None,
        seq=None,
        subject=reading.record_id,
        cause=None,
        trace_id=None,
        says={"views": list(reading.views)},
    )


def _texts(reading: Reading) -> dict[str, str]:
    """Return what the officer typed, which may be personal: it can be erased."""
    said = {"purpose": reading.purpose, "statement": reading.statement}
    return {field: body for field, body in said.items() if body}


async def _leave_nothing(connection: AsyncConnection) -> None:
    """Take back what was set and locked in a transaction; a connection that broke has nothing."""
    with suppress(DBAPIError):
        await connection.execute(_BACK)
        await connection.execute(_UNLOCK)
    await connection.rollback()
