"""Nightly checks whether equal questions get equal answers, in Postgres: claimed, kept, told.

A day is claimed by one process, under a lease: of one that dies, another begins the check again.
What it found is kept once for each pair of answers, so that officers hear of nothing twice.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_posts import tell_officers
from core.adapters.postgres.engine.database import database_store, server_now
from core.adapters.postgres.engine.ledger import OfficerStore, append, unit_of
from core.adapters.postgres.engine.rows import record, row_of
from core.adapters.postgres.engine.transactions import begun_again
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.delivery import Notice
from core.domain.json_value import Json
from core.replay.consistency import CheckCounts, FoundContradiction, PastAnswer

LEASE_S = 600
"""Longer than the two runs of a question."""
MAX_ATTEMPTS = 3
DAYS = 90
POOL = 500
"""Questions of which the sample is drawn, and among which another wording is sought."""
LONGEST = 1_000
"""Characters of a policy's words that the record keeps."""

_CLAIM = text("""
INSERT INTO citebound.consistency_checks AS c (day, leased_until)
VALUES (:day, clock_timestamp() + make_interval(secs => :lease))
ON CONFLICT (day) DO UPDATE
   SET leased_until = clock_timestamp() + make_interval(secs => :lease), attempt = c.attempt + 1
 WHERE c.finished_at IS NULL AND c.leased_until < clock_timestamp() AND c.attempt < :most
RETURNING day""")
_RENEW = text(
    "UPDATE citebound.consistency_checks"
    " SET leased_until = clock_timestamp() + make_interval(secs => :lease)"
    " WHERE day = :day AND finished_at IS NULL"
)
# Texts that were erased are empty. What a thread or its surroundings add is not asked again, and
# neither is what was passed on to a person, as a report is.
_POOL = text("""
SELECT DISTINCT ON (lower(q.text), q.scope->'groups', q.scope->>'jurisdiction', q.scope->'tags')
       a.id::text AS answer_id, a.record_id::text, q.text, q.scope, a.edition, a.outcome,
       a.text AS said, a.answered_at,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('policy', p.key, 'version', v.id, 'quote',
                 substr(v.text, c.char_start + 1, c.char_end - c.char_start)) ORDER BY c.n), '[]')
          FROM citebound.citations c
          JOIN citebound.policy_versions v ON v.id = c.version_id
          JOIN citebound.policies p ON p.id = v.policy_id
         WHERE c.answer_id = a.id) AS citations
  FROM citebound.answers a JOIN citebound.questions q ON q.id = a.question_id
 WHERE a.id IN (
   SELECT n.id FROM citebound.answers n JOIN citebound.questions m ON m.id = n.question_id
    WHERE n.outcome IN ('answered', 'refused') AND n.reasoner NOT LIKE 'precedent/%'
      AND n.reasoner <> '' AND n.answered_at > clock_timestamp() - make_interval(days => :days)
      AND m.text <> '' AND m.standalone = m.text AND m.context = '[]'
      AND NOT m.assumptions @> '[{"source": "thread"}]'
      AND NOT m.assumptions @> '[{"source": "button"}]'
    ORDER BY n.answered_at DESC LIMIT :most)
 ORDER BY lower(q.text), q.scope->'groups', q.scope->>'jurisdiction', q.scope->'tags',
          a.answered_at DESC""")
_KNOWN = text(
    "SELECT EXISTS (SELECT FROM citebound.contradictions WHERE answer_id = CAST(:first AS uuid)"
    " AND other_answer_id = CAST(:second AS uuid) AND kind = :kind)"
)
_KEEP = text(
    "INSERT INTO citebound.contradictions (day, answer_id, other_answer_id, kind, record_id)"
    " VALUES (:day, CAST(:first AS uuid), CAST(:second AS uuid), :kind, CAST(:record AS uuid))"
    " ON CONFLICT DO NOTHING RETURNING id"
)
_FINISH = text(
    "UPDATE citebound.consistency_checks c SET finished_at = clock_timestamp(), asked = :asked,"
    " pairs = :pairs, cost_usd = :cost_usd,"
    " found = (SELECT count(*) FROM citebound.contradictions WHERE day = :day)"
    " WHERE day = :day AND finished_at IS NULL RETURNING found"
)


