"""Affected answers as officers look at them: by edition, each with what became of its quotes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

EDITIONS = 100
"""Listed at most."""

_EDITIONS = text("""
SELECT f.edition, e.published_at, count(*) AS answers, f.policies
  FROM (SELECT CAST(r.doc->>'edition' AS integer) AS edition,
               ARRAY(SELECT DISTINCT c->>'policy' FROM jsonb_array_elements(r.doc->'changes') AS c
                      ORDER BY 1) AS policies
          FROM audit.record r WHERE r.tag = 'answer:affected') AS f
  LEFT JOIN citebound.editions e ON e.number = f.edition
 WHERE :policy = '' OR :policy = ANY (f.policies)
 GROUP BY f.edition, e.published_at, f.policies ORDER BY f.edition DESC""")
_AFFECTS = text(
    "SELECT EXISTS (SELECT FROM audit.record WHERE tag = 'answer:affected'"
    " AND doc->>'edition' = CAST(CAST(:edition AS integer) AS text))"
)
_ANSWERS = text("""
SELECT f.id AS found_record, a.id AS record_id, a.at AS answered_at, f.at AS found_at,
       left(q.body, 600) AS question, f.doc->'changes' AS changes, d.at AS decided_at,
       d.doc->>'record' AS new_record,
       (SELECT min(p.at) FROM audit.record p
         WHERE p.tag = 'reply:posted' AND p.subject = d.doc->>'instead') AS notified_at
  FROM audit.record f
 CROSS JOIN LATERAL (SELECT CAST(f.doc->>'cause' AS uuid) AS record_id OFFSET 0) AS k
  JOIN audit.record a ON a.id = k.record_id
  LEFT JOIN audit.content q ON q.record_id = a.id AND q.field = 'question'
  LEFT JOIN LATERAL (
    SELECT r.at, r.doc FROM audit.record r
     WHERE r.subject = f.subject AND r.at >= f.at
       AND r.tag IN ('answer:confirmed', 'answer:superseded')
     ORDER BY r.at DESC LIMIT 1) AS d ON true
 WHERE f.id = ANY(:records)""").bindparams(bindparam("records", type_=ARRAY(Uuid)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEdition:
    """An edition that affects past answers."""

    edition: int
    published_at: datetime | None
    answers: int
    policies: tuple[str, ...]
    """Keys of those that changed under an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedAnswer:
    """An affected answer, with what became of its quotes."""

    record_id: UUID
    answered_at: datetime
    found_at: datetime
    question: str | None
    """As asked; None once erased."""
    changes: Sequence[Mapping[str, Any]]
    """As the record says them: policy, title, section, versions, change, before, after."""
    decided_at: datetime | None
    """When it was confirmed or superseded; None: not yet."""
    new_record: str | None
    """The record of the answer that was given instead; None: there is none."""
    notified_at: datetime | None
    """When its asker was told; None: not yet, or there was no need."""


async def read_editions(connection: AsyncConnection, *, policy: str) -> Sequence[ListedEdition]:
    """Return editions that affect answers of the officer's units, newest first."""
    answers: dict[int, int] = {}
    published: dict[int, datetime | None] = {}
    policies: dict[int, set[str]] = {}
    for row in await connection.execute(_EDITIONS, {"policy": policy}):
        answers[row.edition] = answers.get(row.edition, 0) + row.answers
        published[row.edition] = row.published_at
        policies.setdefault(row.edition, set()).update(row.policies)
    return [
        ListedEdition(
            edition=edition,
            published_at=published[edition],
            answers=count,
            policies=tuple(sorted(policies[edition])),
        )
        for edition, count in list(answers.items())[:EDITIONS]
    ]


async def affects_answers(connection: AsyncConnection, edition: int) -> bool:
    """Say whether an edition affects any answer of the officer's units."""
    return bool(await connection.scalar(_AFFECTS, {"edition": edition}))


async def read_changes(
    connection: AsyncConnection, found_records: Sequence[str]
) -> Mapping[str, ChangedAnswer]:
    """Return affected answers by the record that found each; none of other units."""
    given = {"records": [UUID(one) for one in found_records]}
    rows = (await connection.execute(_ANSWERS, given)).mappings()
    return {
        str(row["found_record"]): ChangedAnswer(
            **{name: row[name] for name in row if name != "found_record"}
        )
        for row in rows
    }
