"""Conversations: opened and locked for a message, and what was said in them earlier."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ARRAY, Text, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.tables import answers, conversations, inbox, questions
from core.adapters.postgres.engine.transactions import begun_again, reading
from core.domain.conversation import Place, context_of
from core.domain.message import OFFICER_SPEAKS, Ignored, InboundMessage, Speakers
from core.domain.question import Assumption, Turn
from core.ports import IdSource

_GIVEN = ("id", "platform", "tenant", "channel", "thread", "person", "dedupe", "message")
_OPEN = text(
    "WITH given AS (SELECT * FROM unnest(:id, :platform, :tenant, :channel, :thread, :person,"
    "   :dedupe, :message) WITH ORDINALITY"
    "   AS given(id, platform, tenant, channel, thread, person, dedupe, message, n)"
    "   WHERE NOT EXISTS (SELECT FROM citebound.inbox WHERE dedupe_key = dedupe)"
    "   AND NOT EXISTS (SELECT FROM citebound.inbox WHERE message_key = message)),"
    " opened AS ("
    "   INSERT INTO citebound.conversations (id, platform, tenant, channel, thread, next_seq)"
    "   SELECT id::uuid, platform, tenant, channel, thread, 2 FROM given"
    "   ORDER BY platform, tenant, channel, thread"
    "   ON CONFLICT (platform, tenant, channel, thread)"
    "   DO UPDATE SET next_seq = conversations.next_seq + 1"
    "   RETURNING id::text, platform, tenant, channel, thread, next_seq - 1 AS seq)"
    " SELECT n, opened.id, seq, person, pseudonym"
    " FROM given JOIN opened USING (platform, tenant, channel, thread)"
    " LEFT JOIN citebound.askers USING (platform, tenant, person) ORDER BY person"
).bindparams(*(bindparam(name, type_=ARRAY(Text)) for name in _GIVEN))
"""Locks each conversation's row until the end, in one order: without it, messages would be
numbered in the order of their commits, not of their arrival."""
_MEET = text(
    "INSERT INTO citebound.askers (platform, tenant, person, pseudonym)"
    " VALUES (:platform, :tenant, :person, :pseudonym)"
    " ON CONFLICT (platform, tenant, person) DO UPDATE SET person = excluded.person"
    " RETURNING pseudonym"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A conversation, locked by this transaction."""

    conversation_id: str
    """Its id."""
    seq: int
    """The number taken for the first record of this transaction."""
    asker: str
    """Pseudonym of who writes."""


async def open_threads(
    connection: AsyncConnection, messages: Sequence[InboundMessage | Ignored], *, ids: IdSource
) -> list[Thread | None]:
    """Make or lock the conversations of messages, and take the next number of each.

    None: the message is in the inbox. The messages must be of different places.
    """
    opened = await connection.execute(_OPEN, _columns(messages, ids))
    threads: list[Thread | None] = [None] * len(messages)
    for row in opened.all():
        n = int(row.n) - 1
        place = messages[n].place
        asker = row.pseudonym or await pseudonym_of(
            connection, platform=place.platform, tenant=place.tenant, person=row.person
        )
        threads[n] = Thread(conversation_id=row.id, seq=row.seq, asker=asker)
    return threads


def _columns(
    messages: Sequence[InboundMessage | Ignored], ids: IdSource
) -> dict[str, list[str | None]]:
    places = [message.place for message in messages]
    return {
        "id": [ids.new() for _ in messages],
        "platform": [place.platform for place in places],
        "tenant": [place.tenant for place in places],
        "channel": [place.channel for place in places],
        "thread": [place.thread for place in places],
        "person": [message.person for message in messages],
        "dedupe": [message.dedupe_key for message in messages],
        "message": [
            message.message_key if isinstance(message, InboundMessage) else None
            for message in messages
        ],
    }


async def pseudonym_of(
    connection: AsyncConnection, *, platform: str, tenant: str, person: str
) -> str:
    """Return the pseudonym of a person, made if they were never met."""
    keys = {"platform": platform, "tenant": tenant, "person": person}
    made = f"p-{secrets.token_hex(8)}"
    return str(await connection.scalar(_MEET, {**keys, "pseudonym": made}))


