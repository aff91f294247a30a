"""A case as its row, and as people may see it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.queue.conversations import place_of
from core.adapters.postgres.queue.replies import reply_of
from core.domain.answer import Answer, Outcome
from core.domain.case import Case, CaseNews, CaseState, Urgency
from core.domain.case_rules import Account, Opener, Standing
from core.domain.conversation import Place

_COLUMNS = (  # the question as it stands alone, unless a report was made before in its thread
    "SELECT k.id::text, k.number, k.state, k.owner, k.owner_name, k.claimed_at, k.due_at,"
    " k.opened_at, k.urgency, k.opener, k.note, k.record_id::text, k.asker, k.asker_name, k.person,"
    " k.mode, k.permalink, k.is_private, k.is_anonymous, k.is_sensitive, k.is_wrong, k.reason,"
    " k.reply_id, k.answered_at, q.id::text AS question_id,"
    " CASE WHEN EXISTS (SELECT FROM citebound.questions b JOIN citebound.answers r"
    "  ON r.question_id = b.id WHERE b.conversation_id = q.conversation_id"
    "  AND b.asked_at < q.asked_at AND r.outcome = 'escalated' AND r.refusal IS NULL)"
    " THEN q.text ELSE q.standalone END AS question,"
    " q.conversation_id::text, a.id::text AS answer_id, c.platform, c.tenant, c.channel, c.thread,"
    " o.reply, (SELECT m.body FROM citebound.case_messages m WHERE m.case_id = k.id"
    "  AND m.kind = 'answer' AND m.refusal IS NULL ORDER BY m.id DESC LIMIT 1) AS told"
    " FROM citebound.cases k JOIN citebound.questions q ON q.id = k.question_id"
    " JOIN citebound.answers a ON a.question_id = q.id"
    " JOIN citebound.conversations c ON c.id = q.conversation_id"
    " LEFT JOIN citebound.outbox o ON o.id = k.reply_id "
)
_BY_ID = text(_COLUMNS + "WHERE k.id = CAST(:id AS uuid)")
_BY_NUMBER = text(_COLUMNS + "WHERE k.number = :number")
_OF_QUESTION = text(_COLUMNS + "WHERE k.question_id = CAST(:question AS uuid)")
_OF_ANSWER = text(_COLUMNS + "WHERE a.id = CAST(:answer AS uuid)")
_LISTED = text(
    _COLUMNS + "WHERE k.state = ANY(:states) ORDER BY k.urgency = 'today' DESC, k.number LIMIT 200"
)
_OF_ASKER = text(
    _COLUMNS + "WHERE k.person = :person AND c.platform = :platform AND c.tenant = :tenant"
    " AND k.state <> 'closed' ORDER BY k.number DESC LIMIT 50"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """A case with all that code needs of it; people see `shown` of it alone."""

    case_id: str
    number: int
    state: CaseState
    owner: str | None
    owner_name: str | None
    claimed_at: datetime | None
    due_at: datetime | None
    opened_at: datetime
    urgency: Urgency
    opener: Opener
    note: str
    record_id: str
    asker: str
    asker_name: str | None
    account: Account
    mode: str
    place: Place
    permalink: str | None
    is_private: bool
    is_anonymous: bool
    is_sensitive: bool
    is_wrong: bool
    reason: str
    reply_id: int | None
    is_answered: bool
    question_id: str
    question: str
    answer_id: str
    conversation_id: str
    told: str
    answer: Answer | None
    reply_record: str | None

    @property
    def is_named(self) -> bool:
        """True if officers may see who asked, and where."""
        return self.opener is Opener.ASKER and not self.is_anonymous

    @property
    def may_be_added_to(self) -> bool:
        """True if the asker did not send it, and may still say what officers should know."""
        is_waiting = self.state in {CaseState.OPEN, CaseState.CLAIMED}
        return is_waiting and self.opener is Opener.PIPELINE and not self.is_sensitive

    @property
    def goes_directly(self) -> bool:
        """True if nothing of it is said to the asker where others read."""
        return self.is_private or not self.is_named

    @property
    def standing(self) -> Standing:
        """What a decision about it rests on."""
        return Standing(
            state=self.state,
            owner=self.owner,
            asker=self.account,
            may_be_wrong=self.answer is not None and self.answer.outcome is Outcome.ANSWERED,
            is_wrong=self.is_wrong,
        )

    def news(self, state: CaseState) -> CaseNews:
        """Return how far it has come, as the asker hears it."""
        return CaseNews(
            number=self.number, state=state, officer=self.owner_name, urgency=self.urgency
        )

    def shown(self, *, platform: str | None = None, tenant: str | None = None) -> Case:
        """Return it as officers see it; the asker's id means something on its own platform alone.

        Without a platform nobody can mention anybody: the id is told all the same.
        """
        is_there = platform is None or (platform, tenant) == (
            self.account.platform,
            self.account.tenant,
        )
        return Case(
            case_id=self.case_id,
            number=self.number,
            state=self.state,
            urgency=self.urgency,
            question=self.question,
            opened_at=self.opened_at,
            answer=self.answer,
            note=self.note,
            asker=self.account.person if self.is_named and is_there else None,
            asker_name=self.asker_name if self.is_named else None,
            permalink=self.permalink if self.is_named else None,
            record_id=self.reply_record or self.record_id,
            officer=self.owner_name,
            claimed_at=self.claimed_at,
            due_at=self.due_at,
            is_private=self.goes_directly,
            is_sensitive=self.is_sensitive,
            is_wrong=self.is_wrong,
            told=self.told,
        )

    def shown_to_asker(self) -> Case:
        """Return it as the asker sees it: with its place, whoever else may not see that."""
        return Case(
            case_id=self.case_id,
            number=self.number,
            state=self.state,
            urgency=self.urgency,
            question=self.question,
            opened_at=self.opened_at,
            asker=self.account.person,
            permalink=self.permalink,
            place=self.place,
            officer=self.owner_name,
            is_private=self.goes_directly,
            is_sensitive=self.is_sensitive,
            may_be_added_to=self.may_be_added_to,
        )


async def case_by_id(connection: AsyncConnection, case_id: str) -> CaseRow | None:
    """Return a case; `case_id` is a UUID."""
    return await _one(connection, _BY_ID, id=case_id)


async def case_by_number(connection: AsyncConnection, number: int) -> CaseRow | None:
    """Return the case with a number."""
    return await _one(connection, _BY_NUMBER, number=number)


async def case_of_question(connection: AsyncConnection, question_id: str) -> CaseRow | None:
    """Return the case of a question."""
    return await _one(connection, _OF_QUESTION, question=question_id)


async def case_of_answer(connection: AsyncConnection, answer_id: str) -> CaseRow | None:
    """Return the case of an answer; `answer_id` is a UUID."""
    return await _one(connection, _OF_ANSWER, answer=answer_id)


async def cases_in(connection: AsyncConnection, states: list[str]) -> list[CaseRow]:
    """Return the cases in some states: the most urgent first, then the oldest."""
    rows = await connection.execute(_LISTED, {"states": states})
    return [_case(row) for row in rows.mappings()]


async def cases_of(connection: AsyncConnection, account: Account) -> list[CaseRow]:
    """Return an asker's cases that are not closed, newest first."""
    keys = {"platform": account.platform, "tenant": account.tenant, "person": account.person}
    rows = await connection.execute(_OF_ASKER, keys)
    return [_case(row) for row in rows.mappings()]


