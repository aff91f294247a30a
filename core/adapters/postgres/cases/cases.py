"""Cases in Postgres: the state, its record and what is posted of it change together, or not at all.

Whatever happens to a case happens under the lock of the asker's conversation, one after the other.
"""

from collections.abc import Collection

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.cases.case_beginning import Beginning
from core.adapters.postgres.cases.case_log import Actor, CaseLog, actor_of
from core.adapters.postgres.cases.case_opening import Asked, find_asked, is_uuid
from core.adapters.postgres.cases.case_posts import CasePosts, may_be_superseded
from core.adapters.postgres.cases.case_queries import (
    CaseRow,
    case_by_id,
    case_by_number,
    case_of_answer,
    case_of_question,
    cases_in,
    cases_of,
)
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger, take_number
from core.adapters.postgres.engine.transactions import begun_again
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.case import Case, CaseState
from core.domain.case_rules import (
    ASKERS_OWN,
    AUTHORITY,
    Account,
    CaseAction,
    CaseActionKind,
    CaseDone,
    CaseRefused,
    CaseResult,
    Change,
    Opener,
    Opening,
    Refusal,
    judge,
)
from core.domain.json_value import Json
from core.domain.officers import Officers

_LOCK = text("SELECT 1 FROM citebound.conversations WHERE id = CAST(:id AS uuid) FOR NO KEY UPDATE")
_CHANGE = text(
    "UPDATE citebound.cases SET state = :state, owner = coalesce(:owner, owner),"
    " owner_name = coalesce(:name, owner_name), is_wrong = is_wrong OR :is_wrong,"
    " claimed_at = CASE WHEN CAST(:owner AS text) IS NOT NULL"
    "  AND CAST(:owner AS text) IS DISTINCT FROM owner THEN :now ELSE claimed_at END,"
    " answered_at = CASE WHEN :is_answer THEN :now ELSE answered_at END"
    " WHERE id = CAST(:id AS uuid)"
)
_TAGS = {
    CaseActionKind.CLAIM: Tag.CASE_ASSIGNED,
    CaseActionKind.ANSWER: Tag.CASE_ANSWERED,
    CaseActionKind.CLOSE: Tag.CASE_CLOSED,
    CaseActionKind.MARK_WRONG: Tag.ANSWER_REVIEWED,
    CaseActionKind.ACCEPT: Tag.CASE_RESOLVED,
    CaseActionKind.ASK_AGAIN: Tag.CASE_REOPENED,
}


