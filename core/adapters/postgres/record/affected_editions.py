"""What an edition made of past answers, as officers decide on it: counted, approved, on cards.

A card is read when it is sent, like that of a case. What the cards were last queued for is kept, so
that whoever looks next queues what has changed since: after a kill nothing stays outdated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ARRAY, Integer, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_posts import officers_conversation
from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import OfficerStore
from core.adapters.postgres.engine.officer_stores import ReadsForOfficers
from core.adapters.postgres.engine.reach import blank_for, is_for_officers
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.replies import queue_reply, rewrite
from core.domain.affected import AffectedEdition, ChangedClause
from core.domain.delivery import StoredReply
from core.domain.errors import OvertakenError
from core.domain.officers import Officers
from core.ports import IdSource

CLAUSES = 5
"""Changed clauses that a card shows."""
APART_S = 20.0
"""Between two corrections in one channel: nobody's channel is flooded."""

_COUNTS = text("""
SELECT count(*) FILTER (WHERE state = 'found') AS waiting,
       count(*) FILTER (WHERE state = 'approved') AS under_way,
       count(*) FILTER (WHERE state = 'superseded') AS told,
       count(*) FILTER (WHERE state = 'confirmed') AS confirmed,
       count(*) FILTER (WHERE state = 'dropped') AS dropped,
       count(*) FILTER (WHERE state = 'failed') AS failed,
       coalesce(array_agg(DISTINCT approved_by ORDER BY approved_by)
         FILTER (WHERE approved_by IS NOT NULL), '{}') AS approved_by,
       max(approved_at) AS approved_at
  FROM citebound.affected_answers WHERE edition = :edition HAVING count(*) > 0""")
_CLAUSES = text("""
SELECT c->>'title' AS title, c->>'section' AS section, c->>'old_version' AS old_version,
       c->>'new_version' AS new_version, c->>'change' AS change, c->>'before' AS before,
       c->>'after' AS after, count(DISTINCT answer_id) AS answers, count(*) OVER () AS clauses
  FROM citebound.affected_answers, jsonb_array_elements(changes) AS said,
       citebound.shown_change(said) AS c
 WHERE edition = :edition
 GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY answers DESC, title, section, before LIMIT :most""")
# Of one person's equal questions in one thread the newest answer is corrected, while it is known
# who asked; at the terminal nobody can be told.
_APPROVE = text("""
WITH open AS (
  SELECT x.answer_id, x.edition, q.conversation_id, q.standalone, a.answered_at,
         c.platform, c.tenant, c.channel, i.person
    FROM citebound.affected_answers x
    JOIN citebound.answers a ON a.id = x.answer_id
    JOIN citebound.questions q ON q.id = a.question_id
    JOIN citebound.conversations c ON c.id = q.conversation_id
    LEFT JOIN citebound.inbox i ON i.question_id = q.id
   WHERE x.state = 'found' AND (CAST(:edition AS int) IS NULL OR x.edition = :edition)
     AND (CAST(:policy AS text) IS NULL
          OR x.changes @> jsonb_build_array(jsonb_build_object('policy', CAST(:policy AS text))))
     AND (CAST(:seen AS int) IS NULL OR :seen = (
       SELECT count(*) FROM citebound.affected_answers WHERE edition = :edition))
     FOR UPDATE OF x),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY conversation_id, person, standalone
    ORDER BY answered_at DESC, edition DESC) AS place FROM open),
spaced AS (
  SELECT *, row_number() OVER (PARTITION BY platform, tenant, channel, place = 1
    ORDER BY answered_at) - 1 AS before FROM ranked)
UPDATE citebound.affected_answers x
   SET state = CASE WHEN s.place = 1 AND s.person <> '' THEN 'approved' ELSE 'dropped' END,
       approved_by = :officer,
       approved_at = clock_timestamp(),
       next_at = clock_timestamp() + s.before * make_interval(secs => :apart)
  FROM spaced s WHERE x.answer_id = s.answer_id AND x.edition = s.edition
RETURNING x.state""")
_TOTAL = text("SELECT count(*) FROM citebound.affected_answers WHERE edition = :edition")
# Whoever finds a difference holds the row until its cards are queued.
_DIFFERING = text("""
WITH counted AS (
  SELECT edition, count(*) AS total, count(*) FILTER (WHERE state = 'found') AS waiting,
         count(*) FILTER (WHERE state = 'approved') AS under_way
    FROM citebound.affected_answers GROUP BY edition)
INSERT INTO citebound.affected_cards AS k (edition, total, waiting, under_way, totals)
SELECT c.edition, c.total, c.waiting, c.under_way, ARRAY[c.total]
  FROM counted c LEFT JOIN citebound.affected_cards b USING (edition)
 WHERE (c.total, c.waiting, c.under_way) IS DISTINCT FROM (b.total, b.waiting, b.under_way)
 ORDER BY c.edition
ON CONFLICT (edition) DO UPDATE
   SET total = excluded.total, waiting = excluded.waiting, under_way = excluded.under_way,
       totals = CASE WHEN excluded.total = ANY (k.totals) THEN k.totals
                     ELSE k.totals || excluded.totals END
 WHERE (k.total, k.waiting, k.under_way)
       IS DISTINCT FROM (excluded.total, excluded.waiting, excluded.under_way)
RETURNING edition, total, waiting, totals""")
_POSTED = text(
    "SELECT DISTINCT ON (conversation_id) id, cause, conversation_id::text, person, mode,"
    " is_direct FROM citebound.outbox WHERE cause = ANY(:causes) ORDER BY conversation_id, id"
).bindparams(bindparam("causes", type_=ARRAY(Text)))


