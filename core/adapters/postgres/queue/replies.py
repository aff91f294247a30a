"""Queue replies: as JSON in the outbox, and with the record of the run that they answer."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from core.agent.reply.answer_json import answer_json, answer_of
from core.domain.case import ReviewVerdict
from core.domain.codec import json_of, value_of
from core.domain.delivery import AboutCase, CasePart, Notice, StoredReply
from core.domain.errors import ContractError, OvertakenError
from core.domain.run import Run
from core.language.interface.texts import spoken
from core.ports import Completion, RecordReceipt

FORMAT = 1
"""Version of the JSON; a changed meaning is a new one."""
ABOUT_A_CASE = 2
"""Version of a reply about a case: a release that knows none leaves it to one that does."""
A_CHECKPOINT = 3
"""Likewise of a checkpoint for officers."""
OUTDATED = 4
"""Version of a reply that marks an earlier one as outdated, likewise."""
AN_EDITION = 5
"""Likewise of the card of an edition that affects past answers."""
CLARIFIED = 6
"""Likewise of what rewrites a question back."""
A_REMINDER = 7
"""Likewise of what reminds officers of a case."""
_REPLY = (
    "answer notice question_id answer_id record_id leaf_hash groups language? about?"
    " outdated=is_outdated? edition? asked? subject? checkpoint? again=ask_again_at?"
)
_ABOUT = "what case=case_id message=message_id state clock? ways?"
_REMINDERS = frozenset({CasePart.REMINDER, CasePart.OVERDUE})
_TO_WRITERS = frozenset(
    {CasePart.ESCALATED, CasePart.WRITTEN, CasePart.ACKNOWLEDGED, CasePart.UNHEARD}
)
A_SUBJECT = 8
"""Likewise of a notice that names what it is about."""
A_SOURCE = 9
"""Likewise of a notice about a source of policies."""
A_REPORT = 10
"""Likewise of what is said of a reported answer."""
OF_WRITERS = 11
"""Likewise of what the writer of a report is owed, and of what they wrote."""
OF_VERDICTS = {
    ReviewVerdict.RIGHT: Notice.REPORT_RIGHT,
    ReviewVerdict.PARTLY: Notice.REPORT_PARTLY,
    ReviewVerdict.WRONG: Notice.REPORT_WRONG,
}
"""What whoever reported an answer hears of an officer's verdict."""
_OF_REPORTS = (Notice.ANSWER_REPORTED, Notice.REPORT_TAKEN, *OF_VERDICTS.values())
_OF_SOURCES = (Notice.POLICIES_CHANGED, Notice.SOURCE_FAILS, Notice.SOURCE_WORKS)
_FORMATS: Mapping[Notice | None, int] = {
    **dict.fromkeys(_OF_REPORTS, A_REPORT),
    **dict.fromkeys(_OF_SOURCES, A_SOURCE),
}

_QUEUE = text(
    "INSERT INTO citebound.outbox (cause, part, conversation_id, reply, person, mode, progress_id,"
    " is_direct, replaces, next_at) VALUES (:cause,"
    " (SELECT count(*) FROM citebound.outbox WHERE cause = :cause), :conversation, :reply,"
    " :person, :mode, :progress, :direct, :replaces, clock_timestamp())"
).bindparams(bindparam("reply", type_=JSONB))
"""Whoever queues holds the conversation's lock, so that no two take one part."""


async def queue_reply(
    connection: AsyncConnection,
    reply: StoredReply,
    *,
    cause: str,
    conversation_id: str,
    person: str,
    mode: str,
    progress_id: str | None = None,
    is_direct: bool = False,
    replaces: int | None = None,
) -> None:
    """Queue a reply as the next part of what answers its cause.

    `replaces` is the row of the outbox whose post it rewrites; None: it is posted anew.
    """
    await connection.execute(
        _QUEUE,
        {
            "cause": cause,
            "conversation": conversation_id,
            "reply": reply_json(reply),
            "person": person,
            "mode": mode,
            "progress": progress_id,
            "direct": is_direct,
            "replaces": replaces,
        },
    )


