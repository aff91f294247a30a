"""What becomes of an answer once it is shown: taken away, or shown to a channel. Each once.

Whatever happens to an answer happens under the lock of its asker's conversation.
"""

from dataclasses import replace
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.cases.case_log import actor_of
from core.adapters.postgres.cases.case_opening import is_uuid
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger, take_number
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.queue import PostgresJobs
from core.adapters.postgres.queue.replies import queue_reply, reply_of
from core.audit.events import Event
from core.domain.audit import Tag
from core.domain.case_rules import Account, Officer
from core.domain.delivery import Notice, StoredReply
from core.domain.place import Place

_ANSWER = text(
    "SELECT q.id::text AS question_id, q.conversation_id::text, i.text AS question, i.person,"
    " 'message:' || i.id AS cause, o.reply, o.removed_at"
    " FROM citebound.answers a JOIN citebound.questions q ON q.id = a.question_id"
    " JOIN citebound.conversations c ON c.id = q.conversation_id"
    " JOIN citebound.inbox i ON i.question_id = q.id"
    " JOIN citebound.outbox o ON o.cause = 'message:' || i.id AND o.part = 0"
    " WHERE a.id = CAST(:answer AS uuid) AND c.platform = :platform AND c.tenant = :tenant"
    " FOR NO KEY UPDATE OF c"
)
_REMOVE = text(
    "UPDATE citebound.outbox SET removed_at = :now WHERE cause IN (:cause, :shared)"
    " AND reply->>'answer_id' = :answer AND reply->>'answer' IS NOT NULL AND removed_at IS NULL"
    " RETURNING id, cause, conversation_id::text, person, mode, is_direct, state"
)
_MAKE = text(
    "INSERT INTO citebound.conversations (id, platform, tenant, channel, thread)"
    " VALUES (:id, :platform, :tenant, :channel, :thread) ON CONFLICT DO NOTHING RETURNING id::text"
)
_NOT_SHOWN = frozenset({"withheld", "dead"})


class PostgresPostedAnswerActions:
    """See `core.ports.posted_answers.PostedAnswerActions`."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, jobs: PostgresJobs) -> None:
        """Use a migrated database."""
        self._engine = engine
        self._ledger = ledger
        self._jobs = jobs

    @raises_transient
    @begun_again
    async def remove(self, answer_id: str, by: Account, /, *, officer: Officer | None) -> bool:
        """See `PostedAnswerActions.remove`."""
        async with self._engine.begin() as connection:
            answer = await _find(connection, answer_id, by)
            if answer is None:
                return False
            keys = {
                "answer": answer_id,
                "cause": answer.cause,
                "shared": _cause_of_share(answer_id),
                "now": self._ledger.clock.now(),
            }
            removed = (await connection.execute(_REMOVE, keys)).all()
            if not removed:
                return False
            record_id = await self._record(connection, answer, answer_id, by, officer)
            for row in removed:
                if row.state not in _NOT_SHOWN:
                    await self._rewrite(connection, answer, answer_id, record_id, row)
            return True

    async def _record(
        self,
        connection: AsyncConnection,
        answer: Any,
        answer_id: str,
        by: Account,
        officer: Officer | None,
    ) -> str:
        is_asker = by.person == answer.person
        actor = await actor_of(connection, by, None if is_asker else officer)
        event = Event(
            tag=Tag.REPLY_REMOVED,
            actor=actor.ref,
            actor_kind=actor.kind,
            conversation=answer.conversation_id,
            seq=await take_number(connection, answer.conversation_id),
            subject=answer_id,
            cause=answer.reply["record_id"],
            trace_id=answer.question_id,
            says={},
        )
        return await self._ledger.event(connection, event, content={})

    async def _rewrite(
        self, connection: AsyncConnection, answer: Any, answer_id: str, record_id: str, row: Any
    ) -> None:
        """Let a post say that it was taken away."""
        await queue_reply(
            connection,
            StoredReply(
                notice=Notice.REMOVED,
                question_id=answer.question_id,
                answer_id=answer_id,
                record_id=record_id,
            ),
            cause=row.cause,
            conversation_id=row.conversation_id,
            person=row.person,
            mode=row.mode,
            is_direct=row.is_direct,
            replaces=row.id,
        )
        await self._jobs.defer(connection, "deliver", row.conversation_id)

    @raises_transient
    @begun_again
    async def share(
        self, answer_id: str, by: Account, /, *, channel: str, groups: frozenset[str]
    ) -> bool:
        """See `PostedAnswerActions.share`."""
        async with self._engine.begin() as connection:
            answer = await _find(connection, answer_id, by)
            if answer is None or answer.removed_at is not None:
                return False
            place = Place(
                platform=by.platform,
                tenant=by.tenant,
                channel=channel,
                thread=_cause_of_share(answer_id),
                mode="channel",
            )
            made = await connection.scalar(
                _MAKE,
                {
                    "id": self._ledger.ids.new(),
                    "platform": place.platform,
                    "tenant": place.tenant,
                    "channel": place.channel,
                    "thread": place.thread,
                },
            )
            reply = reply_of(answer.reply)
            if made is None or reply.answer is None:
                return False
            shown = replace(
                reply,
                answer=replace(reply.answer, nearest=()),
                groups=groups,
                asked=answer.question,
            )
            await queue_reply(
                connection,
                shown,
                cause=_cause_of_share(answer_id),
                conversation_id=made,
                person=answer.person,
                mode=place.mode,
            )
            await self._jobs.defer(connection, "deliver", made)
            return True


async def _find(connection: AsyncConnection, answer_id: str, by: Account) -> Any:
    """Lock the conversation of an answer; None: there is no such answer in this workspace."""
    if not is_uuid(answer_id):
        return None
    keys = {"answer": answer_id, "platform": by.platform, "tenant": by.tenant}
    return (await connection.execute(_ANSWER, keys)).one_or_none()


def _cause_of_share(answer_id: str) -> str:
    return f"share:{answer_id}"
