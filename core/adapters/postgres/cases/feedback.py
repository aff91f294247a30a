"""Feedback on answers in Postgres: each is kept with its record, the last one counts."""

from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_posts import tell_officers
from core.adapters.postgres.cases.case_rows import NOT_CONFIRMED, is_uuid
from core.adapters.postgres.cases.reviews import (
    about_report,
    cause_of_complaints,
    waiting_complaints,
)
from core.adapters.postgres.engine.database import raises_transient, server_now
from core.adapters.postgres.engine.ledger import (
    OfficerStore,
    json_text,
    take_number,
    unit_of,
)
from core.adapters.postgres.queue.replies import queue_reply
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.case_actions import Refusal
from core.domain.delivery import REFERENCE, Notice
from core.domain.feedback import Feedback, FeedbackKept, FeedbackRefused, Reason

_ANSWER = text(
    "SELECT q.id::text AS question_id, q.conversation_id::text, a.record_id::text, i.mode,"  # noqa: S608  # constants
    " a.outcome = 'answered' OR a.refusal = 'not_sure' AS may_be_judged,"
    " (SELECT k.answered_at IS NOT NULL AND (a.outcome <> 'escalated' OR a.refusal IS NOT NULL)"
    f"   AND {NOT_CONFIRMED} FROM citebound.cases k WHERE k.question_id = q.id) AS is_superseded"
    " FROM citebound.answers a JOIN citebound.questions q ON q.id = a.question_id"
    " JOIN citebound.conversations c ON c.id = q.conversation_id"
    " JOIN citebound.inbox i ON i.question_id = q.id"
    " WHERE a.id = CAST(:answer AS uuid) AND c.platform = :platform AND c.tenant = :tenant"
    " FOR NO KEY UPDATE OF c"
)
"""Locks the conversation: clicks of one person are kept in one order."""
_BEFORE = text(
    "SELECT rating FROM citebound.feedback WHERE answer_id = CAST(:answer AS uuid)"
    " AND actor = :actor AND refusal IS NULL AND dedupe_key <> :key ORDER BY id DESC LIMIT 1"
)
_KEEP = text(
    "INSERT INTO citebound.feedback (answer_id, actor, rating, reason, platform_message_id, at,"
    " comment, dedupe_key, refusal) VALUES (CAST(:answer AS uuid), :actor, :rating, :reason,"
    " :message, :now, :comment, :key, :refusal) ON CONFLICT DO NOTHING RETURNING id"
)


class PostgresFeedback(OfficerStore):
    """See `core.ports.FeedbackStore`."""

    @raises_transient
    async def give(self, feedback: Feedback, /) -> FeedbackKept | FeedbackRefused:
        """See `FeedbackStore.give`."""
        if not is_uuid(feedback.answer_id):
            return FeedbackRefused(why=Refusal.UNKNOWN)
        async with self._engine.begin() as connection:
            keys = {
                "answer": feedback.answer_id,
                "platform": feedback.by.platform,
                "tenant": feedback.by.tenant,
            }
            answer = (await connection.execute(_ANSWER, keys)).one_or_none()
            if answer is None:
                return FeedbackRefused(why=Refusal.UNKNOWN)
            refusal = Refusal.ANSWERED if answer.is_superseded else None
            actor = await self._ledger.pseudonyms.of(
                connection, feedback.by, answer.conversation_id
            )
            said = {"answer": feedback.answer_id, "actor": actor, "key": feedback.key}
            before = await connection.scalar(_BEFORE, said)
            is_new = await self._keep(connection, feedback, actor, refusal)
            if is_new:
                await self._record(connection, feedback, answer, actor, refusal)
            if refusal is not None:
                return FeedbackRefused(why=refusal)
            has_officers = bool(self._officers.routes(is_sensitive=False))
            is_reviewed = feedback.is_complaint and has_officers and answer.may_be_judged is True
            if is_new and is_reviewed:
                await self._hand_to_officers(connection, feedback, answer)
            return FeedbackKept(
                is_new=is_new,
                is_repeated=before == feedback.rating.value,
                is_reviewed=is_reviewed,
            )

    async def _hand_to_officers(
        self, connection: AsyncConnection, feedback: Feedback, answer: Any
    ) -> None:
        """Tell officers and whoever complains; neither is told twice while a verdict is awaited."""
        waiting = await waiting_complaints(connection, feedback.answer_id)
        if feedback.by.person not in waiting:
            await queue_reply(
                connection,
                about_report(Notice.REPORT_TAKEN, answer.record_id),
                cause=cause_of_complaints(feedback.answer_id),
                conversation_id=answer.conversation_id,
                person=feedback.by.person,
                mode=answer.mode,
                is_direct=True,
            )
        if not waiting:
            reason = feedback.reason or Reason.OTHER
            await tell_officers(
                connection,
                Notice.ANSWER_REPORTED,
                subject=f"{answer.record_id[-REFERENCE:]} ({reason.value})",
                cause=f"reported:{feedback.answer_id}",
                officers=self._officers,
                ids=self._ledger.ids,
            )

    async def _keep(
        self,
        connection: AsyncConnection,
        feedback: Feedback,
        actor: str,
        refusal: Refusal | None,
    ) -> bool:
        """Insert the row; False: this click is there."""
        row = {
            "answer": feedback.answer_id,
            "actor": actor,
            "rating": feedback.rating.value,
            "reason": feedback.reason.value if feedback.reason else None,
            "message": feedback.platform_message_id,
            "now": await server_now(connection),
            "comment": feedback.comment,
            "key": feedback.key,
            "refusal": refusal.value if refusal else None,
        }
        return await connection.scalar(_KEEP, row) is not None

    async def _record(
        self,
        connection: AsyncConnection,
        feedback: Feedback,
        answer: Any,
        actor: str,
        refusal: Refusal | None,
    ) -> None:
        event = Event(
            tag=Tag.FEEDBACK_REFUSED if refusal else Tag.FEEDBACK_GIVEN,
            actor=actor,
            actor_kind="asker",
            conversation=answer.conversation_id,
            seq=await take_number(connection, answer.conversation_id),
            subject=feedback.answer_id,
            cause=answer.record_id,
            trace_id=answer.question_id,
            says={
                "answer": feedback.answer_id,
                "rating": feedback.rating.value,
                "reason": feedback.reason.value if feedback.reason else None,
                **({"refusal": refusal.value} if refusal else {}),
            },
        )
        kept = {"comment": feedback.comment} if feedback.comment and not refusal else {}
        if feedback.platform_message_id:
            kept["place"] = json_text({"message": feedback.platform_message_id})
        ledger = self._ledger.of(await unit_of(connection, answer.record_id))
        await ledger.event(connection, event, content=kept)
