"""Find records by what officers know of them; pages follow each other by time and id."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record

PAGE = 25
OUTCOMES = ("answered", "clarification", "refused", "escalated", "failed")
BADGES = ("high", "medium", "low")
_TAGS = (
    "question:answered",
    "clarification:asked",
    "question:refused",
    "question:escalated",
    "question:failed",
)
"""What an officer looks for: questions with what became of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """Where a page ends: the next begins with what is older, the one before with what is newer."""

    at: datetime
    record_id: UUID

    def __str__(self) -> str:
        """Return it for an address."""
        return f"{self.at.astimezone(UTC).isoformat()}_{self.record_id}"

    @classmethod
    def parse(cls, written: str) -> "Cursor | None":
        """Read it from an address; None: it is none."""
        at, _, record_id = written.partition("_")
        try:
            found = cls(at=datetime.fromisoformat(at), record_id=UUID(record_id))
        except ValueError:
            return None
        return found if found.at.tzinfo is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """All that is given must hold."""

    words: str = ""
    """In the question or the answer, as a web search writes them: "a phrase", or, -without."""
    asker: str = ""
    """Pseudonym."""
    policy: str = ""
    """Key of a policy that the answer cites."""
    section: str = ""
    """Number of a section that it cites."""
    outcome: str = ""
    badge: str = ""
    since: date | None = None
    """First day."""
    until: date | None = None
    """Last day."""
    zone: str = "UTC"
    """Time zone of these days."""

    @property
    def is_empty(self) -> bool:
        """True: everything is meant."""
        return self == RecordFilter(zone=self.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRecord:
    """One line of what was found."""

    record_id: UUID
    at: datetime
    outcome: str
    badge: str | None
    asker: str
    question: str | None
    """As asked; None once erased."""
    sections: tuple[str, ...]
    """Those cited, with their policies."""

    @property
    def cursor(self) -> Cursor:
        """Where a page ends that ends here."""
        return Cursor(at=self.at, record_id=self.record_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """A page, newest first."""

    records: Sequence[FoundRecord]
    older: Cursor | None
    """Where the next page begins; None: this is the last."""
    newer: Cursor | None
    """Where the page before begins; None: this is the first."""


FEW = 5_000
"""Records with some words from which on they are looked for newest first: of so many, a page is
found soon."""
_WITH_WORDS = text("SELECT audit.records_with_words(:words, :most)")
# Not to be joined: a phrase would be taken for rare, and every record read before one is shown.
_HAS_WORDS = (
    "EXISTS (SELECT FROM audit.content x WHERE x.record_id = r.id"
    " AND x.words @@ websearch_to_tsquery('simple', :words) OFFSET 0)"
)
_LINES = """
SELECT r.id AS record_id, r.at, r.outcome, r.badge, r.actor AS asker, left(q.body, 600) AS question,
       ARRAY(SELECT DISTINCT concat_ws(' ', c.policy, c.section) FROM audit.citation c
              WHERE c.record_id = r.id ORDER BY 1 LIMIT 4) AS sections
  FROM page r LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
 ORDER BY r.at DESC, r.id DESC"""


async def find_records(
    connection: AsyncConnection,
    wanted: RecordFilter,
    *,
    before: Cursor | None = None,
    after: Cursor | None = None,
) -> FoundPage:
    """Return a page: the newest, what is older than `before`, or what is newer than `after`."""
    conditions, values = _conditions(wanted)
    if wanted.words:
        ids = await connection.scalar(_WITH_WORDS, {"words": wanted.words, "most": FEW})
        conditions.append(_HAS_WORDS if ids is None else "r.id = ANY(CAST(:ids AS uuid[]))")
        values |= {"words": wanted.words} if ids is None else {"ids": ids}
    ascending = after is not None and before is None
    if before is not None:
        conditions.append("(r.at, r.id) < (:cursor_at, :cursor_id)")
    elif after is not None:
        conditions.append("(r.at, r.id) > (:cursor_at, :cursor_id)")
    at = before or after
    if at is not None:
        values |= {"cursor_at": at.at, "cursor_id": at.record_id}
    order = "r.at, r.id" if ascending else "r.at DESC, r.id DESC"
    statement = (
        "WITH page AS MATERIALIZED (SELECT r.id, r.at, r.outcome, r.badge, r.actor"  # noqa: S608  # constants
        f" FROM audit.record r WHERE {' AND '.join(conditions)}"
        f" ORDER BY {order} LIMIT {PAGE + 1}){_LINES}"
    )
    rows = (await connection.execute(text(statement), values)).mappings().all()
    found = [record(FoundRecord, row) for row in rows]
    has_more = len(found) > PAGE
    records = (found[1:] if ascending else found[:PAGE]) if has_more else found
    return FoundPage(
        records=records,
        older=records[-1].cursor if records and (has_more or ascending) else None,
        newer=records[0].cursor
        if records and (before is not None or (ascending and has_more))
        else None,
    )


def _conditions(wanted: RecordFilter) -> tuple[list[str], dict[str, Any]]:
    conditions = ["r.tag = ANY(CAST(:tags AS text[]))"]
    values: dict[str, Any] = {"tags": list(_TAGS)}
    given = {"asker": "actor", "outcome": "outcome", "badge": "badge"}
    for name, column in given.items():
        if value := getattr(wanted, name):
            conditions.append(f"r.{column} = :{name}")
            values[name] = value
    if wanted.policy or wanted.section:
        cited = [f"c.{name} = :{name}" for name in ("policy", "section") if getattr(wanted, name)]
        conditions.append(
            f"EXISTS (SELECT FROM audit.citation c WHERE c.record_id = r.id AND {' AND '.join(cited)})"  # noqa: E501
        )
        values |= {"policy": wanted.policy, "section": wanted.section}
    if wanted.since is not None:
        conditions.append("r.at >= CAST(CAST(:since AS date) AS timestamp) AT TIME ZONE :zone")
        values |= {"since": wanted.since, "zone": wanted.zone}
    if wanted.until is not None:
        conditions.append("r.at < (CAST(:until AS date) + interval '1 day') AT TIME ZONE :zone")
        values |= {"until": wanted.until, "zone": wanted.zone}
    return conditions, values
