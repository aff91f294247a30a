"""Posted answers: find them by the id that their buttons carry, remove and share them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_log import actor_of
from core.adapters.postgres.cases.case_rows import NOT_CONFIRMED, is_uuid
from core.adapters.postgres.engine.database import EngineStore, database_store, server_now
from core.adapters.postgres.engine.ledger import RecordingStore, take_number
from core.adapters.postgres.engine.rows import record, row_of
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.replies import queue_reply, reply_of, rewrite
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.conversation import Place
from core.domain.delivery import Notice, StoredReply
from core.domain.officers import Account, Officer
from core.language.spans import Span, VersionId
from core.ports.posted_answers import AskedBack, CopyState, PostedAnswer, QuoteContext, SharedCopy

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


@database_store
class PostgresPostedAnswerActions(RecordingStore):
    """See `core.ports.posted_answers.PostedAnswerActions`."""

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
                "now": await server_now(connection),
            }
            removed = (await connection.execute(_REMOVE, keys)).all()
            if not removed:
                return False
            reply = StoredReply(
                notice=Notice.REMOVED,
                question_id=answer.question_id,
                answer_id=answer_id,
                record_id=await self._record(connection, answer, answer_id, by, officer),
            )
            for row in removed:
                if row.state not in _NOT_SHOWN:
                    await rewrite(connection, reply, row)
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
        actor = await actor_of(
            connection,
            by,
            None if is_asker else officer,
            ledger=self._ledger,
            conversation_id=answer.conversation_id,
        )
        event = Event(
            tag=Tag.REPLY_REMOVED,
            actor=actor.ref,
            actor_kind=actor.kind,
            conversation=answer.conversation_id,
            seq=await take_number(connection, answer.conversation_id),
            subject=answer_id,
            cause=answer.reply["record_id"],
            trace_id=answer.question_id,
        )
        return await self._ledger.event(connection, event, content={})

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
            made = await connection.scalar(_MAKE, row_of(place, id=self._ledger.ids.new()))
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
            return True


async def _find(connection: AsyncConnection, answer_id: str, by: Account) -> Any:
    """Lock the conversation of an answer; None: there is no such answer in this workspace."""
    if not is_uuid(answer_id):
        return None
    keys = {"answer": answer_id, "platform": by.platform, "tenant": by.tenant}
    return (await connection.execute(_ANSWER, keys)).one_or_none()


def _cause_of_share(answer_id: str) -> str:
    return f"share:{answer_id}"


_FIND = text(
    "SELECT o.reply, i.person, i.text AS question, i.mode,"  # noqa: S608  # constants
    " c.platform, c.tenant, c.channel, c.thread, i.raw->>'from_channel' AS asked_from,"
    " coalesce((i.raw->>'is_targeted')::boolean, false) AS is_whispered,"
    " o.removed_at IS NOT NULL AS is_removed,"
    " (SELECT count(*) FROM citebound.cases k WHERE k.question_id = i.question_id"
    f"  AND k.answered_at IS NOT NULL AND {NOT_CONFIRMED}"
    "  AND (a.outcome <> 'escalated' OR a.refusal IS NOT NULL)) > 0 AS is_superseded,"
    " ARRAY(SELECT s.channel FROM citebound.outbox p JOIN citebound.conversations s"
    "  ON s.id = p.conversation_id WHERE p.cause = 'share:' || a.id) AS shared_in,"
    " EXISTS (SELECT FROM citebound.inbox later WHERE later.conversation_id = i.conversation_id"
    "  AND later.id > i.id AND later.kind IN ('message', 'choice')"
    "  AND later.outcome IS DISTINCT FROM 'ignored') AS is_followed,"
    " i.received_at < clock_timestamp() - interval '3 days' AS is_expired"
    " FROM citebound.answers a"
    " JOIN citebound.inbox i ON i.question_id = a.question_id"
    " JOIN citebound.conversations c ON c.id = i.conversation_id"
    " JOIN citebound.outbox o ON o.cause = 'message:' || i.id AND o.part = 0"
    " WHERE a.id = :answer AND c.platform = :platform AND c.tenant = :tenant"
)
_ANSWER_IN = text(
    "SELECT a.id FROM citebound.outbox o"
    " JOIN citebound.inbox i ON o.cause = 'message:' || i.id AND o.part = 0"
    " JOIN citebound.answers a ON a.question_id = i.question_id"
    " JOIN citebound.conversations c ON c.id = i.conversation_id"
    " WHERE c.platform = :platform AND c.tenant = :tenant AND o.state = 'posted'"
    " AND (c.channel = :channel OR (o.is_direct AND i.person = :person))"
    " AND CASE WHEN CAST(:message AS text) IS NULL THEN i.person = :person"
    "  ELSE o.remote_id = :message END"
    " ORDER BY o.id DESC LIMIT 1"
)
_ASKED_BACK = text(
    "SELECT q.standalone, o.reply, CASE WHEN NOT o.is_direct THEN o.remote_id END AS remote_id,"
    " i.mode, c.platform, c.tenant, c.channel, c.thread"
    " FROM citebound.inbox i JOIN citebound.questions q ON q.id = i.question_id"
    " JOIN citebound.conversations c ON c.id = i.conversation_id"
    " JOIN citebound.outbox o ON o.cause = 'message:' || i.id AND o.state = 'posted'"
    "  AND o.replaces IS NULL AND o.removed_at IS NULL AND o.reply->>'answer' IS NOT NULL"
    " WHERE i.person = :person AND i.outcome = 'clarification'"
    " AND c.platform = :platform AND c.tenant = :tenant"
    " AND i.received_at > clock_timestamp() - interval '3 days'"
    " AND NOT EXISTS (SELECT FROM citebound.inbox later"
    "  WHERE later.conversation_id = i.conversation_id AND later.id > i.id"
    "  AND later.kind IN ('message', 'choice') AND later.outcome IS DISTINCT FROM 'ignored')"
    " ORDER BY i.id DESC LIMIT 50"
)
_COPY = text(
    "SELECT o.state, o.remote_id FROM citebound.outbox o"
    " JOIN citebound.conversations c ON c.id = o.conversation_id"
    " WHERE o.cause = :cause AND o.part = 0 AND c.platform = :platform AND c.tenant = :tenant"
    " AND c.channel = :channel"
)
_COPY_STATES = {
    "queued": CopyState.ON_ITS_WAY,
    "sending": CopyState.ON_ITS_WAY,
    "posted": CopyState.SHOWN,
}
_AUDIENCES = text(
    "SELECT version_id, of_text, of_today, of_source FROM citebound.version_readers"
    " WHERE version_id = ANY(:versions) AND policy_id = ANY(ARRAY("
    "  SELECT policy_id FROM citebound.policy_versions WHERE id = ANY(:versions)))"
)
"""The view is computed for these policies alone."""
_AROUND = text(
    "SELECT substr(text, greatest(1, 1 + :start - :characters), least(:start, :characters))"
    " AS before, substr(text, 1 + :end, :characters) AS after"
    " FROM citebound.policy_versions WHERE id = :version"
)


@database_store
class PostgresPostedAnswers(EngineStore):
    """See `core.ports.posted_answers.PostedAnswers`."""

    @begun_again
    async def find(self, answer_id: str, /, *, platform: str, tenant: str) -> PostedAnswer | None:
        """See `PostedAnswers.find`."""
        try:
            answer = UUID(answer_id)
        except ValueError:
            return None
        values = {"answer": answer, "platform": platform, "tenant": tenant}
        async with self._engine.connect() as connection:
            row = (await connection.execute(_FIND, values)).mappings().one_or_none()
        if row is None:
            return None
        return record(PostedAnswer, row, reply=reply_of(row["reply"]))

    @begun_again
    async def answer_in(
        self, message: str | None, /, *, platform: str, tenant: str, channel: str, person: str
    ) -> str | None:
        """See `PostedAnswers.answer_in`."""
        values = {
            "message": message,
            "platform": platform,
            "tenant": tenant,
            "channel": channel,
            "person": person,
        }
        async with self._engine.connect() as connection:
            found: object = await connection.scalar(_ANSWER_IN, values)
        return None if found is None else str(found)

    @begun_again
    async def asked_back(self, who: Account, /) -> tuple[AskedBack, ...]:
        """See `PostedAnswers.asked_back`."""
        keys = {"platform": who.platform, "tenant": who.tenant, "person": who.person}
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_ASKED_BACK, keys)).mappings().all()
        replies = ((row, reply_of(row["reply"]).answer) for row in rows)
        return tuple(
            AskedBack(
                question=row["standalone"],
                asked=answer,
                place=record(Place, row),
                message_id=row["remote_id"],
            )
            for row, answer in replies
            if answer is not None
        )

    @begun_again
    async def shared_copy(
        self, answer_id: str, by: Account, /, *, channel: str
    ) -> SharedCopy | None:
        """See `PostedAnswers.shared_copy`."""
        keys = {
            "cause": f"share:{answer_id}",
            "platform": by.platform,
            "tenant": by.tenant,
            "channel": channel,
        }
        async with self._engine.connect() as connection:
            row = (await connection.execute(_COPY, keys)).one_or_none()
        if row is None:
            return None
        state = _COPY_STATES.get(row.state, CopyState.NOT_SHOWN)
        return SharedCopy(state=state, message_id=row.remote_id)

    @begun_again
    async def audiences(
        self, versions: Collection[VersionId], /
    ) -> Mapping[VersionId, tuple[frozenset[str], ...]]:
        """See `PostedAnswers.audiences`."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(_AUDIENCES, {"versions": sorted(versions)})
            return {
                VersionId(row.version_id): (
                    frozenset(row.of_text),
                    frozenset(row.of_today),
                    frozenset(row.of_source),
                )
                for row in rows
            }

    @begun_again
    async def around(
        self, spans: Sequence[Span], /, *, characters: int
    ) -> Mapping[Span, QuoteContext]:
        """See `PostedAnswers.around`."""
        found: dict[Span, QuoteContext] = {}
        async with self._engine.connect() as connection:
            for span in spans:
                given = {
                    "version": span.version_id,
                    "start": span.char_start,
                    "end": span.char_end,
                    "characters": characters,
                }
                row = (await connection.execute(_AROUND, given)).one_or_none()
                if row is not None:
                    found[span] = QuoteContext(before=row.before, after=row.after)
        return found