async def rewrite(
    connection: AsyncConnection, reply: StoredReply, post: Any, *, cause: str | None = None
) -> None:
    """Queue what a post shall say from now on.

    Args:
        connection: Under the lock of the conversation.
        reply: What it shall say.
        post: Its row of the outbox: `id`, `conversation_id`, `person`, `mode` and `is_direct`.
        cause: What the rewriting answers; None: the `cause` of the post.
    """
    await queue_reply(
        connection,
        reply,
        cause=cause or post.cause,
        conversation_id=post.conversation_id,
        person=post.person,
        mode=post.mode,
        is_direct=post.is_direct,
        replaces=post.id,
    )


def reply_to(run: Run, receipt: RecordReceipt) -> StoredReply:
    """Return the answer of a run, as it is stored."""
    return StoredReply(
        answer=run.answer,
        question_id=run.question.question_id,
        answer_id=receipt.answer_id,
        record_id=receipt.record_id,
        leaf_hash=receipt.leaf_hash.hex(),
        groups=run.question.scope.groups,
        language=run.question.language,
    )


def reply_json(reply: StoredReply) -> dict[str, Any]:
    """Return a reply as it is stored.

    What a person typed stands under `asked` alone, which is erased with their texts.
    """
    answer = reply.answer and answer_json(reply.answer)
    about = reply.about and json_of(reply.about, _ABOUT)
    written = json_of(reply, _REPLY, v=_format(reply), answer=answer, about=about)
    return ({} if reply.chosen is None else {"chosen": True, "asked": reply.chosen}) | written


def reply_of(stored: Mapping[str, Any]) -> StoredReply:
    """Read a stored reply; what it shows of a case or an edition is not read yet.

    Raises:
        ContractError: A later release wrote it.
    """
    if stored["v"] not in range(FORMAT, OF_WRITERS + 1):
        raise ContractError(f"expected a reply of format {FORMAT}, got {stored['v']!r}")
    chosen = stored.get("asked", "") if stored.get("chosen") else None
    return value_of(
        StoredReply,
        stored,
        _REPLY,
        answer=stored["answer"] and answer_of(stored["answer"]),
        about=value_of(AboutCase, stored["about"], _ABOUT) if "about" in stored else None,
        language=spoken(stored["language"]) if "language" in stored else None,
        chosen=chosen,
        asked=stored.get("asked") if chosen is None else None,
    )


def _format(reply: StoredReply) -> int:
    if reply.about is not None:
        return _format_of_case(reply.about)
    if reply.checkpoint is not None or reply.is_outdated:
        return OUTDATED if reply.checkpoint is None else A_CHECKPOINT
    if reply.edition is not None:
        return AN_EDITION
    if reply.subject is not None:
        return _FORMATS.get(reply.notice, A_SUBJECT)
    return FORMAT if reply.chosen is None else CLARIFIED


def _format_of_case(about: AboutCase) -> int:
    if about.clock is not None or about.what in _TO_WRITERS:
        return OF_WRITERS
    return A_REMINDER if about.what in _REMINDERS else ABOUT_A_CASE


_DONE = text(
    "UPDATE citebound.inbox SET state = :state, outcome = :outcome, lease_until = NULL,"
    " lease_token = NULL WHERE id = :id AND lease_token = :token AND state = 'running'"
    " RETURNING person, mode, progress_id"
)


def cause_of_message(message_id: int) -> str:
    """Return the `cause` of replies to a message."""
    return f"message:{message_id}"


async def settle(
    connection: AsyncConnection,
    completion: Completion,
    *,
    run: Run,
    receipt: RecordReceipt,
) -> str:
    """Close the message, queue its reply, wake whoever posts it, and return who asked.

    Raises:
        OvertakenError: The lease is lost: somebody else answers, or nobody shall.
    """
    closed = await connection.execute(
        _DONE,
        {
            "id": completion.message_id,
            "token": completion.lease_token,
            "state": "dead" if completion.is_dead else "done",
            "outcome": run.answer.outcome.value,
        },
    )
    message = closed.one_or_none()
    if message is None:
        raise OvertakenError("the message was taken over, edited, deleted or stopped")
    await queue_reply(
        connection,
        reply_to(run, receipt),
        cause=cause_of_message(completion.message_id),
        conversation_id=run.question.conversation_id,
        person=message.person,
        mode=message.mode,
        progress_id=message.progress_id,
    )
    return str(message.person)
