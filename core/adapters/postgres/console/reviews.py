"""Which answers an officer is to review next, as the sampling plan draws them from the record."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record
from core.confidence.sampling import BYTES, LESS_SURE, SHARE

DAYS = 90
"""Older answers are not asked about: nobody knows any more what held then."""
LISTED = 20

_NEXT = text(f"""
WITH drawn AS (
  SELECT r.id, r.at, r.subject, r.outcome, r.badge,
         ('x' || encode(substr(sha256(convert_to(r.subject, 'UTF8')), 1, {BYTES}), 'hex'))
           ::bit({8 * BYTES})::bigint / {256**BYTES}.0
         / CASE r.badge WHEN 'high' THEN {SHARE} ELSE {LESS_SURE} END AS place
    FROM audit.record r
   WHERE r.at >= :since
     AND (r.outcome = 'answered'
          OR r.outcome = 'refused' AND r.doc->'refusal'->>'kind' = 'not_sure'))
SELECT d.id AS record_id, d.at, d.outcome, d.badge, q.body AS question, count(*) OVER () AS waiting
  FROM drawn d
  LEFT JOIN audit.content q ON q.record_id = d.id AND q.field = 'question'
 WHERE d.place < 1
   AND NOT EXISTS (SELECT FROM audit.record v
                    WHERE v.subject = d.subject AND v.tag = 'answer:reviewed')
 ORDER BY d.place LIMIT :most""")  # noqa: S608  # constants
"""As `core.confidence.sampling.draw` and `inclusion` have it."""


_REPORTED = text("""
WITH reported AS (
  SELECT DISTINCT ON (f.subject) f.id, f.subject, f.at, f.doc->>'reason' AS reason
    FROM audit.record f
   WHERE f.tag = 'feedback:given' AND f.doc->>'rating' = 'negative' AND f.at >= :since
     AND NOT EXISTS (SELECT FROM audit.record v WHERE v.subject = f.subject
                        AND v.tag = 'answer:reviewed' AND v.seq > f.seq)
   ORDER BY f.subject, f.doc->>'reason' IS NULL, f.at DESC)
SELECT r.id AS record_id, f.at, r.outcome, r.badge, q.body AS question, f.reason,
       c.body AS comment, count(*) OVER () AS waiting
  FROM reported f
  JOIN audit.record r ON r.subject = f.subject
       AND (r.outcome = 'answered'
            OR r.outcome = 'refused' AND r.doc->'refusal'->>'kind' = 'not_sure')
  LEFT JOIN audit.content q ON q.record_id = r.id AND q.field = 'question'
  LEFT JOIN audit.content c ON c.record_id = f.id AND c.field = 'comment'
 ORDER BY f.reason IS NULL, f.at LIMIT :most""")
"""The last report of each answer that nobody has reviewed since, reports with a reason first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnAnswer:
    """An answer that the sampling plan has drawn and nobody has reviewed."""

    record_id: UUID
    at: datetime
    outcome: str
    badge: str | None
    question: str | None
    """None once erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedAnswer(DrawnAnswer):
    """An answer that somebody complained of and nobody has reviewed since; `at`: when they did."""

    reason: str | None
    """See `Reason`; None: it was marked as not helpful, and no more."""
    comment: str | None
    """As typed; None without one, or once erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueue:
    """What is to be reviewed."""

    next: Sequence[DrawnAnswer]
    """In the order of the draw: whoever stops early has reviewed a sample of the same kind."""
    waiting: int
    """All of them."""
    reported: Sequence[ReportedAnswer]
    """What people complained of, whether or not it was drawn."""
    reported_waiting: int
    """All of those."""


async def read_review_queue(connection: AsyncConnection, *, now: datetime) -> ReviewQueue:
    """Return what an officer is to review next."""
    given = {"since": now - timedelta(days=DAYS), "most": LISTED}
    rows = (await connection.execute(_NEXT, given)).all()
    reported = (await connection.execute(_REPORTED, given)).all()
    return ReviewQueue(
        reported=tuple(record(ReportedAnswer, row) for row in reported),
        reported_waiting=reported[0].waiting if reported else 0,
        next=tuple(record(DrawnAnswer, row) for row in rows),
        waiting=rows[0].waiting if rows else 0,
    )
