"""Cases as rows: read with what belongs to them, stored and changed."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record, row_of
from core.adapters.postgres.engine.transactions import AdvisoryLock, wait_for_one
from core.adapters.postgres.queue.replies import reply_of
from core.domain.case import (
    AskedAnswer,
    CaseState,
    NewCase,
    StoredCase,
)
from core.domain.errors import IntegrityError
from core.domain.officers import Account
from core.ports.cases import SettledFilter

NOT_CONFIRMED = (
    "(SELECT v.verdict FROM citebound.verdicts v WHERE v.answer_id = a.id"
    " ORDER BY v.id DESC LIMIT 1) IS DISTINCT FROM 'right'"
)
"""Whether an officer's answer takes the place of answer `a`: it doesn't if they found it right."""
_COLUMNS = (  # the question as it stands alone, unless a report was made before in its thread
    "SELECT k.id::text AS case_id, k.number, k.state, k.owner, k.owner_name, k.claimed_at,"
    " k.due_at, k.opened_at, k.urgency, k.opener, k.note, k.record_id::text, k.asker_name,"
    " k.person, k.mode, k.permalink, k.is_private, k.is_anonymous, k.is_sensitive, k.is_wrong,"
    " k.reason, k.reply_id, k.answered_at, k.reminded_at, k.overdue_at, k.excluded,"
    " k.acknowledge_by, k.acknowledged_at, k.feedback_by, k.feedback_at, k.clocked_until,"
    " CASE WHEN k.is_sensitive THEN (SELECT coalesce(json_agg(json_build_object('at', m.at,"
    "  'officer', m.officer_name, 'text', citebound.shown_words(m.body, o.reply))"
    "  ORDER BY m.id), '[]') FROM citebound.case_messages m WHERE m.case_id = k.id"
    "  AND m.kind IN ('message', 'answer', 'written') AND m.refusal IS NULL"
    "  AND m.body <> '') ELSE '[]' END AS messages,"
    " q.id::text AS question_id,"
    " CASE WHEN EXISTS (SELECT FROM citebound.questions b JOIN citebound.answers r"
    "  ON r.question_id = b.id WHERE b.conversation_id = q.conversation_id"
    "  AND b.asked_at < q.asked_at AND r.outcome = 'escalated' AND r.refusal IS NULL)"
    " THEN q.text ELSE q.standalone END AS question,"
    " q.conversation_id::text, a.id::text AS answer_id, c.platform, c.tenant, c.channel, c.thread,"
    " citebound.shown_reply(o.reply) AS reply,"
    " coalesce((SELECT citebound.shown_words(m.body, o.reply)"
    "  FROM citebound.case_messages m WHERE m.case_id = k.id"
    "  AND m.kind = 'answer' AND m.refusal IS NULL ORDER BY m.id DESC LIMIT 1), '') AS told,"
    # An earlier release kept no more of what an officer found than that it is wrong.
    " coalesce((SELECT v.verdict FROM citebound.verdicts v WHERE v.answer_id = a.id"
    "  ORDER BY v.id DESC LIMIT 1), CASE WHEN k.is_wrong THEN 'wrong' END) AS verdict"
    " FROM citebound.cases k JOIN citebound.questions q ON q.id = k.question_id"
    " JOIN citebound.answers a ON a.question_id = q.id"
    " JOIN citebound.conversations c ON c.id = q.conversation_id"
    " LEFT JOIN citebound.outbox o ON o.id = k.reply_id "
)
_BY_ID = text(_COLUMNS + "WHERE k.id = CAST(:id AS uuid)")
_OF_QUESTION = text(_COLUMNS + "WHERE k.question_id = CAST(:question AS uuid)")
_OF_ANSWER = text(_COLUMNS + "WHERE a.id = CAST(:answer AS uuid)")
_LISTED = text(
    _COLUMNS + "WHERE k.state = ANY(:states) ORDER BY k.urgency = 'today' DESC, k.number LIMIT 200"
)
# Whoever may not read a report must not find it by its words either.
_SETTLED = text(
    _COLUMNS + "WHERE k.state IN ('answered', 'closed')"
    " AND (:words = '' OR NOT k.is_sensitive"
    "  AND strpos(lower(q.standalone), lower(:words)) > 0)"
    " AND (:officer = '' OR k.owner = :officer)"
    " AND (CAST(:since AS date) IS NULL OR k.opened_at >= CAST(:since AS date))"
    " AND (CAST(:until AS date) IS NULL OR k.opened_at < CAST(:until AS date) + 1)"
    " AND (CAST(:before AS bigint) IS NULL OR k.number < :before)"
    " ORDER BY k.number DESC LIMIT :most"
)
_OF_ASKER = text(
    _COLUMNS + "WHERE k.person = :person AND c.platform = :platform AND c.tenant = :tenant"
    " AND k.state <> 'closed' ORDER BY k.number DESC LIMIT 50"
)
_ANSWER = text(
    "SELECT a.id::text AS answer_id, a.outcome, q.id::text AS question_id,"
    " a.outcome = 'escalated' AND a.refusal IS NULL AS was_reported,"
    " q.text AS question, q.standalone, q.conversation_id::text, i.person, i.mode, i.asker,"
    " o.id AS reply_id, ARRAY(SELECT b.text FROM citebound.questions b"
    "  JOIN citebound.answers r ON r.question_id = b.id WHERE b.conversation_id = q.conversation_id"
    "  AND b.asked_at < q.asked_at AND r.outcome = 'escalated' AND r.refusal IS NULL"
    "  ORDER BY b.asked_at DESC LIMIT 50) AS reported_before,"
    " ARRAY(SELECT said.text FROM citebound.claims said WHERE said.answer_id = a.id) AS claims"
    " FROM citebound.answers a JOIN citebound.questions q ON q.id = a.question_id"
    " JOIN citebound.conversations c ON c.id = q.conversation_id"
    " JOIN citebound.inbox i ON i.question_id = q.id"
    " LEFT JOIN citebound.outbox o ON o.cause = 'message:' || i.id AND o.part = 0"
    " WHERE a.id = CAST(:answer AS uuid) AND c.platform = :platform AND c.tenant = :tenant"
)
_INSERT = text(
    "INSERT INTO citebound.cases (id, number, question_id, state, reason, due_at, opened_at,"
    " urgency, opener, note, reply_id, record_id, asker, asker_name, person, mode, permalink,"
    " is_private, is_anonymous, is_sensitive, excluded, acknowledge_by, feedback_by)"
    " OVERRIDING SYSTEM VALUE VALUES (:case_id,"
    " :number, :question_id, 'open', :outcome, :due_at, :opened_at, :urgency, :opener, :note,"
    " :reply_id, :record_id, :asker, :asker_name, :person, :mode, :permalink, :is_private,"
    " :is_anonymous, :is_sensitive, CAST(:excluded AS text[]), :acknowledge_by, :feedback_by)"
)
_TO_REMIND = text(
    "SELECT id::text FROM citebound.cases WHERE state IN ('open', 'claimed')"
    " AND overdue_at IS NULL AND due_at <= CASE WHEN reminded_at IS NULL THEN"
    "  CAST(:until AS timestamptz) ELSE CAST(:now AS timestamptz) END"
    " UNION SELECT id::text FROM citebound.cases WHERE feedback_at IS NULL AND least(feedback_by,"
    "  CASE WHEN acknowledged_at IS NULL THEN acknowledge_by END) <= :until LIMIT 500"
)
_PERSON = text("SELECT encode(match_hash, 'hex') FROM audit.identity WHERE pseudonym = :asker")
_PASSED_ON = text(
    "SELECT count(*) FROM citebound.cases"
    " WHERE (asker = :asker OR asker IN (SELECT o.pseudonym FROM audit.identity s"
    "   JOIN audit.identity o USING (match_hash) WHERE s.pseudonym = :asker))"
    " AND opener = 'pipeline' AND opened_at > :since"
)
_NUMBER = text("SELECT nextval(pg_get_serial_sequence('citebound.cases', 'number'))")
_SAVE = text(
    "UPDATE citebound.cases SET state = :state, owner = :owner, owner_name = :owner_name,"
    " claimed_at = :claimed_at, answered_at = :answered_at, is_wrong = :is_wrong, opener = :opener,"
    " note = :note, urgency = :urgency, due_at = :due_at, asker_name = :asker_name,"
    " permalink = :permalink, is_private = :is_private, is_anonymous = :is_anonymous,"
    " is_sensitive = :is_sensitive, reminded_at = :reminded_at, overdue_at = :overdue_at,"
    " excluded = CAST(:excluded AS text[]), acknowledge_by = :acknowledge_by,"
    " acknowledged_at = :acknowledged_at, feedback_by = :feedback_by, feedback_at = :feedback_at,"
    " clocked_until = :clocked_until"
    " WHERE id = CAST(:case_id AS uuid)"
)
_LOCK = text("SELECT 1 FROM citebound.conversations WHERE id = CAST(:id AS uuid) FOR NO KEY UPDATE")


class PostgresCaseRows:
    """See `core.ports.cases.CaseRows`: reads and writes on one connection."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def asked(self, answer_id: str, by: Account, /) -> AskedAnswer | None:
        """See `CaseRows.asked`."""
        if not is_uuid(answer_id):
            return None
        keys = {"answer": answer_id, "platform": by.platform, "tenant": by.tenant}
        row = (await self._connection.execute(_ANSWER, keys)).mappings().one_or_none()
        return None if row is None else record(AskedAnswer, row)

    async def lock(self, conversation_id: str, /) -> None:
        """See `CaseRows.lock`."""
        await self._connection.execute(_LOCK, {"id": conversation_id})

    async def find(self, case_id: str, /) -> StoredCase | None:
        """See `CaseRows.find`."""
        return await self._one(_BY_ID, id=case_id) if is_uuid(case_id) else None

    async def of_question(self, question_id: str, /) -> StoredCase | None:
        """See `CaseRows.of_question`."""
        return await self._one(_OF_QUESTION, question=question_id)

    async def of_answer(self, answer_id: str, /) -> StoredCase | None:
        """See `CaseStore.of_answer`."""
        return await self._one(_OF_ANSWER, answer=answer_id) if is_uuid(answer_id) else None

    async def listed(self, states: Collection[CaseState], /) -> tuple[StoredCase, ...]:
        """See `CaseStore.listed`."""
        return await self._all(_LISTED, states=[state.value for state in states])

    async def settled(self, wanted: SettledFilter, /, *, most: int) -> tuple[StoredCase, ...]:
        """See `CaseStore.settled`."""
        return await self._all(_SETTLED, **asdict(wanted), most=most)

    async def due(self, *, now: datetime, until: datetime) -> tuple[str, ...]:
        """See `CaseStore.due`."""
        found = await self._connection.execute(_TO_REMIND, {"now": now, "until": until})
        return tuple(found.scalars())

    async def of_asker(self, account: Account, /) -> tuple[StoredCase, ...]:
        """See `CaseStore.of_asker`."""
        return await self._all(
            _OF_ASKER, platform=account.platform, tenant=account.tenant, person=account.person
        )

    async def count_passed_on(self, asker: str, /, *, since: datetime) -> int:
        """See `CaseRows.count_passed_on`."""
        person = await self._connection.scalar(_PERSON, {"asker": asker})
        await wait_for_one(self._connection, AdvisoryLock.COUNTING_CASES, person or asker)
        keys = {"asker": asker, "since": since}
        return int(await self._connection.scalar(_PASSED_ON, keys) or 0)

    async def next_number(self) -> int:
        """See `CaseRows.next_number`."""
        return int(await self._connection.scalar(_NUMBER) or 0)

    async def insert(self, case: NewCase, /) -> StoredCase:
        """See `CaseRows.insert`."""
        await self._connection.execute(
            _INSERT, row_of(case, **row_of(case.asked), **row_of(case.clock))
        )
        return await self._stored(case.case_id)

    async def save(self, case: StoredCase, /) -> StoredCase:
        """See `CaseRows.save`."""
        await self._connection.execute(_SAVE, row_of(case, **row_of(case.clock)))
        return await self._stored(case.case_id)

    async def _stored(self, case_id: str) -> StoredCase:
        case = await self.find(case_id)
        if case is None:
            raise IntegrityError(f"the case {case_id} was stored and can't be read")
        return case

    async def _one(self, query: Any, **keys: object) -> StoredCase | None:
        row = (await self._connection.execute(query, keys)).mappings().one_or_none()
        return None if row is None else _case(row)

    async def _all(self, query: Any, **keys: object) -> tuple[StoredCase, ...]:
        rows = await self._connection.execute(query, keys)
        return tuple(map(_case, rows.mappings()))


def is_uuid(text: str) -> bool:
    """Say whether a text from a callback can be an id of ours."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _case(row: Mapping[Any, Any]) -> StoredCase:
    reply = None if row["reply"] is None else reply_of(row["reply"])
    return record(
        StoredCase,
        row,
        answer=None if reply is None else reply.answer,
        reply_record=None if reply is None else reply.record_id,
    )
