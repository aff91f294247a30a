"""References of the conversations that the app is in."""

from datetime import datetime

from sqlalchemy import LargeBinary, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.pseudonyms import Pseudonyms
from core.adapters.postgres.engine.rows import row_of
from core.domain.conversation import ConversationReference
from core.domain.officers import Account

_PUT = text(
    "INSERT INTO citebound.conversation_references AS kept"
    " (platform, tenant, conversation, person, match_hash, team, facts)"
    " VALUES (:platform, :tenant, :conversation, :person, :match, :team, :facts)"
    " ON CONFLICT (platform, tenant, conversation) DO UPDATE"
    " SET person = excluded.person, match_hash = excluded.match_hash, team = excluded.team,"
    " facts = kept.facts || excluded.facts, updated_at = clock_timestamp()"
    " WHERE (kept.person, kept.match_hash, kept.team, kept.facts) IS DISTINCT FROM"
    "  (excluded.person, excluded.match_hash, excluded.team, kept.facts || excluded.facts)"
    " AND (kept.person IS NULL OR excluded.person IS NOT NULL)"
    " RETURNING created_at"
).bindparams(bindparam("facts", type_=JSONB), bindparam("match", type_=LargeBinary))
_SINCE = text(
    "SELECT created_at FROM citebound.conversation_references"
    " WHERE platform = :platform AND tenant = :tenant AND conversation = :conversation"
)
_READ = (
    "SELECT platform, tenant, conversation, person, team, facts"
    " FROM citebound.conversation_references WHERE platform = :platform AND tenant = :tenant"
)
_FIND = text(f"{_READ} AND conversation = :conversation")
_FIND_DIRECT = text(
    f"{_READ} AND person IS NOT NULL AND :person IN (person, facts->>'aad')"
    " ORDER BY updated_at DESC LIMIT 1"
)
_FIND_ANY = text(f"{_READ} ORDER BY updated_at DESC LIMIT 1")
_FORGET = text(
    "DELETE FROM citebound.conversation_references WHERE platform = :platform"
    " AND tenant = :tenant AND (conversation = :id OR team = :id)"
)


@database_store
class PostgresConversationReferences:
    """See `core.ports.messages.ConversationReferences`."""

    def __init__(self, engine: AsyncEngine, *, pseudonyms: Pseudonyms | None = None) -> None:
        """`pseudonyms` lets a person's references be found when the person is to be forgotten."""
        self._engine = engine
        self._pseudonyms = pseudonyms

    async def put(self, reference: ConversationReference, /) -> datetime:
        """See `ConversationReferences.put`.

        Nothing is written if nothing changed, or if a direct conversation would lose its person.
        """
        row = row_of(reference, match=self._match_hash(reference), facts=dict(reference.facts))
        async with self._engine.begin() as connection:
            since = await connection.scalar(_PUT, row)
            return since or (await connection.execute(_SINCE, row)).scalar_one()

    def _match_hash(self, reference: ConversationReference) -> bytes | None:
        if self._pseudonyms is None or reference.person is None:
            return None
        return self._pseudonyms.match_hash(
            Account(platform=reference.platform, tenant=reference.tenant, person=reference.person)
        )

    async def find(
        self, platform: str, tenant: str, conversation: str, /
    ) -> ConversationReference | None:
        """See `ConversationReferences.find`."""
        given = {"platform": platform, "tenant": tenant, "conversation": conversation}
        async with self._engine.connect() as connection:
            row = (await connection.execute(_FIND, given)).mappings().first()
        return None if row is None else ConversationReference(**row)

    async def find_direct(
        self, platform: str, tenant: str, person: str, /
    ) -> ConversationReference | None:
        """See `ConversationReferences.find_direct`."""
        given = {"platform": platform, "tenant": tenant, "person": person}
        async with self._engine.connect() as connection:
            row = (await connection.execute(_FIND_DIRECT, given)).mappings().first()
        return None if row is None else ConversationReference(**row)

    async def find_any(self, platform: str, tenant: str, /) -> ConversationReference | None:
        """See `ConversationReferences.find_any`."""
        given = {"platform": platform, "tenant": tenant}
        async with self._engine.connect() as connection:
            row = (await connection.execute(_FIND_ANY, given)).mappings().first()
        return None if row is None else ConversationReference(**row)

    async def forget(self, platform: str, tenant: str, conversation: str, /) -> int:
        """See `ConversationReferences.forget`."""
        given = {"platform": platform, "tenant": tenant, "id": conversation}
        async with self._engine.begin() as connection:
            return (await connection.execute(_FORGET, given)).rowcount
