"""What was done to a case, or refused: its own log, and the record."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_queries import CaseRow
from core.adapters.postgres.engine.ledger import Ledger, take_number
from core.adapters.postgres.queue.conversations import pseudonym_of
from core.audit.canonical import instant
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.case_rules import Account, Officer, Refusal
from core.domain.json_value import Json

_LOG = text(
    "INSERT INTO citebound.case_messages (case_id, actor, body, at, kind, dedupe_key, refusal,"
    " officer_name, is_direct) VALUES (:case, :actor, :body, :now, :kind, :key, :refusal, :name,"
    " :direct) RETURNING id"
)
_LOGGED = text(
    "SELECT refusal FROM citebound.case_messages"
    " WHERE case_id = :case AND actor = :actor AND dedupe_key = :key"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts, as the record names them."""

    kind: str
    """`asker` or `officer`."""
    ref: str
    """Pseudonym, or login."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """This click came before."""

    refusal: Refusal | None
    """Why it was refused; None: it was done."""


async def actor_of(
    connection: AsyncConnection, by: Account | None, officer: Officer | None
) -> Actor:
    """Return how the record names somebody."""
    if officer is not None or by is None:
        return Actor(kind="officer", ref=officer.login if officer else "terminal")
    pseudonym = await pseudonym_of(
        connection, platform=by.platform, tenant=by.tenant, person=by.person
    )
    return Actor(kind="asker", ref=pseudonym)


class CaseLog:
    """Writes the log of cases and their records."""

    def __init__(self, ledger: Ledger) -> None:
        """Take the record."""
        self._ledger = ledger

    async def find(
        self, connection: AsyncConnection, case: CaseRow, actor: Actor, key: str
    ) -> Logged | None:
        """Return what came of a click; None: it is new."""
        keys = {"case": case.case_id, "actor": actor.ref, "key": key}
        row = (await connection.execute(_LOGGED, keys)).one_or_none()
        if row is None:
            return None
        return Logged(refusal=None if row.refusal is None else Refusal(row.refusal))

    async def add(
        self,
        connection: AsyncConnection,
        case: CaseRow,
        actor: Actor,
        *,
        kind: str,
        key: str,
        body: str = "",
        refusal: Refusal | None = None,
        officer: Officer | None = None,
        is_direct: bool = False,
    ) -> int:
        """Log a deed or a refusal, and return its number."""
        row = {
            "case": case.case_id,
            "actor": actor.ref,
            "body": body,
            "now": self._ledger.clock.now(),
            "kind": kind,
            "key": key,
            "refusal": refusal,
            "name": officer.name if officer else None,
            "direct": is_direct,
        }
        return int(await connection.scalar(_LOG, row) or 0)

    async def record(
        self,
        connection: AsyncConnection,
        tag: Tag,
        case: CaseRow,
        actor: Actor,
        *,
        content: Mapping[str, str],
        says: Mapping[str, Json] | None = None,
        record_id: str | None = None,
    ) -> str:
        """Append what happened to a case, and return the record's id."""
        event = Event(
            tag=tag,
            actor=actor.ref,
            actor_kind=actor.kind,
            conversation=case.conversation_id,
            seq=await take_number(connection, case.conversation_id),
            subject=case.answer_id,
            cause=case.record_id if tag is not Tag.CASE_OPENED else case.reply_record,
            trace_id=case.question_id,
            says={**_standing(case), **(says or {})},
        )
        kept = {field: body for field, body in content.items() if body}
        return await self._ledger.event(connection, event, content=kept, record_id=record_id)


def _standing(case: CaseRow) -> dict[str, Json]:
    return {
        "case": case.case_id,
        "number": case.number,
        "state": case.state.value,
        "owner": case.owner,
        "due_at": None if case.due_at is None else instant(case.due_at),
        "urgency": case.urgency.value,
        "opener": case.opener.value,
        "why": case.reason,
    }
