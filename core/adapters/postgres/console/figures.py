"""Figures for the console's first page: how much was asked, with what outcome, and what is sealed.

Weeks begin on Monday, UTC.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

WEEKS = 12
DAYS = 30
TOPICS = 6
FEWEST_ASKERS = 5
"""Who asked what could be told where fewer did."""

_BY_WEEK = text(
    "SELECT CAST(date_trunc('week', at AT TIME ZONE 'UTC') AS date) AS week, outcome,"
    " count(*) AS questions"
    " FROM audit.record WHERE outcome <> 'ignored' AND at >= CAST(:since AS date) GROUP BY 1, 2"
)
_RECENT = text(
    "SELECT outcome, badge, count(*) FILTER (WHERE at >= :since) AS now,"
    " count(*) FILTER (WHERE at < :since) AS before"
    " FROM audit.record WHERE outcome <> 'ignored' AND at >= :before GROUP BY 1, 2"
)
_TOPICS = text(
    "SELECT near->>'policy' AS policy, near->>'section' AS section, count(*) AS questions"
    " FROM audit.record r, jsonb_array_elements(r.doc->'refusal'->'nearest_sections') AS near"
    " WHERE r.outcome IN ('refused', 'escalated') AND r.at >= :since"
    " GROUP BY 1, 2 HAVING count(DISTINCT r.actor) >= :fewest"
    " ORDER BY 3 DESC, 1, 2 LIMIT :topics"
)
_SEALED = text(
    "SELECT generation, size, sealed_at FROM audit.checkpoint"
    " ORDER BY generation DESC, size DESC LIMIT 1"
)
_UNSEALED = text(
    "SELECT count(*) FROM audit.record r"
    " WHERE NOT EXISTS (SELECT FROM audit.leaf l WHERE l.record_id = r.id)"
    " AND r.xid >= coalesce((SELECT horizon FROM audit.checkpoint"
    "  ORDER BY generation DESC, size DESC LIMIT 1), '0')"
)


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
class LedgerState:
    """How far the record is sealed."""

    size: int
    """Records under the last checkpoint; 0: there is none."""
    generation: int
    sealed_at: datetime | None
    unsealed: int
    """Records that wait for the next one."""


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


async def read_figures(connection: AsyncConnection, *, now: datetime) -> Figures:
    """Count."""
    monday = now.date() - timedelta(days=now.weekday())
    begins = [monday - timedelta(weeks=back) for back in reversed(range(WEEKS))]
    weeks: dict[date, dict[str, int]] = {begin: {} for begin in begins}
    for row in await connection.execute(_BY_WEEK, {"since": begins[0]}):
        weeks.setdefault(row.week, {})[row.outcome] = row.questions
    since, before = now - timedelta(days=DAYS), now - timedelta(days=2 * DAYS)
    outcomes: dict[str, int] = {}
    badges: dict[str, int] = {}
    questions_before = 0
    for row in await connection.execute(_RECENT, {"since": since, "before": before}):
        outcomes[row.outcome] = outcomes.get(row.outcome, 0) + row.now
        if row.badge is not None and row.outcome == "answered":
            badges[row.badge] = badges.get(row.badge, 0) + row.now
        questions_before += row.before
    keys = {"since": since, "fewest": FEWEST_ASKERS, "topics": TOPICS}
    topics = await connection.execute(_TOPICS, keys)
    return Figures(
        weeks=tuple(Week(begins=begin, outcomes=weeks[begin]) for begin in begins),
        outcomes=outcomes,
        badges=badges,
        questions=sum(outcomes.values()),
        questions_before=questions_before,
        topics=tuple(
            Topic(policy=row.policy, section=row.section, questions=row.questions) for row in topics
        ),
        ledger=await _ledger(connection),
    )


async def _ledger(connection: AsyncConnection) -> LedgerState:
    sealed = (await connection.execute(_SEALED)).one_or_none()
    return LedgerState(
        size=sealed.size if sealed else 0,
        generation=sealed.generation if sealed else 1,
        sealed_at=sealed.sealed_at if sealed else None,
        unsealed=int(await connection.scalar(_UNSEALED) or 0),
    )
