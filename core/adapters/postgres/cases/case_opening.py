"""Open the case of an answer: one at most, by whoever asked, by an officer, or by ourselves."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.transactions import AdvisoryLock, wait_for_one
from core.agent.conversation.misconduct import is_report, speaks_of_somebody
from core.agent.reply.release import is_urgent_duty
from core.domain.answer import Outcome
from core.domain.case import Urgency
from core.domain.case_rules import PASSED_ON_WITHIN_H, Account, Opener, Opening, Refusal

_NO_CASE_FOR = frozenset({Outcome.CLARIFICATION.value, Outcome.IGNORED.value})

_ANSWER = text(
    "SELECT a.id::text AS answer_id, a.outcome, a.refusal, q.id::text AS question_id,"
    " q.text AS question, q.standalone, q.conversation_id::text, i.person, i.mode, i.asker,"
    " o.id AS reply_id,"
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
    " is_private, is_anonymous, is_sensitive) OVERRIDING SYSTEM VALUE VALUES (:id, :number,"
    " :question, 'open', :reason, :due_at, :opened_at, :urgency, :opener, :note, :reply, :record,"
    " :asker, :asker_name, :person, :mode, :permalink, :is_private, :is_anonymous, :is_sensitive)"
)
_ADD = text(
    "UPDATE citebound.cases SET opener = 'asker', note = :note, urgency = :urgency,"
    " due_at = least(due_at, :due_at), asker_name = :asker_name, permalink = :permalink,"
    " is_private = is_private OR :is_private, is_anonymous = :is_anonymous,"
    " is_sensitive = is_sensitive OR :is_sensitive WHERE id = CAST(:id AS uuid)"
)
_PASSED_ON = text(
    "SELECT count(*) FROM citebound.cases"
    " WHERE asker = :asker AND opener = 'pipeline' AND opened_at > :since"
)
_NUMBER = text("SELECT nextval(pg_get_serial_sequence('citebound.cases', 'number'))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answer that a case is to be about, with its question."""

    row: Mapping[Any, Any]
    """As read."""

    @property
    def conversation_id(self) -> str:
        """Where it was asked."""
        return self.row["conversation_id"]

    @property
    def question_id(self) -> str:
        """The question."""
        return self.row["question_id"]

    @property
    def answer_id(self) -> str:
        """The answer."""
        return self.row["answer_id"]

    def is_by(self, account: Account) -> bool:
        """Say whether this person asked; their workspace is that of the question."""
        return self.row["person"] == account.person

    @property
    def is_urgent(self) -> bool:
        """True if the answer names a duty of days or less: an officer must look at it today."""
        return any(map(is_urgent_duty, self.row["claims"]))

    def refusal(self, opening: Opening) -> Refusal | None:
        """Say why this person may not open its case; None: they may."""
        if not self.is_by(opening.by) and (opening.officer is None or self.was_reported):
            return Refusal.NOT_ASKER
        return Refusal.NO_CASE if self.row["outcome"] in _NO_CASE_FOR else None

    def is_sensitive(self, opening: Opening) -> bool:
        """Say whether question or note may tell of misconduct: then no channel sees either."""
        told = self.row["question"], self.row["standalone"]
        return self.was_report or opening.is_sensitive or any(map(speaks_of_somebody, told))

    @property
    def was_report(self) -> bool:
        """True if the question was one: then nobody is told who asked."""
        told = self.row["question"], self.row["standalone"]
        return self.was_reported or any(map(is_report, told))

    @property
    def was_reported(self) -> bool:
        """True if it was taken for one when it was asked; see `Answer.is_report`."""
        return self.row["outcome"] == Outcome.ESCALATED.value and self.row["refusal"] is None


async def find_asked(connection: AsyncConnection, opening: Opening) -> Asked | None:
    """Return the answer within the workspace of who acts; None: there is none."""
    if not is_uuid(opening.answer_id):
        return None
    keys = {
        "answer": opening.answer_id,
        "platform": opening.by.platform,
        "tenant": opening.by.tenant,
    }
    row = (await connection.execute(_ANSWER, keys)).mappings().one_or_none()
    return None if row is None else Asked(row=row)


async def count_passed_on(connection: AsyncConnection, asker: str, *, ledger: Ledger) -> int:
    """Return how many cases the questions of one person have opened by themselves lately.

    Those to which the asker added a note are the asker's. Until the transaction ends, nobody else
    counts those of this person.
    """
    keys = {"asker": asker, "since": ledger.clock.now() - timedelta(hours=PASSED_ON_WITHIN_H)}
    await wait_for_one(connection, AdvisoryLock.COUNTING_CASES, asker)
    return int(await connection.scalar(_PASSED_ON, keys) or 0)


async def next_number(connection: AsyncConnection) -> int:
    """Return the number of a case that is to be opened; one that is not used stays free."""
    return int(await connection.scalar(_NUMBER) or 0)


async def insert_case(
    connection: AsyncConnection,
    asked: Asked,
    opening: Opening,
    *,
    ledger: Ledger,
    number: int,
) -> str:
    """Insert the row, and return the case's id."""
    row, now = asked.row, ledger.clock.now()
    is_sensitive = asked.is_sensitive(opening)
    urgency = Urgency.TODAY if asked.is_urgent else opening.urgency
    case_id = str(UUID(bytes=secrets.token_bytes(16), version=4))
    await connection.execute(
        _INSERT,
        {
            "id": case_id,
            "number": number,
            "question": asked.question_id,
            "reason": row["outcome"],
            "due_at": now + timedelta(days=urgency.days),
            "opened_at": now,
            "urgency": urgency,
            "opener": _opener(asked, opening),
            "note": opening.note,
            "reply": row["reply_id"],
            "record": ledger.ids.new(),
            "asker": row["asker"],
            "asker_name": opening.asker_name,
            "person": row["person"],
            "mode": row["mode"],
            "permalink": opening.permalink,
            "is_private": opening.is_private or is_sensitive,
            "is_anonymous": opening.is_anonymous,
            "is_sensitive": is_sensitive,
        },
    )
    return case_id


async def add_to_case(
    connection: AsyncConnection, case_id: str, opening: Opening, *, ledger: Ledger
) -> None:
    """Store what the asker adds to a case that we opened ourselves: it is theirs from now on."""
    await connection.execute(
        _ADD,
        {
            "id": case_id,
            "note": opening.note,
            "urgency": opening.urgency,
            "due_at": ledger.clock.now() + timedelta(days=opening.urgency.days),
            "asker_name": opening.asker_name,
            "permalink": opening.permalink,
            "is_private": opening.is_private or opening.is_sensitive,
            "is_anonymous": opening.is_anonymous,
            "is_sensitive": opening.is_sensitive,
        },
    )


def _opener(asked: Asked, opening: Opening) -> Opener:
    """Return whose idea it was: of a report, always the pipeline's, which names nobody."""
    if not asked.is_by(opening.by):
        return Opener.OFFICER
    return Opener.PIPELINE if asked.was_report else opening.opener


def is_uuid(text: str) -> bool:
    """Say whether a text from a callback can be an id of ours."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
