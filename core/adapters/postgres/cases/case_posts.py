"""What is posted about a case: queued as ids, read when it is sent, so that it is never outdated.

Whoever queues holds the lock of the asker's conversation: each cause below belongs to one case.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_rows import PostgresCaseRows
from core.adapters.postgres.queue.replies import queue_reply, reply_of
from core.domain.case import (
    CaseNews,
    CaseReminder,
    CaseState,
    OfficerReply,
    ReportDue,
    StoredCase,
    SupersededAnswer,
)
from core.domain.conversation import Place
from core.domain.delivery import AboutCase, CasePart, Clarified, Notice, StoredReply
from core.domain.errors import IntegrityError
from core.domain.officers import Officers, Route
from core.ports import IdSource
from core.ports.cases import RecordedEvent

_MAKE = text(
    "INSERT INTO citebound.conversations (id, platform, tenant, channel, thread)"
    " VALUES (:id, :platform, :tenant, :channel, :thread) ON CONFLICT DO NOTHING"
)
_FIND = text(
    "SELECT id::text FROM citebound.conversations WHERE platform = :platform"
    " AND tenant = :tenant AND channel = :channel AND thread = :thread"
    " ORDER BY period DESC LIMIT 1"
)
_CARDS = text(
    "SELECT DISTINCT ON (conversation_id) id, conversation_id::text, person, mode, is_direct"
    " FROM citebound.outbox WHERE cause = :cause AND person <> ALL (CAST(:excluded AS text[]))"
    " ORDER BY conversation_id, id"
)
_POST = text(
    "SELECT n.id FROM citebound.outbox o JOIN citebound.outbox n ON n.cause = o.cause"
    " WHERE o.id = :id AND n.reply->>'answer_id' = :answer AND n.reply->>'answer' IS NOT NULL"
    " AND n.removed_at IS NULL ORDER BY n.state = 'posted' DESC, n.id DESC LIMIT 1"
)
"""The post of an answer: one that was withheld from its thread went to the asker directly."""
_TOLD = text("SELECT body, officer_name, is_direct FROM citebound.case_messages WHERE id = :id")


_SHARED = text(
    "SELECT id, conversation_id::text, person, mode FROM citebound.outbox"
    " WHERE cause = 'share:' || CAST(:answer AS text) AND reply->>'answer' IS NOT NULL"
    " AND removed_at IS NULL"
)


async def officers_conversation(connection: AsyncConnection, place: Place, *, ids: IdSource) -> str:
    """Return the conversation of a place where officers hear of something; it is made if needed."""
    keys = {
        "platform": place.platform,
        "tenant": place.tenant,
        "channel": place.channel,
        "thread": place.thread,
    }
    await connection.execute(_MAKE, {**keys, "id": ids.new()})
    return str(await connection.scalar(_FIND, keys))


async def tell_officers(
    connection: AsyncConnection,
    notice: Notice,
    *,
    cause: str,
    officers: Officers,
    ids: IdSource,
    subject: str | None = None,
    routes: Sequence[Route] | None = None,
) -> None:
    """Queue a notice where officers hear of cases, or on `routes`; it comes once for each cause."""
    for route in officers.routes(is_sensitive=False) if routes is None else routes:
        place = route.place(cause)
        await queue_reply(
            connection,
            StoredReply(notice=notice, subject=subject),
            cause=cause,
            conversation_id=await officers_conversation(connection, place, ids=ids),
            person=route.person,
            mode=place.mode,
            is_direct=route.is_direct,
        )


class PostgresCasePosts:
    """See `core.ports.cases.CasePosts`: queues on one connection."""

    def __init__(self, connection: AsyncConnection, *, ids: IdSource) -> None:
        self._connection = connection
        self._ids = ids

    async def first_cards(self, case: StoredCase, routes: tuple[Route, ...], /) -> None:
        """See `CasePosts.first_cards`."""
        for route in routes:
            place = route.place(case.case_id)
            conversation_id = await officers_conversation(self._connection, place, ids=self._ids)
            await self._queue(
                case,
                AboutCase(what=CasePart.CARD, case_id=case.case_id),
                cause=_cause_of_cards(case),
                conversation_id=conversation_id,
                person=route.person,
                mode=place.mode,
                is_direct=route.is_direct,
            )

    async def update_cards(self, case: StoredCase, /) -> None:
        """See `CasePosts.update_cards`."""
        keys = {"cause": _cause_of_cards(case), "excluded": sorted(case.excluded)}
        cards = await self._connection.execute(_CARDS, keys)
        for card in cards.all():
            await self._queue(
                case,
                AboutCase(what=CasePart.CARD, case_id=case.case_id),
                cause=_cause_of_cards(case),
                conversation_id=card.conversation_id,
                person=card.person,
                mode=card.mode,
                is_direct=card.is_direct,
                replaces=card.id,
            )

    async def remind(
        self,
        case: StoredCase,
        about: AboutCase,
        recorded: RecordedEvent,
        routes: tuple[Route, ...],
        /,
    ) -> None:
        """See `CasePosts.remind`."""
        for route in routes:
            place = route.place(case.case_id)
            await self._queue(
                case,
                about,
                recorded,
                cause=f"case:{case.case_id}:{about.what.value}",
                conversation_id=await officers_conversation(self._connection, place, ids=self._ids),
                person=route.person,
                mode=place.mode,
                is_direct=route.is_direct,
            )

    async def tell_asker(
        self, case: StoredCase, about: AboutCase, recorded: RecordedEvent, /, *, is_direct: bool
    ) -> None:
        """See `CasePosts.tell_asker`."""
        news, message = f"case:{case.case_id}:news", f"case_message:{about.message_id}"
        cause = news if about.message_id is None else message
        await self._queue_to_asker(case, about, recorded, cause=cause, is_direct=is_direct)

    async def supersede(
        self, case: StoredCase, message_id: int, recorded: RecordedEvent, /
    ) -> None:
        """See `CasePosts.supersede`."""
        about = AboutCase(what=CasePart.SUPERSEDED, case_id=case.case_id, message_id=message_id)
        cause = f"case_message:{message_id}"
        shared = await self._connection.execute(_SHARED, {"answer": case.answer_id})
        for copy in shared.all():
            await self._queue(
                case,
                about,
                recorded,
                cause=cause,
                conversation_id=copy.conversation_id,
                person=copy.person,
                mode=copy.mode,
                replaces=copy.id,
            )
        post = await self._connection.scalar(_POST, {"id": case.reply_id, "answer": case.answer_id})
        if post is not None:
            await self._queue_to_asker(
                case, about, recorded, cause=cause, is_direct=False, replaces=post
            )

    async def _queue_to_asker(
        self,
        case: StoredCase,
        about: AboutCase,
        recorded: RecordedEvent,
        *,
        cause: str,
        is_direct: bool,
        replaces: int | None = None,
    ) -> None:
        await self._queue(
            case,
            about,
            recorded,
            cause=cause,
            conversation_id=case.conversation_id,
            person=case.account.person,
            mode=case.place.mode,
            is_direct=is_direct,
            replaces=replaces,
        )

    async def _queue(
        self,
        case: StoredCase,
        about: AboutCase,
        recorded: RecordedEvent | None = None,
        *,
        conversation_id: str,
        **more: Any,
    ) -> None:
        """Queue a part of a case; what its asker reads names the record of what happened."""
        reply = StoredReply(
            about=about,
            question_id=case.question_id,
            answer_id=case.answer_id,
            record_id=recorded.record_id if recorded else case.record_id,
            leaf_hash=recorded.leaf_hash if recorded else None,
        )
        await queue_reply(self._connection, reply, conversation_id=conversation_id, **more)


async def read_case(
    connection: AsyncConnection,
    reply: StoredReply,
    *,
    platform: str,
    tenant: str,
    replaced: dict[str, Any] | None,
) -> StoredReply:
    """Return a reply about a case with what its ids stand for now.

    Raises:
        IntegrityError: There is no such case.
    """
    about = reply.about
    if about is None:
        return _rewriting(reply, replaced)
    case = await PostgresCaseRows(connection).find(about.case_id)
    if case is None:
        raise IntegrityError(f"a reply is about the case {about.case_id}, which is not there")
    match about.what:
        case CasePart.CARD:
            return replace(reply, case=case.shown(platform=platform, tenant=tenant))
        case CasePart.NEWS | CasePart.ACKNOWLEDGED | CasePart.UNHEARD:
            return replace(reply, news=_news(case, about))
        case CasePart.REMINDER | CasePart.OVERDUE | CasePart.ESCALATED | CasePart.WRITTEN:
            return replace(reply, reminder=_reminder(case, about))
        case CasePart.REPLY | CasePart.SUPERSEDED:
            told = (await connection.execute(_TOLD, {"id": about.message_id})).one()
            if about.what is CasePart.REPLY:
                return replace(reply, officer_reply=_officer_reply(case, told))
            return _superseded(reply, case, told, replaced)


def _superseded(
    reply: StoredReply, case: StoredCase, told: Any, replaced: dict[str, Any] | None
) -> StoredReply:
    earlier = None if replaced is None else reply_of(replaced)
    if earlier is None or earlier.answer is None:
        raise IntegrityError(f"the case {case.case_id} supersedes no answer")
    superseded = SupersededAnswer(
        answer=earlier.answer,
        officer=told.officer_name,
        number=case.number,
        is_elsewhere=told.is_direct or earlier.asked is not None,
    )
    return replace(reply, superseded=superseded, groups=earlier.groups)


def _rewriting(reply: StoredReply, replaced: dict[str, Any] | None) -> StoredReply:
    """Return what takes the place of an earlier post; any other reply as it is.

    That is a question back that is answered, or an answer that rests on what a policy no longer
    says.

    Raises:
        IntegrityError: It rewrites no answer.
    """
    if reply.chosen is None and not reply.is_outdated:
        return reply
    earlier = None if replaced is None else reply_of(replaced)
    if earlier is None or earlier.answer is None:
        raise IntegrityError(f"a reply about {reply.answer_id} rewrites no answer")
    if reply.chosen is not None:
        clarified = Clarified(asked=earlier.answer, chosen=reply.chosen)
        return replace(reply, clarified=clarified, groups=earlier.groups)
    superseded = SupersededAnswer(
        answer=earlier.answer,
        officer="",
        number=None,
        is_elsewhere=earlier.asked is not None,
    )
    return replace(reply, superseded=superseded, groups=earlier.groups)


def _news(case: StoredCase, about: AboutCase) -> CaseNews:
    news = replace(case.news(about.state or case.state), ways=about.ways)
    is_acknowledgement = about.what is CasePart.ACKNOWLEDGED
    due_at = case.clock.feedback_by if is_acknowledgement else news.due_at
    return replace(news, due_at=due_at, is_acknowledgement=is_acknowledgement)


def _reminder(case: StoredCase, about: AboutCase) -> CaseReminder:
    due_at, state = case.due_at, case.state
    if about.clock is not None:
        is_feedback = about.clock is ReportDue.FEEDBACK
        due_at = case.clock.feedback_by if is_feedback else case.clock.acknowledge_by
        state = state if about.clock in case.clock.owed else CaseState.ANSWERED
    return CaseReminder(
        case_id=case.case_id,
        number=case.number,
        due_at=due_at or case.opened_at,
        state=state,
        officer=case.owner_name,
        is_overdue=about.what in {CasePart.OVERDUE, CasePart.ESCALATED},
        clock=about.clock,
        is_escalated=about.what is CasePart.ESCALATED,
        has_written=about.what is CasePart.WRITTEN,
    )


def _officer_reply(case: StoredCase, told: Any) -> OfficerReply:
    return OfficerReply(
        case_id=case.case_id,
        number=case.number,
        officer=told.officer_name,
        question=case.question,
        text=told.body,
        is_report=case.is_sensitive,
        asker=case.account.person,
        permalink=case.permalink if told.is_direct else None,
    )


def _cause_of_cards(case: StoredCase) -> str:
    return f"case:{case.case_id}"