@database_store
class PostgresConsistency(OfficerStore):
    """See `core.replay.consistency.ConsistencyStore`. Safe from many processes."""

    @begun_again
    async def claim(self, day: date, /) -> bool:
        """See `ConsistencyStore.claim`."""
        given = {"day": day, "lease": LEASE_S, "most": MAX_ATTEMPTS}
        async with self._engine.begin() as connection:
            return await connection.scalar(_CLAIM, given) is not None

    @begun_again
    async def renew(self, day: date, /) -> None:
        """See `ConsistencyStore.renew`."""
        async with self._engine.begin() as connection:
            await connection.execute(_RENEW, {"day": day, "lease": LEASE_S})

    async def pool(self) -> tuple[PastAnswer, ...]:
        """See `ConsistencyStore.pool`."""
        async with self._engine.connect() as connection:
            found = await connection.execute(_POOL, {"days": DAYS, "most": POOL})
            return tuple(map(_past_answer, found.mappings()))

    @begun_again
    async def keep(self, day: date, found: FoundContradiction, /) -> bool:
        """See `ConsistencyStore.keep`."""
        said, contradiction = found.answer, found.contradiction
        first, second = sorted((said.answer_id, found.other.answer_id))
        pair = {"first": first, "second": second, "kind": contradiction.kind.value}
        async with self._engine.begin() as connection:
            if await connection.scalar(_KNOWN, pair):
                return False
            event = self._event(
                Tag.CONTRADICTION_FOUND,
                subject=said.answer_id,
                cause=said.record_id,
                says={
                    "kind": contradiction.kind.value,
                    "policy": contradiction.policy,
                    "other": None if first == second else found.other.answer_id,
                    "other_record": None if first == second else found.other.record_id,
                    "then": contradiction.then[:LONGEST],
                    "now": contradiction.now[:LONGEST],
                },
            )
            unit = await unit_of(connection, said.record_id)
            at = await server_now(connection)
            entry = self._ledger.of(unit).entry(event, at=at, content={})
            row = {**pair, "day": day, "record": entry.record_id}
            if await connection.scalar(_KEEP, row) is None:
                return False
            await append(connection, [entry])
            return True

    @begun_again
    async def finish(self, day: date, counts: CheckCounts, /) -> int:
        """See `ConsistencyStore.finish`."""
        async with self._engine.begin() as connection:
            found = await connection.scalar(_FINISH, row_of(counts, day=day))
            if found is None or not counts.asked:
                return 0
            await self._recorded(connection, day, counts, found=int(found))
            return int(found)

    async def _recorded(
        self, connection: AsyncConnection, day: date, counts: CheckCounts, *, found: int
    ) -> None:
        event = self._event(
            Tag.CONSISTENCY_CHECKED,
            subject=f"day:{day}",
            cause=None,
            says={"asked": counts.asked, "pairs": counts.pairs, "found": found},
        )
        await self._ledger.event(connection, event, content={})
        if found:
            await tell_officers(
                connection,
                Notice.CONTRADICTIONS,
                cause=f"consistency:{day}",
                officers=self._officers,
                ids=self._ledger.ids,
            )

    @staticmethod
    def _event(tag: Tag, *, subject: str, cause: str | None, says: Mapping[str, Json]) -> Event:
        return Event(
            tag=tag, actor="worker", actor_kind="system", subject=subject, cause=cause, says=says
        )


def _past_answer(row: RowMapping) -> PastAnswer:
    scope: Mapping[str, Any] = row["scope"]
    citations: Sequence[Mapping[str, Any]] = row["citations"]
    return record(
        PastAnswer,
        {**scope, **row},
        versions=frozenset(one["version"] for one in citations),
        told={"outcome": row["outcome"], "answer": row["said"], "citations": list(citations)},
    )
