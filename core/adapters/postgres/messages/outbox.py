"""Lease the oldest unsettled reply of a conversation, and keep what the platform said of it."""

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, assert_never

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.cases.case_posts import read_case
from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import Ledger, json_text, take_number
from core.adapters.postgres.engine.reach import blank_for
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.rate_limits import Pace
from core.adapters.postgres.queue.replies import queue_reply, reply_of
from core.adapters.postgres.record.affected_editions import read_edition
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.delivery import (
    Abandon,
    Delivery,
    Doubt,
    LeaveUncertain,
    Notice,
    PutOff,
    QueueAgain,
    Settle,
    Step,
    StoredReply,
    Withhold,
)
from core.domain.errors import OvertakenError
from core.domain.message import Waiting
from core.domain.officers import Officers

LEASE_S = 20.0
MOST_IN_A_ROW = 3
"""Replies to one message, all told: a notice that gets lost is not followed by notices for ever."""

_OLDEST = text(
    "SELECT o.*, c.platform, c.tenant, c.channel, c.thread,"
    " o.is_direct OR coalesce(r.is_direct, false) AS goes_directly,"
    " r.remote_id AS replaces_id, r.reply AS replaced,"
    " i.raw->>'from_channel' AS asked_from, nullif(i.raw->>'aad', '') AS directory_id,"
    " coalesce((i.raw->>'is_targeted')::boolean, (w.raw->>'is_targeted')::boolean, false)"
    "  AS is_whispered,"
    " coalesce((i.raw->>'has_file')::boolean, false) AS has_file,"
    " nullif(i.raw->>'time_zone', '') AS time_zone,"
    " nullif(coalesce(i.raw->>'locale', (SELECT s.raw->>'locale' FROM citebound.inbox s"
    "  WHERE s.conversation_id = o.conversation_id AND s.person = o.person"
    "  ORDER BY s.id DESC LIMIT 1)), '') AS locale,"
    " greatest(o.next_at, o.lease_until) AS free_at,"
    " greatest(o.next_at, o.lease_until) > clock_timestamp() AS is_waiting,"
    " coalesce(p.rests_until > clock_timestamp(), false) AS rests,"
    " extract(epoch FROM clock_timestamp() - o.queued_at)::float AS age_s,"
    " extract(epoch FROM clock_timestamp() - i.received_at)::float AS waited_s"
    " FROM citebound.outbox o JOIN citebound.conversations c ON c.id = o.conversation_id"
    " LEFT JOIN citebound.outbox r ON r.id = o.replaces"
    " LEFT JOIN citebound.inbox i ON i.id ="
    "  CAST(substring(o.cause FROM '^message:([0-9]+)$') AS bigint)"
    " LEFT JOIN citebound.inbox w ON w.id ="
    "  CAST(substring(r.cause FROM '^message:([0-9]+)$') AS bigint)"
    " LEFT JOIN citebound.channel_paces p ON p.platform = c.platform AND p.tenant = c.tenant"
    "  AND p.channel = CASE WHEN o.is_direct OR r.is_direct THEN '@' || o.person"
    "   ELSE c.channel END"
    " WHERE o.conversation_id = :conversation AND o.settled_at IS NULL"
    " ORDER BY o.id LIMIT 1 FOR UPDATE OF o"
)
_WAIT = text(
    "UPDATE citebound.outbox SET has_slot = true, next_at = :slot WHERE id = :id"
    " RETURNING next_at, next_at > clock_timestamp() AS is_waiting"
)
_LEASE = text(
    "UPDATE citebound.outbox SET has_slot = false, lease_token = gen_random_uuid(),"
    " lease_until = clock_timestamp() + make_interval(secs => :lease_s),"
    " state = CASE state WHEN 'sending' THEN 'uncertain' ELSE state END"
    " WHERE id = :id RETURNING lease_token::text, state"
)
_RENEW = text(
    "UPDATE citebound.outbox SET lease_until = clock_timestamp() + make_interval(secs => :lease_s)"
    " WHERE id = :id AND lease_token = :token"
)
_BEGIN = text(
    "UPDATE citebound.outbox SET state = 'sending', attempt = attempt + 1,"
    " reply = reply || CAST(:language AS jsonb) WHERE id = :id AND lease_token = :token"
)
_KEEP = text(
    "UPDATE citebound.outbox SET state = :state, lease_until = NULL, lease_token = NULL,"
    " next_at = clock_timestamp() + make_interval(secs => :seconds), remote_id = :remote,"
    " settled_at = CASE WHEN :settled THEN clock_timestamp() END, shape = :shape,"
    " is_direct = :direct, has_slot = :slot, is_recorded_doubt = is_recorded_doubt OR :doubt"
    " WHERE id = :id AND lease_token = :token"
)
_ANEW = text("UPDATE citebound.outbox SET replaces = NULL WHERE id = :id AND lease_token = :token")
_PARTS = text("SELECT count(*) FROM citebound.outbox WHERE cause = :cause")
_REPLACED = text("SELECT replaces FROM citebound.outbox WHERE id = :id")
_DOUBTED = frozenset({"sending", "uncertain"})


