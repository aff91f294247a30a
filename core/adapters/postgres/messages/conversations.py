"""What was said earlier in a thread, from our own store."""

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.retrying import begun_again
from core.adapters.postgres.engine.tables import answers, conversations, inbox, questions
from core.domain.context import context_of
from core.domain.message import OFFICER_SPEAKS, Speakers
from core.domain.place import Place
from core.domain.question import Assumption, Turn

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
        """Use a migrated database."""
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
        async with self._engine.connect() as connection:
            return await connection.scalar(query)

    @raises_transient
    @begun_again
    async def speakers(self, conversation_id: str, /) -> Speakers:
        """See `ConversationStore.speakers`."""
        keys = {"conversation": conversation_id, "officer": OFFICER_SPEAKS}
        async with self._engine.connect() as connection:
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
            .where(questions.c.conversation_id == conversation_id)
            .order_by(questions.c.asked_at.desc(), questions.c.id.desc())
            .limit(TURNS)
        )
        async with self._engine.connect() as connection:
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
            )
            for row in reversed(rows)
        )