_BY_STATE = text(
    "SELECT edition, state, count(*) AS answers FROM citebound.affected_answers"
    " WHERE edition = ANY(:editions) GROUP BY 1, 2"
).bindparams(bindparam("editions", type_=ARRAY(Integer)))
_WAITING = text(
    "SELECT edition, count(*) AS answers FROM citebound.affected_answers WHERE state = 'found'"
    " GROUP BY edition ORDER BY edition DESC"
)
_LISTED = text(
    "SELECT answer_id::text, record_id::text AS found_record, state, approved_by"
    " FROM citebound.affected_answers"
    " WHERE edition = :edition AND (:state = '' OR state = :state)"
    " AND (:policy = '' OR changes @> jsonb_build_array(jsonb_build_object('policy', :policy)))"
    " AND (CAST(:before AS uuid) IS NULL OR answer_id < CAST(:before AS uuid))"
    " ORDER BY answer_id DESC LIMIT :most"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAnswer:
    """An affected answer as the working table has it."""

    answer_id: str
    found_record: str
    """The record that found it: `answer:affected`."""
    state: str
    """`found`, `approved`, `superseded`, `confirmed`, `dropped` or `failed`."""
    approved_by: str | None
    """Login; None: nobody yet."""


@database_store
class PostgresAffectedEditions(ReadsForOfficers, OfficerStore):
    """See `core.ports.corrections.AffectedEditions`. Safe from many processes."""

    async def find(self, edition: int, /, *, clauses: int = CLAUSES) -> AffectedEdition | None:
        """See `AffectedEditions.find`; `clauses` is how many are read at most.

        For nobody in particular it says what a card does: what all officers may read.
        """
        async with self._engine.connect() as connection:
            if not is_for_officers(self._engine):
                await blank_for(connection, self._officers.logins)
            return await read_edition(connection, edition, clauses=clauses)

    async def waiting(self) -> Mapping[int, int]:
        """Return how many answers wait for a decision, by edition, newest first."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(_WAITING)
            return {row.edition: row.answers for row in rows}

    async def by_state(self, editions: Sequence[int]) -> Mapping[int, Mapping[str, int]]:
        """Return how many answers of each edition are in each state."""
        found: dict[int, dict[str, int]] = {}
        async with self._engine.connect() as connection:
            for row in await connection.execute(_BY_STATE, {"editions": list(editions)}):
                found.setdefault(row.edition, {})[row.state] = row.answers
        return found

    async def listed(
        self, edition: int, *, state: str, policy: str, before: UUID | None, most: int
    ) -> Sequence[ListedAnswer]:
        """Return affected answers of an edition, the newest first; empty filters mean any."""
        given = {
            "edition": edition,
            "state": state,
            "policy": policy,
            "before": before,
            "most": most,
        }
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_LISTED, given)).all()
        return [record(ListedAnswer, row) for row in rows]

    @begun_again
    async def approve(
        self, *, officer: str, edition: int | None, policy: str | None, seen: int | None = None
    ) -> int:
        """See `AffectedEditions.approve`."""
        given = {"officer": officer, "edition": edition, "policy": policy, "seen": seen}
        async with self.engine_for(officer).begin() as connection:
            approved = await connection.scalars(_APPROVE, {**given, "apart": APART_S})
            states = approved.all()
            if seen is not None and not states:
                total = await connection.scalar(_TOTAL, {"edition": edition})
                if total != seen:
                    raise OvertakenError(f"{total} answers are affected, not {seen}")
        await self.update_cards()
        return sum(state == "approved" for state in states)

    @begun_again
    async def update_cards(self) -> None:
        """See `AffectedEditions.update_cards`."""
        async with self._engine.begin() as connection:
            await update_cards(connection, self._officers, ids=self._ledger.ids)


async def read_edition(
    connection: AsyncConnection, edition: int, *, clauses: int = CLAUSES
) -> AffectedEdition | None:
    """See `AffectedEditions.find`."""
    counts = (await connection.execute(_COUNTS, {"edition": edition})).mappings().one_or_none()
    if counts is None:
        return None
    given = {"edition": edition, "most": clauses}
    rows = (await connection.execute(_CLAUSES, given)).mappings().all()
    changed = tuple(record(ChangedClause, row) for row in rows)
    left_out = rows[0]["clauses"] - len(rows) if rows else 0
    return record(
        AffectedEdition, counts, edition=edition, clauses=changed, clauses_left_out=left_out
    )


async def update_cards(connection: AsyncConnection, officers: Officers, *, ids: IdSource) -> None:
    """Queue what the officers' channel has not been shown: a card, or how one stands now.

    Where more answers were found since a card was queued, a new one is posted below, and the button
    of the earlier one is of no use any more.
    """
    routes = officers.routes(is_sensitive=False)
    if not routes:
        return
    for row in (await connection.execute(_DIFFERING)).mappings().all():
        reply = StoredReply(edition=row["edition"])
        causes = [f"affected:{row['edition']}:{total}" for total in row["totals"]]
        posted = (await connection.execute(_POSTED, {"causes": causes})).all()
        for card in posted:
            await rewrite(connection, reply, card)
        cause = f"affected:{row['edition']}:{row['total']}"
        if not row["waiting"] or cause in {card.cause for card in posted}:
            continue
        for route in routes:
            place = route.place(cause)
            await queue_reply(
                connection,
                reply,
                cause=cause,
                conversation_id=await officers_conversation(connection, place, ids=ids),
                person=route.person,
                mode=place.mode,
                is_direct=route.is_direct,
            )
