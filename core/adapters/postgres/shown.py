"""Find replies again by their answer."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.database import raises_transient
from core.adapters.postgres.replies import reply_of
from core.domain.chat import Place
from core.domain.policy import Span
from core.ports.shown import ShownReply, Surroundings

_FIND = text(
    "SELECT o.reply, i.person, i.text, i.mode, c.platform, c.tenant, c.channel, c.thread,"
    " EXISTS (SELECT FROM citebound.inbox later WHERE later.conversation_id = i.conversation_id"
    "  AND later.id > i.id AND later.kind IN ('message', 'choice')"
    "  AND later.outcome IS DISTINCT FROM 'ignored') AS is_followed"
    " FROM citebound.answers a"
    " JOIN citebound.inbox i ON i.question_id = a.question_id"
    " JOIN citebound.conversations c ON c.id = i.conversation_id"
    " JOIN citebound.outbox o ON o.cause = 'message:' || i.id AND o.part = 0"
    " WHERE a.id = :answer AND c.platform = :platform AND c.tenant = :tenant"
)
_AROUND = text(
    "SELECT substr(text, greatest(1, 1 + :start - :characters), least(:start, :characters))"
    " AS before, substr(text, 1 + :end, :characters) AS after"
    " FROM citebound.policy_versions WHERE id = :version"
)


class PostgresShownReplies:
    """See `core.ports.shown.ShownReplies`."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use a migrated database."""
        self._engine = engine

    @raises_transient
    async def find(self, answer_id: str, /, *, platform: str, tenant: str) -> ShownReply | None:
        """See `ShownReplies.find`."""
        try:
            answer = UUID(answer_id)
        except ValueError:
            return None
        values = {"answer": answer, "platform": platform, "tenant": tenant}
        async with self._engine.connect() as connection:
            row = (await connection.execute(_FIND, values)).mappings().one_or_none()
        if row is None:
            return None
        return ShownReply(
            reply=reply_of(row["reply"]),
            place=Place(
                platform=row["platform"],
                tenant=row["tenant"],
                channel=row["channel"],
                thread=row["thread"],
                mode=row["mode"],
            ),
            person=row["person"],
            question=row["text"],
            is_followed=row["is_followed"],
        )

    @raises_transient
    async def around(
        self, spans: Sequence[Span], /, *, characters: int
    ) -> Mapping[Span, Surroundings]:
        """See `ShownReplies.around`."""
        found: dict[Span, Surroundings] = {}
        async with self._engine.connect() as connection:
            for span in spans:
                given = {
                    "version": span.version_id,
                    "start": span.char_start,
                    "end": span.char_end,
                    "characters": characters,
                }
                row = (await connection.execute(_AROUND, given)).one_or_none()
                if row is not None:
                    found[span] = Surroundings(before=row.before, after=row.after)
        return found
