"""Conversations: opened and locked for a message, and what was said in them earlier."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ARRAY, LargeBinary, Text, bindparam, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import EngineStore, database_store
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.record_ids import id_range, reference_in, several
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.tables import answers, conversations, inbox, questions
from core.adapters.postgres.engine.transactions import begun_again, reading
from core.domain.conversation import Place, context_of
from core.domain.errors import UsageError
from core.domain.message import OFFICER_SPEAKS, Ignored, InboundMessage, Speakers
from core.domain.officers import Account
from core.domain.question import Turn

_GIVEN = ("id", "platform", "tenant", "channel", "thread", "dedupe", "message", "target")
_PLACE = "platform, tenant, channel, thread"
_OPEN = text(
    "WITH given AS (SELECT *, to_char(now() AT TIME ZONE 'UTC', 'YYYY\"-Q\"Q') AS quarter"  # noqa: S608
    "   FROM unnest(:id, :platform, :tenant, :channel, :thread, :dedupe, :message, :target, :match)"
    "   WITH ORDINALITY AS given(id, platform, tenant, channel, thread, dedupe, message, target,"
    "   match_hash, n)"
    "   WHERE NOT EXISTS (SELECT FROM citebound.inbox WHERE dedupe_key = dedupe)"
    "   AND NOT EXISTS (SELECT FROM citebound.inbox WHERE message_key = message)),"
    " placed AS (SELECT given.*, coalesce("
    "   (SELECT c.period FROM citebound.inbox i JOIN citebound.conversations c"
    "     ON c.id = i.conversation_id WHERE i.message_key = given.target),"
    "   (SELECT c.period FROM citebound.conversations c WHERE (c.platform, c.tenant, c.channel,"
    "     c.thread) = (given.platform, given.tenant, given.channel, given.thread)"
    "     AND c.last_at > now() - interval '3 days'"
    "     AND c.created_at > now() - interval '120 days'"
    "     ORDER BY c.period DESC LIMIT 1),"
    "   quarter) AS period FROM given),"
    " opened AS ("
    f"   INSERT INTO citebound.conversations (id, {_PLACE}, period, next_seq)"
    f"   SELECT id::uuid, {_PLACE}, period, 2 FROM placed ORDER BY {_PLACE}, period"
    f"   ON CONFLICT ({_PLACE}, period)"
    "   DO UPDATE SET next_seq = conversations.next_seq + 1, last_at = now()"
    f"   RETURNING id::text, {_PLACE}, period, next_seq - 1 AS seq)"
    " SELECT n, opened.id, seq, period, encode(placed.match_hash, 'hex') AS person, pseudonym"
    f" FROM placed JOIN opened USING ({_PLACE}, period)"
    " LEFT JOIN audit.identity USING (match_hash, period) ORDER BY match_hash"
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in _GIVEN),
    bindparam("match", type_=ARRAY(LargeBinary)),
)
"""Locks each conversation's row until the end, in one order: without it, messages would be
numbered in the order of their commits, not of their arrival.

A new quarter begins a new conversation in the same place, unless people are in the middle of one:
that goes on until nobody has written for three days, for 120 days in all. An edit belongs where the
message is that it changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A conversation, locked by this transaction."""

    conversation_id: str
    """Its id."""
    seq: int
    """The number taken for the first record of this transaction."""
    asker: str
    """Pseudonym of who writes, in this conversation."""
    person: str
    """Keyed hash of who writes, hex: the same in every conversation and period."""


async def open_threads(
    connection: AsyncConnection, messages: Sequence[InboundMessage | Ignored], *, ledger: Ledger
) -> list[Thread | None]:
    """Make or lock the conversations of messages, and take the next number of each.

    None: the message is in the inbox. The messages must be of different places.
    """
    people = [
        Account(platform=message.place.platform, tenant=message.place.tenant, person=message.person)
        for message in messages
    ]
    given = {
        **_columns(messages, ledger),
        "match": [ledger.pseudonyms.match_hash(person) for person in people],
    }
    opened = await connection.execute(_OPEN, given)
    threads: list[Thread | None] = [None] * len(messages)
    for row in opened.all():
        n = int(row.n) - 1
        asker = row.pseudonym or await ledger.pseudonyms.make(connection, people[n], row.period)
        threads[n] = Thread(conversation_id=row.id, seq=row.seq, asker=asker, person=row.person)
    return threads


def _columns(
    messages: Sequence[InboundMessage | Ignored], ledger: Ledger
) -> dict[str, list[str | None]]:
    places = [message.place for message in messages]
    full = [message if isinstance(message, InboundMessage) else None for message in messages]
    return {
        "id": [ledger.ids.new() for _ in messages],
        "platform": [place.platform for place in places],
        "tenant": [place.tenant for place in places],
        "channel": [place.channel for place in places],
        "thread": [place.thread for place in places],
        "dedupe": [message.dedupe_key for message in messages],
        "message": [message and message.message_key for message in full],
        "target": [message and message.target_key for message in full],
    }


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
_NAMED = text(
    "SELECT a.record_id AS id, c.thread FROM citebound.conversations c"
    " JOIN citebound.questions q ON q.conversation_id = c.id"
    " JOIN citebound.answers a ON a.question_id = q.id"
    " WHERE c.platform = 'console' AND right(a.record_id::text, length(:named)) = :named"
)


@database_store
class PostgresConversationStore(EngineStore):
    """See `core.ports.ConversationStore`."""

    @begun_again
    async def find(self, place: Place, /) -> str | None:
        """See `ConversationStore.find`."""
        query = (
            select(conversations.c.id)
            .where(
                conversations.c.platform == place.platform,
                conversations.c.tenant == place.tenant,
                conversations.c.channel == place.channel,
                conversations.c.thread == place.thread,
            )
            .order_by(conversations.c.period.desc())
            .limit(1)
        )
        async with reading(self._engine) as connection:
            return await connection.scalar(query)

    @begun_again
    async def thread_named(self, typed: str, /) -> str:
        """Return the thread at the terminal that is meant, by its own id or by a record of it.

        What names neither and is no reference below a reply is the id of a new one.

        Raises:
            UsageError: There is no such record at the terminal, or there are several.
        """
        meant, reference = id_range(typed), reference_in(typed)
        if meant is None or await self.find(Place(thread=typed)):
            return typed
        async with reading(self._engine) as connection:
            named = {"named": reference or str(meant[0])}
            rows = (await connection.execute(_NAMED, named)).all()
        if len({row.thread for row in rows}) > 1:
            raise several(typed, [row.id for row in rows])
        if reference and not rows:
            raise UsageError(f"no answer at the terminal has the reference {typed!r}")
        return rows[0].thread if rows else typed

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
            record(
                Turn,
                row,
                question=row["standalone"],
                answer=row["text"],
                groups=frozenset(row["scope"]["groups"]),
                context=context_of(row["context"]),
                asker=row["asker"] or "",
                policies=tuple(dict.fromkeys(policies.get(str(row["id"]), ()))),
                answer_id=str(row["id"]),
            )
            for row in reversed(rows)
        )
