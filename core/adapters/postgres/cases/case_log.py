"""What was done to a case, or refused: its own log, and the record."""

from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.reviews import keep_verdict
from core.adapters.postgres.engine.database import server_now
from core.adapters.postgres.engine.ledger import Ledger, append, take_number, unit_of
from core.audit.canonical import instant
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.case import AskedAnswer, ReviewVerdict, StoredCase
from core.domain.case_actions import Refusal
from core.domain.codec import json_of
from core.domain.json_value import Json
from core.domain.officers import Account, Officer
from core.ports.cases import Actor, LoggedAction, RecordedEvent

_LOG = text(
    "INSERT INTO citebound.case_messages (case_id, actor, body, at, kind, dedupe_key, refusal,"
    " officer_name, is_direct) VALUES (:case, :actor, :body, :now, :kind, :key, :refusal, :name,"
    " :direct) RETURNING id"
)
_LOGGED = text(
    "SELECT refusal FROM citebound.case_messages"
    " WHERE case_id = :case AND actor = :actor AND dedupe_key = :key"
)


async def actor_of(
    connection: AsyncConnection,
    by: Account,
    officer: Officer | None,
    *,
    ledger: Ledger,
    conversation_id: str,
) -> Actor:
    """Return how the record names somebody: an officer by login, others by pseudonym."""
    if officer is not None:
        return Actor(kind="officer", ref=officer.login)
    return Actor(kind="asker", ref=await ledger.pseudonyms.of(connection, by, conversation_id))


class PostgresCaseLog:
    """See `core.ports.cases.CaseLog`: writes on one connection."""

    def __init__(self, connection: AsyncConnection, ledger: Ledger) -> None:
        self._connection = connection
        self._ledger = ledger

    async def actor(
        self, by: Account, officer: Officer | None, /, *, conversation_id: str
    ) -> Actor:
        """See `CaseLog.actor`."""
        return await actor_of(
            self._connection, by, officer, ledger=self._ledger, conversation_id=conversation_id
        )

    async def find(self, case: StoredCase, actor: Actor, key: str, /) -> LoggedAction | None:
        """See `CaseLog.find`."""
        keys = {"case": case.case_id, "actor": actor.ref, "key": key}
        row = (await self._connection.execute(_LOGGED, keys)).one_or_none()
        if row is None:
            return None
        return LoggedAction(refusal=None if row.refusal is None else Refusal(row.refusal))

    async def add(
        self,
        case: StoredCase,
        actor: Actor,
        *,
        kind: str,
        key: str,
        body: str = "",
        refusal: Refusal | None = None,
        officer: Officer | None = None,
        is_direct: bool = False,
    ) -> int:
        """See `CaseLog.add`."""
        row = {
            "case": case.case_id,
            "actor": actor.ref,
            "body": body,
            "now": await server_now(self._connection),
            "kind": kind,
            "key": key,
            "refusal": refusal,
            "name": officer.name if officer else None,
            "direct": is_direct,
        }
        return int(await self._connection.scalar(_LOG, row) or 0)

    async def keep_verdict(
        self, case: StoredCase, actor: Actor, verdict: ReviewVerdict, *, key: str
    ) -> None:
        """See `CaseLog.keep_verdict`."""
        await keep_verdict(
            self._connection,
            answer_id=case.answer_id,
            badge=case.answer.confidence.badge if case.answer else None,
            officer=actor.ref,
            verdict=verdict,
            key=key,
            ledger=self._ledger,
        )

    async def record(
        self,
        tag: Tag,
        case: StoredCase,
        actor: Actor,
        *,
        content: Mapping[str, str] | None = None,
        says: Mapping[str, Json] | None = None,
    ) -> RecordedEvent:
        """See `CaseLog.record`."""
        is_opening = tag is Tag.CASE_OPENED
        event = Event(
            tag=tag,
            actor=actor.ref,
            actor_kind=actor.kind,
            conversation=case.conversation_id,
            seq=await take_number(self._connection, case.conversation_id),
            subject=case.answer_id,
            cause=case.reply_record if is_opening else case.record_id,
            trace_id=case.question_id,
            says={**_standing(case), **(says or {})},
        )
        # Officers read the record: the words of a report stay with its case.
        words = {} if case.is_sensitive else content or {}
        kept = {field: body for field, body in words.items() if body}
        record_id = case.record_id if is_opening else None
        ledger = self._ledger.of(await unit_of(self._connection, event.cause))
        at = await server_now(self._connection)
        entry = ledger.entry(event, at=at, content=kept, record_id=record_id)
        (leaf,) = await append(self._connection, [entry])
        return RecordedEvent(record_id=entry.record_id, leaf_hash=leaf.hex())

    async def record_refused_opening(
        self, asked: AskedAnswer, actor: Actor, refusal: Refusal, /
    ) -> None:
        """See `CaseLog.record_refused_opening`."""
        event = Event(
            tag=Tag.CASE_REFUSED,
            actor=actor.ref,
            actor_kind=actor.kind,
            conversation=asked.conversation_id,
            seq=await take_number(self._connection, asked.conversation_id),
            subject=asked.answer_id,
            cause=None,
            trace_id=asked.question_id,
            says={"deed": "open", "refusal": refusal.value},
        )
        await self._ledger.event(self._connection, event, content={})


def _standing(case: StoredCase) -> dict[str, Json]:
    return json_of(
        case,
        "case=case_id number state owner due_at urgency opener why=reason",
        due_at=case.due_at and instant(case.due_at),
    )
