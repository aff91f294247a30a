"""Figures for the console's first page: how much was asked, with what outcome, and what is sealed.

Weeks begin on Monday.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record
from core.audit.checkpoint import Position
from core.time_zones import day_in

WEEKS = 12
DAYS = 30
TOPICS = 6
FEWEST_ASKERS = 5
"""Who asked what could be told where fewer did."""

_BY_DAY = text(
    "SELECT CAST(at AT TIME ZONE :zone AS date) AS day, outcome, badge, count(*) AS questions"
    " FROM audit.record WHERE outcome <> 'ignored'"
    " AND at >= CAST(CAST(:since AS date) AS timestamp) AT TIME ZONE :zone GROUP BY 1, 2, 3"
)
"""Read once for weeks and for months: most of the page's time goes into it."""
_TOPICS = text(
    "SELECT near->>'policy' AS policy, near->>'section' AS section, count(*) AS questions"
    " FROM audit.record r, jsonb_array_elements(r.doc->'refusal'->'nearest_sections') AS near"
    " WHERE r.outcome IN ('refused', 'escalated') AND r.at >= :since"
    " GROUP BY 1, 2 HAVING count(DISTINCT r.actor) >= :fewest"
    " ORDER BY 3 DESC, 1, 2 LIMIT :topics"
)
"""As `audit.v_unanswered_topics`, of some days and by section: the view counts from the first."""
_ROOT = text("SELECT root FROM audit.checkpoint WHERE generation = :generation AND size = :size")
_RECEIPTS = text(
    "SELECT DISTINCT ON (doc->>'target') doc->>'target' AS target, at,"
    " CAST(doc->>'size' AS bigint) AS size"
    " FROM audit.record WHERE tag = 'ledger:anchored' ORDER BY doc->>'target', at DESC"
)
_SEALED = text("SELECT generation, size, sealed_at, unsealed FROM audit.v_ledger_health")


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """Questions of one week."""

    begins: date
    outcomes: Mapping[str, int]
    """Questions by outcome."""

    @property
    def questions(self) -> int:
        """All of them."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A section near which questions found no answer."""

    policy: str
    section: str | None
    questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorReceipt:
    """What a service handed out for a checkpoint, as the record has it."""

    target: str
    size: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerState:
    """How far the record is sealed."""

    size: int
    """Records under the last checkpoint; 0: there is none."""
    generation: int
    sealed_at: datetime | None
    unsealed: int
    """Records of the officer's units that wait for the next one."""
    receipts: tuple[AnchorReceipt, ...]
    """The last ones of services that hand some out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the first page shows."""

    weeks: tuple[Week, ...]
    """The last of them, oldest first; the newest has not ended."""
    outcomes: Mapping[str, int]
    """Questions of the last 30 days by outcome."""
    badges: Mapping[str, int]
    """Answers of the last 30 days by badge."""
    questions: int
    """Of the last 30 days."""
    questions_before: int
    """Of the 30 days before them."""
    topics: tuple[Topic, ...]
    """Of the last 30 days, the most frequent first."""
    ledger: LedgerState


async def read_figures(
    connection: AsyncConnection, *, now: datetime, zone: tzinfo = UTC
) -> Figures:
    """Count by days of a time zone."""
    today = day_in(now, zone)
    monday = today - timedelta(days=today.weekday())
    begins = [monday - timedelta(weeks=back) for back in reversed(range(WEEKS))]
    weeks: dict[date, Counter[str]] = {begin: Counter() for begin in begins}
    outcomes: Counter[str] = Counter()
    badges: Counter[str] = Counter()
    questions_before = 0
    for row in await connection.execute(_BY_DAY, {"since": begins[0], "zone": str(zone)}):
        days_ago = (today - row.day).days
        week = weeks.get(row.day - timedelta(days=row.day.weekday()))
        if week is not None:  # a clock may be a little ahead of ours
            week[row.outcome] += row.questions
        if days_ago < DAYS:
            outcomes[row.outcome] += row.questions
            if row.badge is not None and row.outcome == "answered":
                badges[row.badge] += row.questions
        elif days_ago < 2 * DAYS:
            questions_before += row.questions
    since = now - timedelta(days=DAYS)
    keys = {"since": since, "fewest": FEWEST_ASKERS, "topics": TOPICS}
    topics = await connection.execute(_TOPICS, keys)
    return Figures(
        weeks=tuple(Week(begins=begin, outcomes=weeks[begin]) for begin in begins),
        outcomes=outcomes,
        badges=badges,
        questions=sum(outcomes.values()),
        questions_before=questions_before,
        topics=tuple(record(Topic, row) for row in topics),
        ledger=await _ledger(connection),
    )


async def read_root(connection: AsyncConnection, position: Position) -> bytes | None:
    """Return the root that the database has of the ledger at a size; None: it has none."""
    generation, size = position
    root = await connection.scalar(_ROOT, {"generation": generation, "size": size})
    return None if root is None else bytes(root)


async def _ledger(connection: AsyncConnection) -> LedgerState:
    sealed = (await connection.execute(_SEALED)).one()
    receipts = await connection.execute(_RECEIPTS)
    return record(
        LedgerState,
        sealed,
        generation=sealed.generation or 1,
        receipts=tuple(record(AnchorReceipt, row) for row in receipts),
    )
