"""Answers that contradict each other, as officers read of them, and the nights checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

LISTED = 100
NIGHTS = 14

_FOUND = text("""
SELECT f.id AS found_record, f.at, f.doc->>'kind' AS kind, f.doc->>'policy' AS policy,
       f.doc->>'then' AS then, f.doc->>'now' AS now, CAST(f.doc->>'cause' AS uuid) AS record_id,
       CAST(f.doc->>'other_record' AS uuid) AS other_record, left(q.body, 600) AS question,
       left(o.body, 600) AS other_question
  FROM audit.record f
  LEFT JOIN audit.content q
         ON q.record_id = CAST(f.doc->>'cause' AS uuid) AND q.field = 'question'
  LEFT JOIN audit.content o
         ON o.record_id = CAST(f.doc->>'other_record' AS uuid) AND o.field = 'question'
 WHERE f.tag = 'contradiction:found' ORDER BY f.at DESC, f.id LIMIT :most""")
_NIGHTS = text(
    "SELECT at, CAST(doc->>'asked' AS integer) AS asked, CAST(doc->>'pairs' AS integer) AS pairs,"
    " CAST(doc->>'found' AS integer) AS found FROM audit.record"
    " WHERE tag = 'consistency:checked' ORDER BY at DESC, id LIMIT :most"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedContradiction:
    """Two answers to one question."""

    found_record: UUID
    at: datetime
    kind: str
    """See `ContradictionKind`."""
    policy: str
    then: str
    now: str
    record_id: UUID
    """Of the question that was asked again."""
    other_record: UUID | None
    """Of the one that words it otherwise; None: it is the same question, answered today."""
    question: str | None
    """None once erased."""
    other_question: str | None
    """None once erased, or if it is the same question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedNight:
    """A night on which past questions were asked again."""

    at: datetime
    asked: int
    pairs: int
    found: int


async def read_contradictions(connection: AsyncConnection) -> Sequence[ListedContradiction]:
    """Return what was found, the newest first."""
    rows = (await connection.execute(_FOUND, {"most": LISTED})).mappings()
    return [ListedContradiction(**row) for row in rows]


async def read_nights(connection: AsyncConnection) -> Sequence[CheckedNight]:
    """Return the last nights, the newest first."""
    rows = (await connection.execute(_NIGHTS, {"most": NIGHTS})).mappings()
    return [CheckedNight(**row) for row in rows]
