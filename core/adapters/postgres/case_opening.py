"""Open the case of an answer: one at most, by whoever asked, or by an officer."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.ledger import Ledger
from core.agent.confidential import speaks_of_somebody
from core.agent.extractive.sensitive import is_report
from core.domain.answer import Outcome
from core.domain.case import Urgency
from core.domain.casework import Account, Opener, Opening, Refusal

DUE_AFTER = {Urgency.TODAY: timedelta(days=1), Urgency.WEEK: timedelta(days=7)}
_NO_CASE_FOR = frozenset({Outcome.CLARIFICATION.value, Outcome.IGNORED.value})

_ANSWER = text(
    "SELECT a.id::text AS answer_id, a.outcome, q.id::text AS question_id, q.text AS question,"
    " q.conversation_id::text, i.person, i.mode, i.asker, o.id AS reply_id"
    " FROM citebound.answers a JOIN citebound.questions q ON q.id = a.question_id"
    " JOIN citebound.conversations c ON c.id = q.conversation_id"
    " JOIN citebound.inbox i ON i.question_id = q.id"
    " LEFT JOIN citebound.outbox o ON o.cause = 'message:' || i.id AND o.part = 0"
    " WHERE a.id = CAST(:answer AS uuid) AND c.platform = :platform AND c.tenant = :tenant"
)
_INSERT = text(
    "INSERT INTO citebound.cases (id, question_id, state, reason, due_at, opened_at, urgency,"
    " opener, note, reply_id, record_id, asker, asker_name, person, mode, permalink, is_private,"
    " is_anonymous, is_sensitive) VALUES (:id, :question, 'open', :reason, :due_at, :opened_at,"
    " :urgency, :opener, :note, :reply, :record, :asker, :asker_name, :person, :mode, :permalink,"
    " :is_private, :is_anonymous, :is_sensitive)"
)


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

    def refusal(self, opening: Opening) -> Refusal | None:
        """Say why this person may not open its case; None: they may."""
        is_report_made = self.row["outcome"] == Outcome.ESCALATED.value
        if not self.is_by(opening.by) and (opening.officer is None or is_report_made):
            return Refusal.NOT_ASKER
        return Refusal.NO_CASE if self.row["outcome"] in _NO_CASE_FOR else None

    def is_sensitive(self, opening: Opening) -> bool:
        """Say whether question or note may tell of misconduct: then no channel sees either."""
        return self.was_report or opening.is_sensitive or speaks_of_somebody(self.row["question"])

    @property
    def was_report(self) -> bool:
        """True if the question was one: then nobody is told who asked."""
        return self.row["outcome"] == Outcome.ESCALATED.value or is_report(self.row["question"])


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


async def insert_case(
    connection: AsyncConnection, asked: Asked, opening: Opening, *, ledger: Ledger
) -> str:
    """Insert the row, and return the case's id."""
    row, now = asked.row, ledger.clock.now()
    is_sensitive = asked.is_sensitive(opening)
    case_id = str(UUID(bytes=secrets.token_bytes(16), version=4))
    await connection.execute(
        _INSERT,
        {
            "id": case_id,
            "question": asked.question_id,
            "reason": row["outcome"],
            "due_at": now + DUE_AFTER[opening.urgency],
            "opened_at": now,
            "urgency": opening.urgency,
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
