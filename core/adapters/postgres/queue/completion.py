"""Settle a message with the record of its run: its row, the queued reply and the job, or none."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.queue.queue import PostgresJobs
from core.adapters.postgres.queue.replies import queue_reply
from core.domain.delivery import StoredReply
from core.domain.errors import OvertakenError
from core.domain.run import Run
from core.ports import Completion, RecordReceipt

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
    jobs: PostgresJobs,
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
    question = run.question
    await queue_reply(
        connection,
        StoredReply(
            answer=run.answer,
            question_id=question.question_id,
            answer_id=receipt.answer_id,
            record_id=receipt.record_id,
            leaf_hash=receipt.leaf_hash.hex(),
            groups=question.scope.groups,
        ),
        cause=cause_of_message(completion.message_id),
        conversation_id=question.conversation_id,
        person=message.person,
        mode=message.mode,
        progress_id=message.progress_id,
    )
    await jobs.defer(connection, "deliver", question.conversation_id)
    return str(message.person)
