"""What was asked back and is answered: its post says so to everybody, in place of its options.

One without options has nothing that could be pressed, and stays as it is.

It is queued with what answers it, a press or a message, in one transaction.
"""

from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.queue.replies import rewrite
from core.audit.run_events import answered_back
from core.domain.delivery import EVERY_CASE, StoredReply
from core.domain.question import ALL
from core.domain.run import Run

LONGEST = 500
"""Characters of what was typed: more are never shown."""
_POST = text(
    "SELECT o.id, o.cause, o.conversation_id::text, o.person, o.mode, o.is_direct,"
    " o.reply->>'question_id' AS question_id, o.reply->>'record_id' AS record_id"
    " FROM citebound.answers a JOIN citebound.inbox i ON i.question_id = a.question_id"
    " JOIN citebound.outbox o ON o.cause = 'message:' || i.id"
    " WHERE a.id = CAST(:answer AS uuid) AND a.outcome = 'clarification'"
    " AND o.reply->>'answer_id' = CAST(:answer AS text) AND o.reply->>'answer' IS NOT NULL"
    " AND jsonb_array_length(o.reply->'answer'->'options') > 0"
    " AND o.removed_at IS NULL AND NOT EXISTS (SELECT FROM citebound.outbox s"
    "  WHERE s.replaces = o.id AND s.reply->>'chosen' IS NOT NULL)"
    " ORDER BY o.state = 'posted' DESC, o.id DESC LIMIT 1"
)
_FOLLOWED = text(
    "SELECT EXISTS (SELECT FROM citebound.answers a"
    " JOIN citebound.inbox i ON i.question_id = a.question_id"
    " JOIN citebound.inbox later ON later.conversation_id = i.conversation_id AND later.id > i.id"
    " WHERE a.id = CAST(:answer AS uuid) AND later.kind IN ('message', 'choice')"
    " AND later.outcome IS DISTINCT FROM 'ignored')"
)


async def is_followed(connection: AsyncConnection, answer_id: str) -> bool:
    """Say whether something was asked since a question back; under the conversation's lock."""
    return bool(await connection.scalar(_FOLLOWED, {"answer": answer_id}))


async def show_choice(
    connection: AsyncConnection, answer_id: str, chosen: str, *, question_id: str | None = None
) -> None:
    """Let the post of a question back say what was chosen; empty: something else was asked.

    `question_id` is the message whose words these are; None: they are an option of ours.
    """
    post: Any = (await connection.execute(_POST, {"answer": answer_id})).one_or_none()
    if post is None:
        return
    reply = StoredReply(
        chosen=EVERY_CASE if chosen == ALL else chosen[:LONGEST],
        question_id=question_id or post.question_id,
        answer_id=answer_id,
        record_id=post.record_id,
    )
    await rewrite(connection, reply, post)


async def show_reply(connection: AsyncConnection, run: Run) -> None:
    """Let the question back that was open say what a message answers to it, if it was typed."""
    answered = answered_back(run)
    if answered is not None:
        await show_choice(
            connection,
            answered.answer_id,
            answered.said,
            question_id=run.question.question_id,
        )