class PostgresCases:
    """See `core.ports.CaseStore`."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, officers: Officers) -> None:
        """Use a migrated database; `officers` say where cards go."""
        self._engine = engine
        self._ledger = ledger
        self._log = CaseLog(ledger)
        self._beginning = Beginning(ledger=ledger, officers=officers)
        self._posts = CasePosts(ids=ledger.ids)

    @raises_transient
    @begun_again
    async def open(self, opening: Opening, /) -> CaseResult:
        """See `CaseStore.open`."""
        async with self._engine.begin() as connection:
            asked = await find_asked(connection, opening)
            if asked is None:
                return CaseRefused(why=Refusal.UNKNOWN)
            await connection.execute(_LOCK, {"id": asked.conversation_id})
            is_asker = asked.is_by(opening.by)
            why = asked.refusal(opening)
            if why is not None:
                await self._refuse_opening(connection, asked, opening, why)
                return CaseRefused(why=why)
            case = await case_of_question(connection, asked.question_id)
            is_new = case is None
            if case is None:
                case = await self._beginning.by_person(connection, asked, opening)
            elif is_asker and case.may_be_added_to and opening.opener is Opener.ASKER:
                case, is_new = await self._beginning.added_to(connection, case, opening), True
            return CaseDone(case=_seen(case, is_asker=is_asker), is_new=is_new)

    async def _refuse_opening(
        self, connection: AsyncConnection, asked: Asked, opening: Opening, why: Refusal
    ) -> None:
        actor = await actor_of(connection, opening.by, opening.officer)
        event = Event(
            tag=Tag.CASE_REFUSED,
            actor=actor.ref,
            actor_kind=actor.kind,
            conversation=asked.conversation_id,
            seq=await take_number(connection, asked.conversation_id),
            subject=asked.answer_id,
            cause=None,
            trace_id=asked.question_id,
            says={"deed": "open", "refusal": why.value},
        )
        await self._ledger.event(connection, event, content={})

    @raises_transient
    @begun_again
    async def act(self, deed: CaseAction, /) -> CaseResult:
        """See `CaseStore.act`."""
        if not is_uuid(deed.case_id):
            return CaseRefused(why=Refusal.UNKNOWN)
        async with self._engine.begin() as connection:
            case = await case_by_id(connection, deed.case_id)
            if case is None:
                return CaseRefused(why=Refusal.UNKNOWN)
            await connection.execute(_LOCK, {"id": case.conversation_id})
            return await self._act(connection, await _read(connection, deed.case_id), deed)

    async def _act(
        self, connection: AsyncConnection, case: CaseRow, deed: CaseAction
    ) -> CaseResult:
        verdict = judge(case.standing, deed)
        is_asker = deed.kind in ASKERS_OWN
        actor = await actor_of(connection, deed.by, None if is_asker else deed.officer)
        before = await self._log.find(connection, case, actor, deed.key)
        if before is not None and verdict not in AUTHORITY:
            verdict = before.refusal
        if isinstance(verdict, Refusal):
            if before is None:
                await self._refuse(connection, case, actor, deed, verdict)
            is_hidden = verdict in AUTHORITY
            return CaseRefused(
                why=verdict, case=None if is_hidden else _seen(case, is_asker=is_asker)
            )
        if isinstance(verdict, Change):
            await self._change(connection, case, actor, deed, verdict)
            case = await _read(connection, case.case_id)
        return CaseDone(case=_seen(case, is_asker=is_asker), is_new=isinstance(verdict, Change))

    async def _refuse(
        self,
        connection: AsyncConnection,
        case: CaseRow,
        actor: Actor,
        deed: CaseAction,
        why: Refusal,
    ) -> None:
        await self._log.add(
            connection, case, actor, kind=deed.kind.value, key=deed.key, refusal=why
        )
        await self._log.record(
            connection,
            Tag.CASE_REFUSED,
            case,
            actor,
            content={},
            says={"deed": deed.kind.value, "refusal": why.value},
        )

    async def _change(
        self,
        connection: AsyncConnection,
        case: CaseRow,
        actor: Actor,
        deed: CaseAction,
        change: Change,
    ) -> None:
        await connection.execute(
            _CHANGE,
            {
                "id": case.case_id,
                "state": change.state,
                "owner": change.owner.login if change.owner else None,
                "name": change.owner.name if change.owner else None,
                "is_wrong": deed.kind is CaseActionKind.MARK_WRONG,
                "is_answer": deed.kind is CaseActionKind.ANSWER,
                "now": self._ledger.clock.now(),
            },
        )
        is_direct = deed.is_private or case.goes_directly
        message_id = await self._log.add(
            connection,
            case,
            actor,
            kind=deed.kind.value,
            key=deed.key,
            body=deed.text,
            officer=deed.officer,
            is_direct=is_direct,
        )
        after = await _read(connection, case.case_id)
        await self._record(connection, after, actor, deed, is_direct=is_direct)
        await self._tell(connection, after, actor, deed, message_id, is_direct=is_direct)

    async def _record(
        self,
        connection: AsyncConnection,
        case: CaseRow,
        actor: Actor,
        deed: CaseAction,
        *,
        is_direct: bool,
    ) -> None:
        says: dict[str, Json] = {}
        if deed.kind is CaseActionKind.ANSWER:
            says = {"is_direct": is_direct}
        elif deed.kind is CaseActionKind.MARK_WRONG:
            says = {"verdict": "wrong"}
        field = "reply" if deed.kind is CaseActionKind.ANSWER else "reason"
        await self._log.record(
            connection, _TAGS[deed.kind], case, actor, content={field: deed.text}, says=says
        )

    async def _tell(
        self,
        connection: AsyncConnection,
        case: CaseRow,
        actor: Actor,
        deed: CaseAction,
        message_id: int,
        *,
        is_direct: bool,
    ) -> None:
        """Queue what people see of it."""
        match deed.kind:
            case CaseActionKind.CLAIM:
                await self._posts.tell_news(connection, case, CaseState.CLAIMED)
            case CaseActionKind.CLOSE if not case.is_answered:
                await self._posts.tell_news(connection, case, CaseState.CLOSED)
            case CaseActionKind.ANSWER:
                await self._posts.tell_answer(connection, case, message_id, is_direct=is_direct)
                if may_be_superseded(case):
                    await self._log.record(
                        connection, Tag.ANSWER_SUPERSEDED, case, actor, content={}
                    )
                    await self._posts.supersede(connection, case, message_id)
            case _:
                pass
        await self._posts.update_cards(connection, case)

    @raises_transient
    @begun_again
    async def find(self, name: str, /) -> Case | None:
        """See `CaseStore.find`."""
        async with self._engine.connect() as connection:
            if is_uuid(name):
                case = await case_by_id(connection, name)
            elif name.isascii() and name.isdecimal() and len(name) < len(str(2**63)):
                case = await case_by_number(connection, int(name))
            else:
                case = None
        return None if case is None else case.shown()

    @raises_transient
    @begun_again
    async def about(self, answer_id: str, account: Account, /) -> Case | None:
        """See `CaseStore.about`."""
        if not is_uuid(answer_id):
            return None
        async with self._engine.connect() as connection:
            case = await case_of_answer(connection, answer_id)
        if case is None or not case.account.is_beside(account):
            return None
        return _seen(case, is_asker=case.account == account)

    @raises_transient
    @begun_again
    async def listed(self, states: Collection[CaseState], /) -> tuple[Case, ...]:
        """See `CaseStore.listed`."""
        async with self._engine.connect() as connection:
            rows = await cases_in(connection, [state.value for state in states])
        return tuple(row.shown() for row in rows)

    @raises_transient
    @begun_again
    async def of_asker(self, account: Account, /) -> tuple[Case, ...]:
        """See `CaseStore.of_asker`."""
        async with self._engine.connect() as connection:
            rows = await cases_of(connection, account)
        return tuple(row.shown_to_asker() for row in rows)


async def _read(connection: AsyncConnection, case_id: str) -> CaseRow:
    case = await case_by_id(connection, case_id)
    if case is None:
        raise LookupError(f"expected the case {case_id}, which was there")
    return case


def _seen(case: CaseRow, *, is_asker: bool) -> Case:
    return case.shown_to_asker() if is_asker else case.shown()
