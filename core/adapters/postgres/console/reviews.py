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
class ReviewQueue:
    """What is to be reviewed."""

    next: Sequence[DrawnAnswer]
    """In the order of the draw: whoever stops early has reviewed a sample of the same kind."""
    waiting: int
    """All of them."""


async def read_review_queue(connection: AsyncConnection, *, now: datetime) -> ReviewQueue:
    """Return what an officer is to review next."""
    given = {"since": now - timedelta(days=DAYS), "most": LISTED}
    rows = (await connection.execute(_NEXT, given)).all()
    return ReviewQueue(
        next=tuple(record(DrawnAnswer, row) for row in rows),
        waiting=rows[0].waiting if rows else 0,
    )
