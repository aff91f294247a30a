"""Precedents as rows: for officers in one transaction with their record, and for who asks."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar

from sqlalchemy import ARRAY, Integer, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_posts import tell_officers
from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import Ledger, OfficerStore, unit_of
from core.adapters.postgres.engine.officer_stores import ReadsForOfficers
from core.adapters.postgres.engine.rows import record, row_of
from core.adapters.postgres.engine.scope import LIVE, scope_parameters
from core.adapters.postgres.engine.transactions import begun_again, reading
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.delivery import Notice
from core.domain.json_value import Json
from core.domain.officers import Officers
from core.domain.question import Scope
from core.ports.precedents import (
    AnsweredCase,
    BoundClause,
    Precedent,
    PrecedentUnit,
    SectionText,
)

_T = TypeVar("_T")
MOST_LISTED = 500

# The words of who asked are read where they stand: with their question, until they are erased.
COLUMNS = """
SELECT p.id::text AS precedent_id, p.number, k.number AS case_number, p.state, p.is_askers,
       p.wordings, p.answer,
       CASE WHEN p.is_askers THEN q.standalone ELSE p.question END AS question, p.answered_by,
       p.groups, p.jurisdictions, p.expires_on, p.proposed_by, p.proposed_at, p.decided_by,
       p.approved_at, p.reason, p.record_id::text,
       (SELECT json_agg(json_build_object(
          'version_id', c.version_id, 'char_start', c.char_start, 'char_end', c.char_end,
          'quote', c.quote, 'section', c.section, 'policy', l.key,
          'version', coalesce(v.label, v.number::text), 'audience',
          citebound.audience_now(v.audience, v.policy_id),
          'jurisdiction', v.jurisdiction) ORDER BY c.n)
          FROM citebound.precedent_clauses c
          JOIN citebound.policy_versions v ON v.id = c.version_id
          JOIN citebound.policies l ON l.id = v.policy_id
         WHERE c.precedent_id = p.id) AS clauses
  FROM citebound.precedents p JOIN citebound.cases k ON k.id = p.case_id
  JOIN citebound.questions q ON q.id = k.question_id
