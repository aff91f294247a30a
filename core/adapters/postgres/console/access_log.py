"""Who read what in the record, as officers look it up."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.console.search import Cursor

PAGE = 50
ACTIONS = ("query:executed", "record:viewed", "bundle:exported", "officer:signed_in")
# The page is cut before texts are joined to it.
_PAGE = text("""
WITH page AS MATERIALIZED (
  SELECT r.id, r.at FROM audit.record r
   WHERE r.tag = ANY(:actions)
     AND (:officer = '' OR r.actor = :officer)
     AND (CAST(:since AS date) IS NULL
          OR r.at >= CAST(CAST(:since AS date) AS timestamp) AT TIME ZONE :zone)
     AND (CAST(:until AS date) IS NULL
          OR r.at < (CAST(:until AS date) + interval '1 day') AT TIME ZONE :zone)
     AND (CAST(:at AS timestamptz) IS NULL OR (r.at, r.id) < (:at, CAST(:id AS uuid)))
   ORDER BY r.at DESC, r.id DESC LIMIT :most)
SELECT v.log_id, v.at, v.officer, v.action, v.purpose, left(v.statement, 2000) AS statement,
       v.views, v.record_id
  FROM page JOIN audit.v_access_log v ON v.log_id = page.id
 ORDER BY v.at DESC, v.log_id DESC""")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessFilter:
    """All that is given must hold."""

    officer: str = ""
    """Login of the reader."""
    action: str = ""
    """One of `ACTIONS`; empty: any."""
    since: date | None = None
    """First day."""
    until: date | None = None
    """Last day."""
    zone: str = "UTC"
    """Time zone of these days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessEntry:
    """One reading."""

    log_id: UUID
    at: datetime
    officer: str
    action: str
    purpose: str | None
    statement: str | None
    """SQL, the address of a page, or the selection of a bundle; None: none, or erased."""
    views: Sequence[str] | None
    record_id: UUID | None
    """The record that was viewed; None of another action."""

    @property
    def cursor(self) -> Cursor:
        """Where a page ends that ends here."""
        return Cursor(at=self.at, record_id=self.log_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPage:
    """A page, newest first."""

    accesses: Sequence[AccessEntry]
    older: Cursor | None
    """Where the next page begins; None: this is the last."""


async def read_accesses(
    connection: AsyncConnection, wanted: AccessFilter, *, before: Cursor | None
) -> AccessPage:
    """Return a page: the newest, or what is older than `before`."""
    given = {
        **asdict(wanted),
        "actions": [wanted.action] if wanted.action else list(ACTIONS),
        "at": before and before.at,
        "id": before and before.record_id,
        "most": PAGE + 1,
    }
    rows = (await connection.execute(_PAGE, given)).mappings().all()
    found = [AccessEntry(**row) for row in rows[:PAGE]]
    return AccessPage(accesses=found, older=found[-1].cursor if len(rows) > PAGE else None)
