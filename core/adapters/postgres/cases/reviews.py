"""Officers' verdicts on answers, in Postgres: each is kept with its record, the last one counts.

What is kept here are numbers: how likely the answer was held to be right and what that was computed
from. A reason is personal text, and stands in the record alone.
"""

from typing import Any

from sqlalchemy import ARRAY, LargeBinary, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import raises_transient, server_now
from core.adapters.postgres.engine.ledger import Ledger, take_number, unit_of
from core.adapters.postgres.engine.officer_stores import ReadsForOfficers
from core.adapters.postgres.queue.replies import OF_VERDICTS, queue_reply
from core.audit.documents import Event
from core.confidence.sampling import chance
from core.domain.answer import Badge
from core.domain.audit import Tag
from core.domain.case import ReviewVerdict
from core.domain.delivery import REFERENCE, Notice, StoredReply
from core.domain.errors import UsageError
from core.domain.officers import Officer

_ANSWER = text(
    "SELECT a.id::text, a.record_id::text, a.question_id::text, q.conversation_id::text, a.badge,"
    " EXISTS (SELECT FROM citebound.inbox i JOIN audit.identity p ON p.pseudonym = i.asker"
    "   WHERE i.question_id = q.id AND p.match_hash = ANY(:officers_own)) AS is_own"
    " FROM citebound.answers a JOIN citebound.questions q ON q.id = a.question_id"
    " JOIN citebound.conversations c ON c.id = q.conversation_id"
    " WHERE a.id = CAST(:answer AS uuid)"
    " AND (a.outcome = 'answered' OR a.refusal = 'not_sure') AND citebound.reaches(a.record_id)"
    " FOR NO KEY UPDATE OF c"
).bindparams(bindparam("officers_own", type_=ARRAY(LargeBinary)))
_KEEP = text(
    "INSERT INTO citebound.verdicts (answer_id, officer, verdict, chance, reasoner,"
    " conversation_id, features, at, dedupe_key)"
    " SELECT a.id, :officer, :verdict, :chance, a.reasoner, q.conversation_id,"
    " coalesce(a.trace->'confidence_features', '{}'), :at, :key"
    " FROM citebound.answers a JOIN citebound.questions q ON q.id = a.question_id"
    " WHERE a.id = CAST(:answer AS uuid) ON CONFLICT DO NOTHING RETURNING id"
)


_COMPLAINTS = text(
    "SELECT DISTINCT ON (person) person, conversation_id::text, mode,"
    " reply->>'notice' = 'report_taken' AS is_waiting, reply->>'record_id' AS record_id"
    " FROM citebound.outbox WHERE cause = :cause ORDER BY person, id DESC"
)
"""What was last said to each person who reported the answer."""


def cause_of_complaints(answer_id: str) -> str:
    """Return the `cause` of what is said to those who reported an answer."""
    return f"complaint:{answer_id}"


def about_report(notice: Notice, record_id: str) -> StoredReply:
    """Return what is said to somebody who reported an answer, which is named as under it."""
    return StoredReply(notice=notice, subject=record_id[-REFERENCE:], record_id=record_id)


async def waiting_complaints(connection: AsyncConnection, answer_id: str) -> dict[str, Any]:
    """Return who reported an answer and waits for a verdict: by person, the last post to them."""
    posts = await connection.execute(_COMPLAINTS, {"cause": cause_of_complaints(answer_id)})
    return {post.person: post for post in posts if post.is_waiting}


async def keep_verdict(
    connection: AsyncConnection,
    *,
    answer_id: str,
    badge: Badge | None,
    officer: str,
    verdict: ReviewVerdict,
    key: str,
    ledger: Ledger,
) -> bool:
    """Keep a verdict as a label of the next calibration; False: this click was kept before.

    Those who reported the answer are told of it. Whoever keeps it holds the conversation's lock.
    """
    row = {
        "answer": answer_id,
        "officer": officer,
        "verdict": verdict.value,
        "chance": chance(answer_id, badge),
        "at": await server_now(connection),
        "key": key,
    }
    if await connection.scalar(_KEEP, row) is None:
        return False
    for person, post in (await waiting_complaints(connection, answer_id)).items():
        await queue_reply(
            connection,
            about_report(OF_VERDICTS[verdict], post.record_id),
            cause=cause_of_complaints(answer_id),
            conversation_id=post.conversation_id,
            person=person,
            mode=post.mode,
            is_direct=True,
        )
    return True


class PostgresReviews(ReadsForOfficers):
    """What officers find of answers that no case is about."""

    @raises_transient
    async def give(
        self, answer_id: str, *, officer: Officer, verdict: ReviewVerdict, reason: str, key: str
    ) -> bool:
        """Keep and record a verdict; False: there is nothing to judge by this id.

        Args:
            answer_id: What was answered, or shown as the closest passage: a UUID.
            officer: Who judges.
            verdict: What they found.
            reason: Why, as typed; empty if they said none.
            key: Identity of the click: a repeated one changes nothing.

        Raises:
            UsageError: They asked the question themselves.
        """
        own = [self._ledger.pseudonyms.match_hash(one) for one in officer.accounts]
        given = {"answer": answer_id, "officers_own": own}
        async with self._engine.begin() as connection:
            found = (await connection.execute(_ANSWER, given)).one_or_none()
            if found is None:
                return False
            if found.is_own:
                raise UsageError(
                    "you asked this question yourself, so another officer has to judge the answer"
                )
            badge = Badge(found.badge) if found.badge else None
            is_new = await keep_verdict(
                connection,
                answer_id=found.id,
                badge=badge,
                officer=officer.login,
                verdict=verdict,
                key=key,
                ledger=self._ledger,
            )
            if is_new:
                event = Event(
                    tag=Tag.ANSWER_REVIEWED,
                    actor=officer.login,
                    actor_kind="officer",
                    conversation=found.conversation_id,
                    seq=await take_number(connection, found.conversation_id),
                    subject=found.id,
                    cause=found.record_id,
                    trace_id=found.question_id,
                    says={"verdict": verdict.value, "chance": chance(found.id, badge)},
                )
                content = {"reason": reason} if reason else {}
                ledger = self._ledger.of(await unit_of(connection, found.record_id))
                await ledger.event(connection, event, content=content)
        return True