"""
_FIND = text(f"{COLUMNS} WHERE p.number = :number")
_LOCK = text(f"{COLUMNS} WHERE p.number = :number FOR UPDATE OF p")
_LISTED = text(f"{COLUMNS} ORDER BY p.number DESC LIMIT {MOST_LISTED}")
_OF_CASE = text(f"{COLUMNS} WHERE p.case_id = CAST(:case AS uuid) ORDER BY p.number DESC")
_FOR_READERS = text(
    f"{COLUMNS} WHERE p.state = 'approved' AND p.expires_on > :day AND p.groups && :groups"  # noqa: S608  # constants
    " AND :edition = (SELECT max(number) FROM citebound.editions) ORDER BY p.number"
).bindparams(bindparam("groups", type_=ARRAY(Text)))
_READ = text(
    f"SELECT version_id FROM {LIVE} live WHERE version_id = ANY(CAST(:versions AS bigint[]))"  # noqa: S608  # constants
)
_ANSWERED = text("""
SELECT k.id::text AS case_id, k.number, k.is_sensitive, k.record_id::text,
       q.standalone AS question, q.scope->>'jurisdiction' AS jurisdiction,
       coalesce(m.body, '') AS answer, coalesce(m.actor, '') AS answered_by
  FROM citebound.cases k JOIN citebound.questions q ON q.id = k.question_id
  LEFT JOIN LATERAL (
    SELECT body, actor FROM citebound.case_messages
     WHERE case_id = k.id AND kind = 'answer' AND refusal IS NULL AND body <> ''
       AND k.state IN ('answered', 'closed') ORDER BY id DESC LIMIT 1) m ON true
 LEFT JOIN citebound.outbox o ON o.id = k.reply_id
 WHERE k.number = :number
   AND audit.answer_lacked(o.reply->'answer', citebound.readers()) IS NULL
   FOR UPDATE OF k""")
# Whoever may read them: who may read a clause is compared with whom it is told to.
_EVERYBODY = "citebound.versions_in_force(NULL, :day)"
_SECTION = text(f"""
SELECT v.id AS version_id, l.key AS policy, coalesce(v.label, v.number::text) AS version,
       citebound.audience_now(v.audience, v.policy_id) AS audience, v.jurisdiction,
       coalesce(s.number, s.title) AS section, s.body_start AS char_start,
       substr(v.text, s.body_start + 1, s.char_end - s.body_start) AS text
  FROM {_EVERYBODY} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies l ON l.id = v.policy_id
  JOIN citebound.sections s ON s.version_id = v.id
 WHERE l.key = :policy AND audit.lacked(ARRAY[v.id], citebound.readers()) IS NULL
   AND lower(CAST(:section AS text)) IN (lower(s.number), lower(s.title))
 LIMIT 2""")  # noqa: S608  # constants
_STANDING = text(f"""
SELECT count(*) FROM unnest(:versions, :starts, :ends, :quotes)
         AS c (version_id, char_start, char_end, quote)
  JOIN {_EVERYBODY} live ON live.version_id = c.version_id
  JOIN citebound.policy_versions v ON v.id = c.version_id
 WHERE substr(v.text, c.char_start + 1, c.char_end - c.char_start) = c.quote""").bindparams(  # noqa: S608  # constants
    bindparam("versions", type_=ARRAY(Integer)),
    bindparam("starts", type_=ARRAY(Integer)),
    bindparam("ends", type_=ARRAY(Integer)),
    bindparam("quotes", type_=ARRAY(Text)),
)
_INSERT = text(
    "INSERT INTO citebound.precedents (id, case_id, state, question, is_askers, wordings, answer,"
    " answered_by, groups, jurisdictions, expires_on, proposed_by, proposed_at, proposal_id,"
    " record_id) VALUES (:precedent_id, CAST(:case AS uuid), :state, :question, :is_askers,"
    " :wordings, :answer, :answered_by, :groups, :jurisdictions, :expires_on, :proposed_by,"
    " :proposed_at, CAST(:record_id AS uuid), CAST(:record_id AS uuid)) RETURNING number"
).bindparams(*(bindparam(n, type_=ARRAY(Text)) for n in ("wordings", "groups", "jurisdictions")))
_INSERT_CLAUSE = text(
    "INSERT INTO citebound.precedent_clauses (precedent_id, n, version_id, char_start, char_end,"
    " quote, section)"
    " VALUES (:precedent_id, :n, :version_id, :char_start, :char_end, :quote, :section)"
)
_SAVE = text(
    "UPDATE citebound.precedents SET state = :state, decided_by = :decided_by,"
    " approved_at = :approved_at, reason = :reason, record_id = CAST(:record_id AS uuid)"
    " WHERE id = CAST(:precedent_id AS uuid)"
)


@database_store
class PostgresPrecedents(ReadsForOfficers, OfficerStore):
    """See `core.ports.precedents.PrecedentStore` and `TellsPrecedents`."""

    @begun_again
    async def run(self, work: Callable[[PrecedentUnit], Awaitable[_T]], /) -> _T:
        """See `PrecedentStore.run`."""
        async with self._engine.begin() as connection:
            return await work(PrecedentRows(connection, self._ledger, self._officers))

    async def find(self, number: int, /) -> Precedent | None:
        """See `PrecedentStore.find`."""
        return next(iter(await self._all(_FIND, number=number)), None)

    async def listed(self) -> tuple[Precedent, ...]:
        """See `PrecedentStore.listed`."""
        return await self._all(_LISTED)

    async def of_case(self, case_id: str, /) -> tuple[Precedent, ...]:
        """See `PrecedentStore.of_case`."""
        return await self._all(_OF_CASE, case=case_id)

    async def tellable(self, scope: Scope, /) -> tuple[Precedent, ...]:
        """See `TellsPrecedents.tellable`."""
        if scope.is_other_day:
            return ()
        given = {"day": scope.as_of, "groups": sorted(scope.groups), "edition": scope.edition}
        found = await self._all(_FOR_READERS, **given)
        versions = {clause.span.version_id for one in found for clause in one.clauses}
        if not versions:
            return ()
        async with reading(self._engine) as connection:
            parameters = {**scope_parameters(scope), "versions": sorted(versions)}
            live = set(await connection.scalars(_READ, parameters))
        return tuple(
            one
            for one in found
            if one.question and one.answer and {c.span.version_id for c in one.clauses} <= live
        )

    async def _all(self, query: Any, **given: object) -> tuple[Precedent, ...]:
        async with reading(self._engine) as connection:
            rows = (await connection.execute(query, given)).mappings().all()
        return tuple(map(precedent_of, rows))


class PrecedentRows:
    """See `core.ports.precedents.PrecedentUnit`: reads and writes on one connection."""

    def __init__(self, connection: AsyncConnection, ledger: Ledger, officers: Officers) -> None:
        self._connection = connection
        self._ledger = ledger
        self._officers = officers

    async def answered(self, number: int, /) -> AnsweredCase | None:
        """See `PrecedentUnit.answered`."""
        found = await self._connection.execute(_ANSWERED, {"number": number})
        row = found.mappings().one_or_none()
        return None if row is None else record(AnsweredCase, row)

    async def of_case(self, case_id: str, /) -> tuple[Precedent, ...]:
        """See `PrecedentUnit.of_case`."""
        found = await self._connection.execute(_OF_CASE, {"case": case_id})
        return tuple(map(precedent_of, found.mappings()))

    async def section(self, policy: str, section: str, /, *, on_day: date) -> SectionText | None:
        """See `PrecedentUnit.section`."""
        given = {"policy": policy, "section": section, "day": on_day}
        rows = (await self._connection.execute(_SECTION, given)).mappings().all()
        return record(SectionText, rows[0]) if len(rows) == 1 else None

    async def standing(self, clauses: Sequence[BoundClause], /, *, on_day: date) -> bool:
        """See `PrecedentUnit.standing`."""
        given = {
            "versions": [one.span.version_id for one in clauses],
            "starts": [one.span.char_start for one in clauses],
            "ends": [one.span.char_end for one in clauses],
            "quotes": [one.quote for one in clauses],
            "day": on_day,
        }
        return await self._connection.scalar(_STANDING, given) == len(clauses) > 0

    async def locked(self, number: int, /) -> Precedent | None:
        """See `PrecedentUnit.locked`."""
        found = await self._connection.execute(_LOCK, {"number": number})
        row = found.mappings().one_or_none()
        return None if row is None else precedent_of(row)

    async def insert(self, precedent: Precedent, /, *, case_id: str) -> Precedent:
        """See `PrecedentUnit.insert`; officers are told that one waits."""
        question = "" if precedent.is_askers else precedent.question
        row = row_of(precedent, **row_of(precedent.scope), case=case_id, question=question)
        number = await self._connection.scalar(_INSERT, row)
        clauses = [
            row_of(clause, **row_of(clause.span), precedent_id=precedent.precedent_id, n=n)
            for n, clause in enumerate(precedent.clauses, start=1)
        ]
        await self._connection.execute(_INSERT_CLAUSE, clauses)
        await self.tell_officers(precedent, Notice.PRECEDENT_PROPOSED)
        return replace(precedent, number=int(number or 0))

    async def save(self, precedent: Precedent, /) -> None:
        """See `PrecedentUnit.save`."""
        await self._connection.execute(_SAVE, row_of(precedent))

    async def record(
        self,
        tag: Tag,
        precedent: Precedent,
        /,
        *,
        actor: str,
        cause: str,
        says: Mapping[str, Json] | None = None,
        content: Mapping[str, str] | None = None,
        actor_kind: str = "officer",
    ) -> None:
        """See `PrecedentUnit.record`."""
        event = Event(
            tag=tag,
            actor=actor,
            actor_kind=actor_kind,
            conversation=None,
            seq=None,
            subject=precedent.precedent_id,
            cause=cause,
            trace_id=None,
            says=says or {},
        )
        ledger = self._ledger.of(await unit_of(self._connection, cause))
        await ledger.event(
            self._connection, event, content=content or {}, record_id=precedent.record_id
        )

    async def tell_officers(self, precedent: Precedent, notice: Notice) -> None:
        """Queue a notice to officers, once for each state of a precedent."""
        await tell_officers(
            self._connection,
            notice,
            cause=f"precedent:{precedent.record_id}",
            officers=self._officers,
            ids=self._ledger.ids,
        )


def precedent_of(row: Mapping[Any, Any]) -> Precedent:
    """Return a precedent from a row of `COLUMNS`."""
    return record(Precedent, row)
