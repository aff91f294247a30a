"""Affected answers that an officer approved: leased, given again, and what was posted marked.

Whoever settles one holds the lock of its conversation, and finds in the same transaction that
nobody decided it meanwhile: a new answer is given once, however often it was begun.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import RowMapping, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_rows import NOT_CONFIRMED
from core.adapters.postgres.engine.database import database_store, server_now
from core.adapters.postgres.engine.ledger import Ledger, RecordingStore, append, take_number
from core.adapters.postgres.engine.rows import record, row_of
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.replies import cause_of_message, queue_reply, reply_to, rewrite
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.conversation import context_json, context_of
from core.domain.delivery import StoredReply
from core.domain.errors import IntegrityError, OvertakenError
from core.domain.json_value import Json
from core.domain.run import Run
from core.ports import Clock, RecordReceipt
from core.ports.cases import RecordedEvent
from core.ports.corrections import Correction

LEASE_S = 120.0
"""Longer than a run's deadline."""
MAX_ATTEMPTS = 5

_CLAIM = text("""
UPDATE citebound.affected_answers x
   SET attempt = attempt + 1, next_at = clock_timestamp() + make_interval(secs => :lease)
 WHERE (answer_id, edition) = (
   SELECT answer_id, edition FROM citebound.affected_answers
    WHERE state = 'approved' AND next_at <= clock_timestamp()
    ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING answer_id::text, record_id::text, question_id::text, approved_by, attempt, changes""")
_EARLIER = f"""
  FROM citebound.answers a
  JOIN citebound.questions q ON q.id = a.question_id
  JOIN citebound.conversations c ON c.id = q.conversation_id
  JOIN citebound.inbox i ON i.question_id = q.id AND i.person <> ''
  JOIN citebound.outbox o ON o.cause = 'message:' || i.id AND o.removed_at IS NULL
   AND o.state IN ('posted', 'uncertain') AND o.replaces IS NULL
   AND o.reply->>'answer' IS NOT NULL AND o.reply->>'answer_id' = a.id::text
 WHERE a.id = CAST(:answer AS uuid) AND NOT EXISTS (
   SELECT FROM citebound.cases k WHERE k.question_id = q.id AND k.answered_at IS NOT NULL
      AND {NOT_CONFIRMED})
 ORDER BY o.id DESC LIMIT 1"""
_ASKED = text(
    "SELECT q.text, q.standalone, q.scope, q.context, q.conversation_id::text, a.answered_at,"
    f" c.platform, c.tenant, c.channel, c.thread, i.person, i.asker, i.mode, o.is_direct,"
    f" o.reply->'answer' AS given {_EARLIER}"
)
_POST = text(
    f"SELECT o.id, o.is_direct, o.reply, q.conversation_id::text, i.person, i.mode {_EARLIER}"
)
_SHARED = text(
    "SELECT id, conversation_id::text, person, mode, false AS is_direct FROM citebound.outbox"
    " WHERE cause = 'share:' || :answer AND reply->>'answer' IS NOT NULL AND removed_at IS NULL"
)
_LOCK = text(
    "SELECT coalesce(bool_or(state = 'approved'), false) FROM (SELECT state"
    " FROM citebound.affected_answers WHERE answer_id = CAST(:answer AS uuid) FOR UPDATE) s"
)
_SETTLE = text(
    "UPDATE citebound.affected_answers SET state = :state, settled_at = clock_timestamp()"
    " WHERE answer_id = CAST(:answer AS uuid) AND state IN ('found', 'approved')"
)
_FAIL = text(
    "UPDATE citebound.affected_answers SET state = CASE WHEN attempt >= :most THEN 'failed'"
    " ELSE state END, next_at = clock_timestamp() + attempt * make_interval(secs => :lease)"
    " WHERE answer_id = CAST(:answer AS uuid) AND state = 'approved'"
)
_MESSAGE = text(
    "INSERT INTO citebound.inbox (dedupe_key, conversation_id, kind, sent_at, raw, run_salt, state,"
    " outcome, question_id, record_id, person, asker, mode, text, edition, as_of, context, is_told)"
    " VALUES ('correction:' || CAST(:question_id AS text), :conversation_id, 'correction',"
    " clock_timestamp(), '{}', ''::bytea, 'done', :outcome, CAST(:question_id AS uuid), :record_id,"
    " :person, :asker, :mode, :text, :edition, :as_of, :context, true) RETURNING id"
).bindparams(bindparam("context", type_=JSONB))
"""The question as asked anew: what is posted for it is found by its buttons like any other."""


