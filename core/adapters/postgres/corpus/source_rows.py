"""Rows of sources: how they are read, and how their failures are counted, told and recorded."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_posts import tell_officers
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.rows import record
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.delivery import Notice
from core.domain.errors import BusyError, CiteboundError, TransientError
from core.domain.json_value import Json
from core.domain.officers import Officers
from core.sources.connector import PolicySource

COLUMNS = (
    "s.id, s.name, s.kind, s.location, s.key_prefix, s.audience, s.withdrawing, s.every_s,"
    " s.access_every_s, s.groups"
)
FIRST_PAUSE_S, LONGEST_PAUSE_S = 300, 6 * 3600
"""After the first failure, doubled by each further one; a source that is looked at more rarely than
the longest pause keeps its own pace."""
LONGEST_WISH_S = 86_400
"""A service that asks to be left alone for longer is tried again all the same."""
LEASED_S = 180
"""How long a lease lasts that nobody renews, by the clock of the database: processes on several
machines need not agree on the time."""
LEASE_ENDS = f"now() + make_interval(secs => {LEASED_S})"
PASSING = 3
"""Failures in a row of what may pass by itself, before officers hear of it."""


def source_of(row: Row[Any]) -> PolicySource:
    """Return the source of a row with `COLUMNS`."""
    return record(PolicySource, row)


def unknown_source(name: str) -> str:
    """Say that there is no such source."""
    return f"there is no source {name!r}: `citebound sources list` has them"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureColumns:
    """Where it is kept that a source fails."""

    prefix: str
    """Before the names of the columns."""
    is_told: str
    """The column that says whether officers were told."""
    what: str
    """What can't be read, in a sentence."""


FAILED_TEXTS = FailureColumns(prefix="", is_told="is_told", what="its documents")
FAILED_ACCESS = FailureColumns(
    prefix="access_", is_told="is_access_told", what="who may read its documents"
)


class SourceEvents:
    """Records what happens to sources."""

    def __init__(self, ledger: Ledger, *, operator: str) -> None:
        self._ledger = ledger
        self._operator = operator

    async def record(
        self,
        connection: AsyncConnection,
        tag: Tag,
        name: str,
        says: dict[str, Json],
        *,
        content: dict[str, str] | None = None,
    ) -> str:
        """Record an event; return the record's id."""
        event = Event(
            tag=tag,
            actor=self._operator,
            actor_kind="operator",
            subject=f"source:{name}",
            says=says,
        )
        return await self._ledger.event(connection, event, content=content or {})


class Failures:
    """Counts failures of sources, puts the next attempt off, and tells officers once."""

    def __init__(self, ledger: Ledger, *, events: SourceEvents, officers: Officers) -> None:
        self._ledger = ledger
        self._events = events
        self._officers = officers

    async def failed(
        self,
        connection: AsyncConnection,
        name: str,
        lease: str,
        error: CiteboundError,
        columns: FailureColumns,
    ) -> None:
        """Give the right back, and remember why."""
        given = {
            "name": name,
            "lease": lease,
            "error": str(error),
            "after": min(error.after_s, LONGEST_WISH_S) if isinstance(error, BusyError) else 0.0,
        }
        row = (await connection.execute(_FAILED[columns.prefix], given)).one_or_none()
        if row is None:
            return
        if row.failures == 1:
            says: dict[str, Json] = {"of": columns.what}
            content = {"error": str(error)}
            await self._events.record(connection, Tag.SOURCE_FAILED, name, says, content=content)
        lasts = not isinstance(error, TransientError) or row.failures >= PASSING
        if lasts and not row.is_told and self._officers.routes(is_sensitive=False):
            await self._tell(
                connection,
                Notice.SOURCE_FAILS,
                columns,
                subject=f"{name}: {error}",
                since=row.error_since,
            )
            await connection.execute(_TOLD[columns.prefix], {"name": name})

    async def ended(self, connection: AsyncConnection, name: str, columns: FailureColumns) -> None:
        """Remember that it works."""
        row = (await connection.execute(_ENDED[columns.prefix], {"name": name})).one_or_none()
        if row is None:
            return
        says: dict[str, Json] = {"of": columns.what, "since": row.error_since.isoformat()}
        await self._events.record(connection, Tag.SOURCE_RESTORED, name, says)
        if row.is_told:
            await self._tell(
                connection,
                Notice.SOURCE_WORKS,
                columns,
                subject=f"{name}: it failed since {row.error_since:%Y-%m-%d %H:%M} UTC",
                since=row.error_since,
            )

    async def _tell(
        self,
        connection: AsyncConnection,
        notice: Notice,
        columns: FailureColumns,
        *,
        subject: str,
        since: datetime,
    ) -> None:
        name, _, detail = subject.partition(": ")
        await tell_officers(
            connection,
            notice,
            subject=f"{name} ({columns.what}): {detail}",
            cause=f"source:{name}:{columns.prefix}{notice.value}:{since.isoformat()}",
            officers=self._officers,
            ids=self._ledger.ids,
        )


_FAILED = {
    of.prefix: text(
        f"UPDATE citebound.sources s SET {of.prefix}lease = NULL, {of.prefix}leased_until = NULL,"  # noqa: S608  # constants
        f" {of.prefix}error = :error, {of.prefix}failures = {of.prefix}failures + 1,"
        f" {of.prefix}error_since = coalesce({of.prefix}error_since, now()),"
        f" {of.prefix}due_at = now() + make_interval(secs => greatest(:after,"
        f"  least({FIRST_PAUSE_S} * power(2, least({of.prefix}failures, 20)),"
        f"   greatest({of.prefix}every_s, {LONGEST_PAUSE_S}))))"
        f" WHERE name = :name AND {of.prefix}lease = CAST(:lease AS uuid)"
        f" RETURNING {of.prefix}failures AS failures, {of.is_told} AS is_told,"
        f" {of.prefix}error_since AS error_since"
    )
    for of in (FAILED_TEXTS, FAILED_ACCESS)
}
_TOLD = {
    of.prefix: text(f"UPDATE citebound.sources SET {of.is_told} = true WHERE name = :name")  # noqa: S608  # constants
    for of in (FAILED_TEXTS, FAILED_ACCESS)
}
_ENDED = {
    of.prefix: text(
        f"WITH before AS (SELECT id, {of.is_told} AS is_told, {of.prefix}error_since AS error_since"  # noqa: S608  # constants
        f"  FROM citebound.sources WHERE name = :name AND {of.prefix}error_since IS NOT NULL"
        "  FOR UPDATE)"
        f" UPDATE citebound.sources s SET {of.prefix}error = NULL, {of.prefix}error_since = NULL,"
        f" {of.prefix}failures = 0, {of.is_told} = false"
        " FROM before WHERE s.id = before.id RETURNING before.is_told, before.error_since"
    )
    for of in (FAILED_TEXTS, FAILED_ACCESS)
}
