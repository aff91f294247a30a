"""Officers with logins of their own, on the test's own database."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.officers.grants import PostgresGrants
from core.adapters.postgres.officers.query import OfficerQueries
from core.adapters.postgres.officers.session import OfficerSession
from core.adapters.system import SystemClock, UuidSource

Grant = Callable[..., Awaitable[str]]
Session = Callable[[str], OfficerSession]
LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")


@pytest.fixture
def grants(engine: AsyncEngine) -> PostgresGrants:
    """Makes officers as the superuser that migrates."""
    return PostgresGrants(engine, ledger=LEDGER)


@pytest.fixture
def grant(grants: PostgresGrants, new_login: Callable[[], str]) -> Grant:
    """Make an officer with a login, and return its name."""

    async def run(*units: str) -> str:
        login = new_login()
        await grants.grant(
            login, units=units or ("berlin",), audiences=("everyone",), has_login=True, by="root"
        )
        return login

    return run


@pytest.fixture
async def session(database_url: str) -> AsyncIterator[Session]:
    """An officer's session, on a login of theirs."""
    engines: list[AsyncEngine] = []

    def open_as(login: str) -> OfficerSession:
        url = make_url(database_url).set(username=login).render_as_string(hide_password=False)
        engines.append(engine_for(url, pooled=False, by_pooler=True))
        return OfficerSession(engines[-1], ledger=LEDGER)

    yield open_as
    for engine in engines:
        await engine.dispose()


@pytest.fixture
async def queries(grant: Grant, session: Session) -> OfficerQueries:
    """What an officer of Berlin types."""
    return OfficerQueries(session(await grant("berlin")))