@database_store
class PostgresCorrections(RecordingStore):
    """See `core.ports.corrections.Corrections`."""

    @begun_again
    async def claim(self) -> Correction | None:
        """See `Corrections.claim`."""
        while True:
            async with self._engine.begin() as connection:
                leased = (await connection.execute(_CLAIM, {"lease": LEASE_S})).mappings()
                row = leased.one_or_none()
                if row is None:
                    return None
                keys = {"answer": row["answer_id"]}
                asked = (await connection.execute(_ASKED, keys)).mappings().one_or_none()
                if asked is not None:
                    return _correction(row, asked, self._ledger.clock)
                await connection.execute(_SETTLE, {**keys, "state": "dropped"})

    @begun_again
    async def confirm(self, correction: Correction, /) -> None:
        """See `Corrections.confirm`."""
        async with self._engine.begin() as connection:
            seq = await take_number(connection, correction.conversation_id)
            await _held(connection, correction)
            await connection.execute(
                _SETTLE, {"answer": correction.answer_id, "state": "confirmed"}
            )
            event = _event(Tag.ANSWER_CONFIRMED, correction, seq, {})
            await self._ledger.event(connection, event, content={})

    @begun_again
    async def drop(self, correction: Correction, /) -> None:
        """See `Corrections.drop`."""
        async with self._engine.begin() as connection:
            await connection.execute(_SETTLE, {"answer": correction.answer_id, "state": "dropped"})

    @begun_again
    async def put_off(self, correction: Correction, /) -> None:
        """See `Corrections.put_off`."""
        given = {"answer": correction.answer_id, "most": MAX_ATTEMPTS, "lease": LEASE_S}
        async with self._engine.begin() as connection:
            await connection.execute(_FAIL, given)


async def correct(
    connection: AsyncConnection,
    correction: Correction,
    run: Run,
    receipt: RecordReceipt,
    *,
    ledger: Ledger,
) -> None:
    """See `core.ports.record.AnswerRows.correct`."""
    await _held(connection, correction)
    keys = {"answer": correction.answer_id}
    post = (await connection.execute(_POST, keys)).one_or_none()
    if post is None:
        raise OvertakenError("the earlier answer was replaced or removed")
    await connection.execute(_SETTLE, {**keys, "state": "superseded"})
    says = {"instead": receipt.answer_id, "record": receipt.record_id}
    seq = await take_number(connection, correction.conversation_id)
    event = _event(Tag.ANSWER_SUPERSEDED, correction, seq, says)
    entry = ledger.entry(event, at=await server_now(connection), content={})
    (leaf,) = await append(connection, [entry])
    recorded = RecordedEvent(record_id=entry.record_id, leaf_hash=leaf.hex())
    await _queue(connection, correction, run, receipt)
    await _mark(connection, correction, post, recorded)


async def _queue(
    connection: AsyncConnection, correction: Correction, run: Run, receipt: RecordReceipt
) -> None:
    question = run.question
    message_id = await connection.scalar(
        _MESSAGE,
        row_of(
            correction,
            outcome=run.answer.outcome.value,
            question_id=question.question_id,
            record_id=receipt.record_id,
            mode=correction.place.mode,
            edition=run.edition,
            as_of=question.scope.as_of,
            context=context_json(question.context),
        ),
    )
    if not isinstance(message_id, int):
        raise IntegrityError("the database returned no id for a correction")
    await queue_reply(
        connection,
        reply_to(run, receipt),
        cause=cause_of_message(message_id),
        conversation_id=correction.conversation_id,
        person=correction.person,
        mode=correction.place.mode,
        is_direct=correction.is_direct,
    )


async def _mark(
    connection: AsyncConnection, correction: Correction, post: Any, recorded: RecordedEvent
) -> None:
    """Say at the earlier answer, and wherever it was shared, that it no longer holds."""
    earlier: Mapping[str, Any] = post.reply
    mark = StoredReply(
        is_outdated=True,
        question_id=earlier["question_id"],
        answer_id=correction.answer_id,
        record_id=recorded.record_id,
        leaf_hash=recorded.leaf_hash,
    )
    cause = f"outdated:{correction.answer_id}"
    await rewrite(connection, mark, post, cause=cause)
    shared = await connection.execute(_SHARED, {"answer": correction.answer_id})
    for copy in shared.all():
        await rewrite(connection, mark, copy, cause=cause)


async def _held(connection: AsyncConnection, correction: Correction) -> None:
    if not await connection.scalar(_LOCK, {"answer": correction.answer_id}):
        raise OvertakenError("the answer was decided meanwhile")


def _event(tag: Tag, correction: Correction, seq: int, says: Mapping[str, Json]) -> Event:
    return Event(
        tag=tag,
        actor=correction.approved_by,
        actor_kind="officer",
        conversation=correction.conversation_id,
        seq=seq,
        subject=correction.answer_id,
        cause=correction.record_id,
        says=says,
    )


def _correction(row: RowMapping, asked: RowMapping, clock: Clock) -> Correction:
    scope: Mapping[str, Any] = asked["scope"]
    changes: list[Mapping[str, str | None]] = row["changes"]
    named = [", ".join(filter(None, (one["title"], one["section"]))) for one in changes]
    return record(
        Correction,
        {**asked, **scope, **row},
        context=context_of(asked["context"]),
        answered_on=clock.day_of(asked["answered_at"]),
        changed=tuple(dict.fromkeys(named)),
    )