def place_of(row: Mapping[Any, Any]) -> Place:
    """Return the thread of a row that has a conversation's columns and a mode."""
    return Place(
        platform=row["platform"],
        tenant=row["tenant"],
        channel=row["channel"],
        thread=row["thread"],
        mode=row["mode"],
    )


TURNS = 20
"""Turns that are read back."""


_SPEAKERS = text(
    "WITH asked AS (SELECT person, outcome FROM citebound.inbox"
    "  WHERE conversation_id = :conversation AND kind IN ('message', 'choice')"
    "  AND outcome IS DISTINCT FROM 'ignored' ORDER BY id DESC LIMIT 1)"
    " SELECT (SELECT f.person FROM citebound.inbox f WHERE f.conversation_id = :conversation"
    "  ORDER BY f.id LIMIT 1) AS first,"
    " (SELECT person FROM asked) AS asker,"
    " coalesce((SELECT outcome = 'clarification' FROM asked), false) AS is_asked_back,"
    " EXISTS (SELECT FROM citebound.inbox o WHERE o.conversation_id = :conversation"
    "  AND o.raw->>'reason' = :officer AND o.id > coalesce((SELECT max(m.id)"
    "   FROM citebound.inbox m WHERE m.conversation_id = :conversation"
    "   AND m.kind IN ('message', 'choice', 'help')), 0)) AS is_taken_over"
)
_CITED = text(
    "SELECT c.answer_id, p.key FROM citebound.citations c"
    " JOIN citebound.policy_versions v ON v.id = c.version_id"
    " JOIN citebound.policies p ON p.id = v.policy_id"
    " WHERE c.answer_id = ANY(CAST(:answers AS uuid[])) ORDER BY c.n"
)


class PostgresConversationStore:
    """See `core.ports.ConversationStore`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @raises_transient
    @begun_again
    async def find(self, place: Place, /) -> str | None:
        """See `ConversationStore.find`."""
        query = select(conversations.c.id).where(
            conversations.c.platform == place.platform,
            conversations.c.tenant == place.tenant,
            conversations.c.channel == place.channel,
            conversations.c.thread == place.thread,
        )
        async with reading(self._engine) as connection:
            return await connection.scalar(query)

    @raises_transient
    @begun_again
    async def speakers(self, conversation_id: str, /) -> Speakers:
        """See `ConversationStore.speakers`."""
        keys = {"conversation": conversation_id, "officer": OFFICER_SPEAKS}
        async with reading(self._engine) as connection:
            row = (await connection.execute(_SPEAKERS, keys)).one()
        return Speakers(
            first=row.first or "",
            asker=row.asker or "",
            is_asked_back=row.is_asked_back,
            is_taken_over=row.is_taken_over,
        )

    @raises_transient
    @begun_again
    async def history(self, conversation_id: str, /) -> tuple[Turn, ...]:
        """See `ConversationStore.history`."""
        query = (
            select(
                questions.c.standalone,
                questions.c.scope,
                questions.c.context,
                questions.c.assumptions,
                inbox.c.asker,
                answers,
            )
            .join(answers, answers.c.question_id == questions.c.id)
            .outerjoin(inbox, inbox.c.question_id == questions.c.id)
            .where(questions.c.conversation_id == conversation_id, questions.c.text != "")
            .order_by(questions.c.asked_at.desc(), questions.c.id.desc())
            .limit(TURNS)
        )
        async with reading(self._engine) as connection:
            rows = (await connection.execute(query)).mappings().all()
            keys = {"answers": [row["id"] for row in rows]}
            cited = (await connection.execute(_CITED, keys)).all() if rows else ()
        policies: dict[str, list[str]] = {}
        for found in cited:
            policies.setdefault(str(found.answer_id), []).append(found.key)
        return tuple(
            Turn(
                question=row["standalone"],
                outcome=row["outcome"],
                answer=row["text"],
                slot=row["slot"],
                options=tuple(row["options"]),
                groups=frozenset(row["scope"]["groups"]),
                refusal=row["refusal"],
                context=context_of(row["context"]),
                asker=row["asker"] or "",
                assumptions=tuple(
                    Assumption(slot=one["slot"], value=one["value"], source=one["source"])
                    for one in row["assumptions"]
                ),
                policies=tuple(dict.fromkeys(policies.get(str(row["id"]), ()))),
                answer_id=str(row["id"]),
            )
            for row in reversed(rows)
        )
