"""One-time links and sessions of the officers' console.

A link and a session are random; the database holds their hashes, so that whoever reads it can't
sign in. Times are the server's.
"""

import hashlib
import secrets

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import RecordingStore
from core.adapters.postgres.engine.rows import record
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.officers import ConsoleSession

LINK_MINUTES = 10
LINKS_AT_MOST = 5
"""Of one officer within those minutes."""
SESSION_HOURS = 8
IDLE_MINUTES = 30
SECRET_BYTES = 32
KEPT_DAYS = 30
"""For whoever asks when a link was used; the record says who signed in."""

_IS_OFFICER = text("SELECT audit.is_officer(:login)")
_ISSUED = text(
    "SELECT count(*) FROM citebound.console_links WHERE login = :login"
    " AND made_at > clock_timestamp() - make_interval(mins => :minutes)"
)
_ISSUE = text(
    "INSERT INTO citebound.console_links (secret_hash, login, platform, valid_until)"
    " VALUES (:secret, :login, :platform, clock_timestamp() + make_interval(mins => :minutes))"
)
_FORGET = text(
    "DELETE FROM citebound.console_links"
    " WHERE valid_until < clock_timestamp() - make_interval(days => :days)"
)
_OPEN = text(
    "SELECT EXISTS (SELECT FROM citebound.console_links WHERE secret_hash = :secret"
    " AND used_at IS NULL AND valid_until > clock_timestamp())"
)
_USE = text(
    "UPDATE citebound.console_links SET used_at = clock_timestamp() WHERE secret_hash = :secret"
    " AND used_at IS NULL AND valid_until > clock_timestamp() RETURNING login, platform"
)
_BEGIN = text(
    "INSERT INTO citebound.console_sessions (secret_hash, login, ends_at)"
    " VALUES (:secret, :login, clock_timestamp() + make_interval(hours => :hours))"
)
_SEEN = text(
    "UPDATE citebound.console_sessions SET seen_at = clock_timestamp() WHERE secret_hash = :secret"
    " AND ended_at IS NULL AND ends_at > clock_timestamp() AND audit.is_officer(login)"
    " AND seen_at > clock_timestamp() - make_interval(mins => :idle)"
    " RETURNING login, began_at, ends_at"
)
_END = text(
    "UPDATE citebound.console_sessions SET ended_at = clock_timestamp()"
    " WHERE secret_hash = :secret AND ended_at IS NULL"
)
_END_ALL = text(
    "UPDATE citebound.console_sessions SET ended_at = clock_timestamp()"
    " WHERE login = :login AND ended_at IS NULL"
)


@database_store
class PostgresConsoleAccess(RecordingStore):
    """Who may come in, and who is in. Safe from many processes."""

    async def is_officer(self, login: str) -> bool:
        """Say whether somebody was let read the record, and may still."""
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(_IS_OFFICER, {"login": login}))

    async def issue_link(self, login: str, *, platform: str) -> str | None:
        """Return the secret of a new link; None: the officer got too many of late."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        async with self._engine.begin() as connection:
            issued = await connection.scalar(_ISSUED, {"login": login, "minutes": LINK_MINUTES})
            if issued is not None and issued >= LINKS_AT_MOST:
                return None
            await connection.execute(_FORGET, {"days": KEPT_DAYS})
            await connection.execute(
                _ISSUE,
                {
                    "secret": _hash(secret),
                    "login": login,
                    "platform": platform,
                    "minutes": LINK_MINUTES,
                },
            )
        return secret

    async def is_open(self, secret: str) -> bool:
        """Say whether a link still works; that leaves it as it is, so previews may ask."""
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(_OPEN, {"secret": _hash(secret)}))

    async def redeem(self, secret: str) -> str | None:
        """Use a link up, and return the secret of the session that it begins; None: it is over."""
        async with self._engine.begin() as connection:
            used = (await connection.execute(_USE, {"secret": _hash(secret)})).one_or_none()
            if used is None:
                return None
            return await self._begin(connection, used.login, by=used.platform)

    async def begin(self, login: str, *, by: str) -> str:
        """Begin the session of somebody whom a provider has identified; return its secret."""
        async with self._engine.begin() as connection:
            return await self._begin(connection, login, by=by)

    async def find(self, secret: str) -> ConsoleSession | None:
        """Return the session, which goes on for as long as it is used; None: it is over."""
        async with self._engine.begin() as connection:
            keys = {"secret": _hash(secret), "idle": IDLE_MINUTES}
            row = (await connection.execute(_SEEN, keys)).one_or_none()
        if row is None:
            return None
        return record(ConsoleSession, row)

    async def end(self, secret: str) -> None:
        """End one session."""
        async with self._engine.begin() as connection:
            await connection.execute(_END, {"secret": _hash(secret)})

    async def end_all(self, login: str) -> None:
        """End every session of an officer."""
        async with self._engine.begin() as connection:
            await connection.execute(_END_ALL, {"login": login})

    async def _begin(self, connection: AsyncConnection, login: str, *, by: str) -> str:
        secret = secrets.token_urlsafe(SECRET_BYTES)
        begun = {"secret": _hash(secret), "login": login, "hours": SESSION_HOURS}
        await connection.execute(_BEGIN, begun)
        event = Event(tag=Tag.OFFICER_SIGNED_IN, actor=login, actor_kind="officer", says={"by": by})
        await self._ledger.event(connection, event, content={})
        return secret


def _hash(secret: str) -> bytes:
    """Hash a secret of 256 random bits: nothing slower is needed to keep it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
