"""What is posted about a case: queued as ids, read when it is sent, so that it is never outdated.

Whoever queues holds the lock of the asker's conversation: each cause below belongs to one case.
"""

from dataclasses import replace
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_queries import CaseRow, case_by_id
from core.adapters.postgres.queue.replies import queue_reply, reply_of
from core.domain.case import CaseState, OfficerReply, Superseded
from core.domain.conversation import Place
from core.domain.delivery import AboutCase, CasePart, StoredReply
from core.domain.errors import IntegrityError
from core.domain.officers import Route
from core.ports import IdSource

_MAKE = text(
    "INSERT INTO citebound.conversations (id, platform, tenant, channel, thread)"
    " VALUES (:id, :platform, :tenant, :channel, :thread) ON CONFLICT DO NOTHING"
)
_FIND = text(
    "SELECT id::text FROM citebound.conversations WHERE platform = :platform"
    " AND tenant = :tenant AND channel = :channel AND thread = :thread"
)
_CARDS = text(
    "SELECT DISTINCT ON (conversation_id) id, conversation_id::text, person, mode, is_direct"
    " FROM citebound.outbox WHERE cause = :cause ORDER BY conversation_id, id"
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


class CasePosts:
    """Queues what is posted about cases."""

    def __init__(self, *, ids: IdSource) -> None:
        """Take the source of ids for new conversations."""
        self._ids = ids

    async def first_cards(
        self,
        connection: AsyncConnection,
        case: CaseRow,
        routes: tuple[Route, ...],
    ) -> None:
        """Queue the card for each place where officers are to see it."""
        for route in routes:
            place = route.place(case.case_id)
            conversation_id = await officers_conversation(connection, place, ids=self._ids)
            await self._queue(
                connection,
                _stored(case, AboutCase(what=CasePart.CARD, case_id=case.case_id)),
                cause=_cause_of_cards(case),
                conversation_id=conversation_id,
                person=route.person,
                mode=place.mode,
                is_direct=route.is_direct,
            )

    async def update_cards(self, connection: AsyncConnection, case: CaseRow) -> None:
        """Let each card show the case as it now stands."""
        cards = (await connection.execute(_CARDS, {"cause": _cause_of_cards(case)})).all()
        for card in cards:
            await self._queue(
                connection,
                _stored(case, AboutCase(what=CasePart.CARD, case_id=case.case_id)),
                cause=_cause_of_cards(case),
                conversation_id=card.conversation_id,
                person=card.person,
                mode=card.mode,
                is_direct=card.is_direct,
                replaces=card.id,
            )

    async def tell_news(self, connection: AsyncConnection, case: CaseRow, state: CaseState) -> None:
        """Tell the asker how far the case has come."""
        about = AboutCase(what=CasePart.NEWS, case_id=case.case_id, state=state)
        await self._to_asker(
            connection,
            case,
            about,
            cause=f"case:{case.case_id}:news",
            is_direct=case.goes_directly,
        )

    async def tell_answer(
        self, connection: AsyncConnection, case: CaseRow, message_id: int, *, is_direct: bool
    ) -> None:
        """Post the officer's answer, where the asker reads it."""
        about = AboutCase(what=CasePart.REPLY, case_id=case.case_id, message_id=message_id)
        await self._to_asker(
            connection, case, about, cause=f"case_message:{message_id}", is_direct=is_direct
        )

    async def supersede(self, connection: AsyncConnection, case: CaseRow, message_id: int) -> None:
        """Say at the earlier answer that it no longer holds, wherever it was shared."""
        about = AboutCase(what=CasePart.SUPERSEDED, case_id=case.case_id, message_id=message_id)
        for copy in (await connection.execute(_SHARED, {"answer": case.answer_id})).all():
            await self._queue(
                connection,
                _stored(case, about),
                cause=f"case_message:{message_id}",
                conversation_id=copy.conversation_id,
                person=copy.person,
                mode=copy.mode,
                replaces=copy.id,
            )
        post = await connection.scalar(_POST, {"id": case.reply_id, "answer": case.answer_id})
        if post is None:
            return
        await self._to_asker(
            connection,
            case,
            about,
            cause=f"case_message:{message_id}",
            is_direct=False,
            replaces=post,
        )

    async def _to_asker(
        self,
        connection: AsyncConnection,
        case: CaseRow,
        about: AboutCase,
        *,
        cause: str,
        is_direct: bool,
        replaces: int | None = None,
    ) -> None:
        await self._queue(
            connection,
            _stored(case, about),
            cause=cause,
            conversation_id=case.conversation_id,
            person=case.account.person,
            mode=case.mode,
            is_direct=is_direct,
            replaces=replaces,
        )

    async def _queue(
        self, connection: AsyncConnection, reply: StoredReply, *, conversation_id: str, **more: Any
    ) -> None:
        await queue_reply(connection, reply, conversation_id=conversation_id, **more)


def may_be_superseded(case: CaseRow) -> bool:
    """Say whether an officer's answer replaces what the asker got.

    The reply to a report was no answer, and stays as it is: nothing there hints at a case.
    """
    return case.answer is not None and not case.answer.is_report


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
        return reply
    case = await case_by_id(connection, about.case_id)
    if case is None:
        raise IntegrityError(f"a reply is about the case {about.case_id}, which is not there")
    match about.what:
        case CasePart.CARD:
            return replace(reply, case=case.shown(platform=platform, tenant=tenant))
        case CasePart.NEWS:
            return replace(reply, news=case.news(about.state or case.state))
        case CasePart.REPLY:
            told = (await connection.execute(_TOLD, {"id": about.message_id})).one()
            return replace(reply, officer_reply=_officer_reply(case, told))
        case CasePart.SUPERSEDED:
            told = (await connection.execute(_TOLD, {"id": about.message_id})).one()
            earlier = None if replaced is None else reply_of(replaced)
            if earlier is None or earlier.answer is None:
                raise IntegrityError(f"the case {case.case_id} supersedes no answer")
            superseded = Superseded(
                answer=earlier.answer,
                officer=told.officer_name,
                number=case.number,
                is_elsewhere=told.is_direct or earlier.asked is not None,
            )
            return replace(reply, superseded=superseded, groups=earlier.groups)


def _officer_reply(case: CaseRow, told: Any) -> OfficerReply:
    return OfficerReply(
        case_id=case.case_id,
        number=case.number,
        officer=told.officer_name,
        question=case.question,
        text=told.body,
        asker=case.account.person,
        permalink=case.permalink if told.is_direct else None,
    )


def _stored(case: CaseRow, about: AboutCase) -> StoredReply:
    return StoredReply(
        about=about,
        question_id=case.question_id,
        answer_id=case.answer_id,
        record_id=case.record_id,
    )


def _cause_of_cards(case: CaseRow) -> str:
    return f"case:{case.case_id}"
