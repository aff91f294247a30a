"""A deployment with cases, a ledger over it, and the officers who erase: Ada asks, Grace agrees."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole, read_as
from core.adapters.postgres.officers.erasure import PostgresErasure
from core.adapters.postgres.officers.grants import PostgresGrants
from core.adapters.postgres.officers.requests import ErasureScope, PostgresRequests
from core.adapters.postgres.officers.session import OfficerSession
from core.adapters.system import SystemClock, UuidSource
from tests.casework import Office, office
from tests.databases import as_role
from tests.integration.record.sealing import SealedLedger
from tests.life import prepare

LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test")
BASIS = "GDPR Art. 17, request 12"


@pytest.fixture
async def bureau(database_url: str) -> AsyncIterator[Office]:
    """Two officers, their channel, and who reads the record."""
    engine = engine_for(database_url)
    await prepare(engine)
    grants = PostgresGrants(engine, ledger=LEDGER)
    for login, unit in (("ada", "*"), ("grace", "test"), ("linus", "paris")):
        await grants.grant(login, units=[unit], audiences=[], has_login=False, by="test")
    yield office(engine)
    await engine.dispose()


@pytest.fixture
def sealed(engine: AsyncEngine) -> SealedLedger:
    """The ledger, with one anchor."""
    return SealedLedger(engine)


@pytest.fixture
async def console(database_url: str) -> AsyncIterator[AsyncEngine]:
    """The console's login, for Ada."""
    engine = engine_for(as_role(database_url, DatabaseRole.CONSOLE))
    read_as(engine, "ada")
    yield engine
    await engine.dispose()


@pytest.fixture
def requests_of(console: AsyncEngine) -> Callable[[str], PostgresRequests]:
    """What an officer asks, decides and unmasks with."""
    return lambda login: PostgresRequests(OfficerSession(console, ledger=LEDGER, officer=login))


@pytest.fixture
def erasure(console: AsyncEngine) -> PostgresErasure:
    """What Ada erases with."""
    return PostgresErasure(OfficerSession(console, ledger=LEDGER, officer="ada"))


@pytest.fixture
def agreed(
    requests_of: Callable[[str], PostgresRequests],
) -> Callable[[ErasureScope], Awaitable[str]]:
    """Ask for an erasure as Ada, and approve it as Grace."""

    async def approved(scope: ErasureScope) -> str:
        request = await requests_of("ada").ask_to_erase(scope, basis=BASIS)
        await requests_of("grace").decide(request, approves=True)
        return request

    return approved