@database_store
@dataclass(frozen=True, slots=True)
class PostgresOutbox:
    """See `core.ports.Outbox`."""

    engine: AsyncEngine
    """A migrated database; its clock says when a lease ends."""
    _: KW_ONLY
    ledger: Ledger
    pace: Pace
    officers: Officers
    """A card for them says what all of these may read."""
    lease_s: float = LEASE_S

    @begun_again
    async def claim(self, conversation_id: str, /) -> Delivery | Waiting | None:
        """See `Outbox.claim`."""
        async with self.engine.begin() as connection:
            oldest = await connection.execute(_OLDEST, {"conversation": conversation_id})
            row = oldest.mappings().one_or_none()
            if row is None:
                return None
            if row["is_waiting"]:
                return Waiting(until=row["free_at"])
            if row["state"] == "queued" and (row["rests"] or not row["has_slot"]):
                slot = await self.pace.take(connection, _channel(row))
                taken = (await connection.execute(_WAIT, {"id": row["id"], "slot": slot})).one()
                if taken.is_waiting:
                    return Waiting(until=taken.next_at)
            leased = await connection.execute(_LEASE, {"id": row["id"], "lease_s": self.lease_s})
            reply = reply_of(row["reply"])
            if reply.is_card:
                await blank_for(connection, self.officers.logins)
            reply = await read_case(
                connection,
                reply,
                platform=row["platform"],
                tenant=row["tenant"],
                replaced=row["replaced"],
            )
            if reply.language is None and row["replaced"]:
                reply = replace(reply, language=reply_of(row["replaced"]).language)
            if reply.edition is not None:
                affected = await read_edition(connection, reply.edition)
                reply = replace(reply, affected=affected)
            return _delivery(row, leased.mappings().one(), reply)

    @begun_again
    async def renew(self, delivery: Delivery, /) -> None:
        """See `Outbox.renew`."""
        async with self.engine.begin() as connection:
            await _held(connection, delivery, _RENEW, lease_s=self.lease_s)

    @begun_again
    async def begin(self, delivery: Delivery, /) -> None:
        """See `Outbox.begin`."""
        async with self.engine.begin() as connection:
            language = delivery.reply.language
            kept = {} if language is None else {"language": language.value}
            await _held(connection, delivery, _BEGIN, language=json.dumps(kept))

    @begun_again
    async def apply(self, delivery: Delivery, step: Step, /) -> None:
        """See `Outbox.apply`."""
        async with self.engine.begin() as connection:
            match step:
                case Settle():
                    tag = Tag.REPLY_UPDATED if delivery.replaces else Tag.REPLY_POSTED
                    await self._record(connection, delivery, tag, step.remote_id)
                    await _keep(
                        connection, delivery, "posted", remote_id=step.remote_id, settled=True
                    )
                case PutOff():
                    await self._put_off(connection, delivery, step)
                case QueueAgain():
                    await _queue_again(connection, delivery, step)
                case Doubt():
                    await self._doubt(connection, delivery, step)
                case LeaveUncertain():
                    await _keep(connection, delivery, "uncertain", settled=True)
                    await _notify(connection, delivery, Notice.MAYBE_ABOVE)
                case Withhold():
                    await self._withhold(connection, delivery, step)
                case Abandon():
                    await self._record(connection, delivery, Tag.REPLY_ABANDONED, reason=step.code)
                    await _keep(connection, delivery, "dead", settled=True)
                case _:
                    assert_never(step)

    async def _put_off(self, connection: AsyncConnection, delivery: Delivery, step: PutOff) -> None:
        state = "uncertain" if delivery.is_doubtful else "queued"
        await _keep(connection, delivery, state, seconds=step.seconds)
        if step.channel_rests:
            await self.pace.rest(connection, _channel_of(delivery), seconds=step.seconds)

    async def _doubt(self, connection: AsyncConnection, delivery: Delivery, step: Doubt) -> None:
        if not delivery.is_recorded_doubt:
            await self._record(connection, delivery, Tag.REPLY_UNCERTAIN, reason=step.why)
        await _keep(connection, delivery, "uncertain", seconds=step.seconds, doubt=True)

    async def _withhold(
        self, connection: AsyncConnection, delivery: Delivery, step: Withhold
    ) -> None:
        await self._record(connection, delivery, Tag.REPLY_WITHHELD, reason=step.reason)
        await _keep(connection, delivery, "withheld", settled=True)
        await _notify(connection, delivery, Notice.WITHHELD)
        if step.to_direct:
            await _repeat_direct(connection, delivery)

    async def _record(
        self,
        connection: AsyncConnection,
        delivery: Delivery,
        tag: Tag,
        remote_id: str | None = None,
        **says: str,
    ) -> None:
        """Append what became of the reply; the conversation's row is locked first, as always."""
        reply, place = delivery.reply, delivery.place
        event = Event(
            tag=tag,
            actor="delivery",
            actor_kind="system",
            conversation=delivery.conversation_id,
            seq=await take_number(connection, delivery.conversation_id),
            subject=reply.answer_id,
            cause=reply.record_id,
            trace_id=reply.question_id,
            says={
                "outbox": delivery.outbox_id,
                "notice": reply.notice.value if reply.notice else None,
                **({"about": reply.about.what.value} if reply.about else {}),
                **({"edition": reply.edition} if reply.edition else {}),
                "shape": delivery.shape,
                "is_direct": delivery.is_direct,
                **says,
            },
        )
        where = {
            "tenant": place.tenant,
            "channel": None if delivery.is_direct else place.channel,
            "thread": None if delivery.is_direct else place.thread,
            "message": remote_id,
        }
        await self.ledger.event(connection, event, content={"place": json_text(where)})


