"""The database as an officer's login reaches it: by our commands, and by any other client."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote

from sqlalchemy import make_url

from core.adapters.postgres.access import database_url, open_engine
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.officers.session import OfficerSession
from core.config.settings import Settings
from core.domain.errors import UsageError

POSTGRES_PORT = 5432


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientConnection:
    """What a client is told to connect as an officer."""

    host: str
    """A name, or the folder of a Unix socket."""
    port: int
    database: str
    login: str
    sslmode: str | None
    """As libpq calls it; None: the client's own."""

    @property
    def words(self) -> str:
        """Return it as libpq's keywords, for a socket of this machine."""
        return f"host={self.host} port={self.port} dbname={self.database} user={self.login}"

    @property
    def url(self) -> str:
        """Return it as a URL without a password."""
        tail = f"?sslmode={self.sslmode}" if self.sslmode else ""
        place = f"{self.host}:{self.port}/{quote(self.database)}"
        return f"postgresql://{quote(self.login)}@{place}{tail}"


def client_connection(url: str, login: str) -> ClientConnection:
    """Return how a client reaches the database of a URL as an officer."""
    parts = make_url(url)
    hosts, mode = parts.query.get("host", "localhost"), parts.query.get("sslmode")
    return ClientConnection(
        host=parts.host or (hosts if isinstance(hosts, str) else hosts[0]),
        port=parts.port or POSTGRES_PORT,
        database=parts.database or "postgres",
        login=login,
        sslmode=mode if isinstance(mode, str) else None,
    )


@asynccontextmanager
async def open_officer(
    settings: Settings, officer: str | None, *, ledger: Ledger
) -> AsyncGenerator[tuple[OfficerSession, ClientConnection]]:
    """Open an officer's session; each reading in it has a connection of its own.

    Args:
        settings: which database.
        officer: as whom in the embedded database; None: as its owner, who reads all.
        ledger: writes who read what.

    Raises:
        UsageError: DATABASE_URL names the login, so that nobody else can be named.
        ConfigError: See `open_engine`.
    """
    if officer is not None and settings.database_url:
        raise UsageError("--officer is for the embedded database: DATABASE_URL names the login")
    url = make_url(await database_url(settings, DatabaseRole.OFFICER))
    own = str(url.username)
    named = None if settings.database_url else own
    async with open_engine(settings, DatabaseRole.OFFICER, officer=named, ledger=ledger):
        """Only to see that the schema is there, and that the embedded owner may read."""
    reader = url.set(username=officer or own).render_as_string(hide_password=False)
    engine = engine_for(reader, pooled=False, by_pooler=True)
    try:
        yield OfficerSession(engine, ledger=ledger), client_connection(reader, officer or own)
    finally:
        await engine.dispose()