async def _one(connection: AsyncConnection, query: Any, **keys: object) -> CaseRow | None:
    row = (await connection.execute(query, keys)).mappings().one_or_none()
    return None if row is None else _case(row)


def _case(row: Mapping[Any, Any]) -> CaseRow:
    reply = None if row["reply"] is None else reply_of(row["reply"])
    account = Account(platform=row["platform"], tenant=row["tenant"], person=row["person"])
    return CaseRow(
        case_id=row["id"],
        number=row["number"],
        state=CaseState(row["state"]),
        owner=row["owner"],
        owner_name=row["owner_name"],
        claimed_at=row["claimed_at"],
        due_at=row["due_at"],
        opened_at=row["opened_at"],
        urgency=Urgency(row["urgency"]),
        opener=Opener(row["opener"]),
        note=row["note"],
        record_id=row["record_id"],
        asker=row["asker"],
        asker_name=row["asker_name"],
        account=account,
        mode=row["mode"],
        place=place_of(row),
        permalink=row["permalink"],
        is_private=row["is_private"],
        is_anonymous=row["is_anonymous"],
        is_sensitive=row["is_sensitive"],
        is_wrong=row["is_wrong"],
        reason=row["reason"],
        reply_id=row["reply_id"],
        is_answered=row["answered_at"] is not None,
        question_id=row["question_id"],
        question=row["question"],
        answer_id=row["answer_id"],
        conversation_id=row["conversation_id"],
        told=row["told"] or "",
        answer=None if reply is None else reply.answer,
        reply_record=None if reply is None else reply.record_id,
    )