async def _held(
    connection: AsyncConnection, delivery: Delivery, statement: Any, **values: object
) -> None:
    """Run a statement that changes the row only while the lease holds.

    Raises:
        OvertakenError: It does not; nothing is changed.
    """
    key = {"id": delivery.outbox_id, "token": delivery.token}
    changed = await connection.execute(statement, {**key, **values})
    if changed.rowcount != 1:
        raise OvertakenError("the reply was taken over")


async def _keep(
    connection: AsyncConnection,
    delivery: Delivery,
    state: str,
    *,
    seconds: float = 0.0,
    remote_id: str | None = None,
    settled: bool = False,
    shape: int | None = None,
    is_direct: bool | None = None,
    has_slot: bool = False,
    doubt: bool = False,
) -> None:
    """Give the row back in its new state."""
    await _held(
        connection,
        delivery,
        _KEEP,
        state=state,
        seconds=seconds,
        remote=remote_id,
        settled=settled,
        shape=delivery.shape if shape is None else shape,
        direct=delivery.is_direct if is_direct is None else is_direct,
        slot=has_slot,
        doubt=doubt,
    )


async def _queue_again(connection: AsyncConnection, delivery: Delivery, step: QueueAgain) -> None:
    """Queue it; the moment that was taken for it still holds if nothing was posted in it.

    What would have rewritten a message elsewhere is posted anew where it goes now.
    """
    stays = step.is_direct == delivery.is_direct and not delivery.is_doubtful
    if step.is_direct != delivery.is_direct and delivery.replaces is not None:
        await _held(connection, delivery, _ANEW)
    await _keep(
        connection,
        delivery,
        "queued",
        shape=step.shape,
        is_direct=step.is_direct,
        has_slot=stays,
    )


async def _notify(connection: AsyncConnection, delivery: Delivery, notice: Notice) -> None:
    """Queue a notice in place of a reply; of a card, or of what was only rewritten, none."""
    reply = delivery.reply
    is_card = reply.case is not None or reply.affected is not None or reply.reminder is not None
    if is_card or (notice is Notice.MAYBE_ABOVE and delivery.replaces is not None):
        return
    if (await connection.scalar(_PARTS, {"cause": delivery.cause}) or 0) >= MOST_IN_A_ROW:
        return
    await queue_reply(
        connection,
        StoredReply(
            notice=notice,
            question_id=reply.question_id,
            answer_id=reply.answer_id,
            record_id=reply.record_id,
            language=reply.language,
        ),
        cause=delivery.cause,
        conversation_id=delivery.conversation_id,
        person=delivery.person,
        mode=delivery.place.mode,
        progress_id=None if notice is Notice.MAYBE_ABOVE else delivery.progress_id,
        is_direct=delivery.is_direct,
        replaces=await connection.scalar(_REPLACED, {"id": delivery.outbox_id}),
    )


async def _repeat_direct(connection: AsyncConnection, delivery: Delivery) -> None:
    await queue_reply(
        connection,
        delivery.reply,
        cause=delivery.cause,
        conversation_id=delivery.conversation_id,
        person=delivery.person,
        mode=delivery.place.mode,
        is_direct=True,
    )


def _channel(row: Mapping[Any, Any]) -> dict[str, str]:
    channel = f"@{row['person']}" if row["goes_directly"] else row["channel"]
    return {"platform": row["platform"], "tenant": row["tenant"], "channel": channel}


def _channel_of(delivery: Delivery) -> dict[str, str]:
    place = delivery.place
    channel = f"@{delivery.person}" if delivery.is_direct else place.channel
    return {"platform": place.platform, "tenant": place.tenant, "channel": channel}


def _delivery(row: Mapping[Any, Any], leased: Mapping[Any, Any], reply: StoredReply) -> Delivery:
    return record(
        Delivery,
        row,
        outbox_id=row["id"],
        reply=reply,
        is_direct=row["goes_directly"],
        is_doubtful=row["state"] in _DOUBTED,
        token=leased["lease_token"],
        replaces=row["replaces_id"],
        is_taken_over=row["lease_token"] is not None,
    )
