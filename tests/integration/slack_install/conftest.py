"""A store of installations on the test's own database, a deployment, and who installs it."""

import base64
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import ClientSession, web
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.slack.install.oauth import OAuth, open_oauth
from bot.slack.web.calls import Slack, client_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.platforms.installations import (
    OAuthStores,
    PostgresInstallations,
    oauth_stores,
)
from core.adapters.postgres.platforms.secret_box import SecretBox
from core.adapters.system import SystemClock, UuidSource
from core.config.settings import Settings
from core.domain.installation import Installation, Tokens, Workspace
from tests.servers.slack import FakeSlack, fake_slack
from tests.slack_product import Browser

KEY, OTHER_KEY = bytes(range(32)), bytes(range(32, 64))
CLIENT_ID = "111.222"
"""Of the fake Slack's app."""
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ACCESS, REFRESH = "".join(("xoxb-", "held")), "".join(("xoxe-1-", "held"))

LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test")

MakeStore = Callable[..., PostgresInstallations]


@pytest.fixture
def make_store(engine: AsyncEngine) -> MakeStore:
    """Another process on the same database."""

    def make(key: bytes = KEY, **more: Any) -> PostgresInstallations:
        envelope = SecretBox(key, older=more.pop("older", ()))
        return PostgresInstallations(
            engine, envelope=envelope, ledger=LEDGER, **{"client_id": CLIENT_ID} | more
        )

    return make


@pytest.fixture
def store(make_store: MakeStore) -> PostgresInstallations:
    """The store."""
    return make_store()


def installation(
    *,
    team: str | None = "T1",
    enterprise: str | None = None,
    installer: str = "U1",
    access: str = ACCESS,
    lasts: timedelta | None = None,
) -> Installation:
    """Return an installation; one that `lasts` has tokens that rotate."""
    return Installation(
        workspace=Workspace(enterprise=enterprise, team=team),
        installer=installer,
        app="A1",
        bot="B1",
        bot_user="U0BOT",
        label="Home",
        scopes=("chat:write", "commands"),
        tokens=Tokens(
            access=access,
            refresh=REFRESH if lasts else None,
            expires_at=NOW + lasts if lasts else None,
        ),
    )


HOME, ORGANISATION = Workspace(team="T0HOME"), Workspace(enterprise="E0ORG")


class TestClock(SystemClock):
    """The machine's clock, with hours that pass at once."""

    __test__ = False

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> Any:
        """Return the present of the test."""
        return super().now() + self.ahead


@dataclass
class Deployment:
    """What serves the routes."""

    oauth: OAuth
    slack: FakeSlack
    address: str
    session: ClientSession
    clock: TestClock

    def browser(self) -> Browser:
        """Return somebody new."""
        return Browser(address=self.address, session=self.session)


def settings_of(address: str, **more: str) -> Settings:
    """Return the settings of an app that several workspaces may install."""
    given = {
        "SLACK_CLIENT_ID": "111.222",
        "SLACK_CLIENT_SECRET": "client-secret",
        "SLACK_WORKSPACES": "T0HOME, E0ORG",
        "CITEBOUND_TOKEN_KEY": base64.b64encode(KEY).decode(),
        "CITEBOUND_PUBLIC_URL": address,
    }
    return Settings.from_environment(given | more)


def stores_of(engine: AsyncEngine, **more: str) -> OAuthStores:
    """Return the stores, as the product makes them."""
    stores = oauth_stores(engine, settings_of("https://bot.example.com", **more), LEDGER)
    assert stores is not None
    return stores


@pytest.fixture(params=[None])
async def slack(request: pytest.FixtureRequest) -> AsyncIterator[FakeSlack]:
    """A workspace; `indirect` parameters name its organisation."""
    async with fake_slack(speed=6000, enterprise_id=request.param) as running:
        yield running


@pytest.fixture
async def deployment(slack: FakeSlack, engine: AsyncEngine) -> AsyncIterator[Deployment]:
    """The routes, served."""
    application, clock = web.Application(), TestClock()
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    handlers: dict[str, Any] = {}

    async def pass_on(request: web.Request) -> web.StreamResponse:
        return await handlers[request.path](request)

    application.router.add_get("/slack/{step}", pass_on)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port: int = runner.addresses[0][1]
    address = f"http://127.0.0.1:{port}"
    oauth = await open_oauth(
        settings_of(address), stores_of(engine), clock=clock, api_url=slack.api_url
    )
    handlers |= {one.path: one.handler for one in oauth.routes}
    async with ClientSession() as session:
        yield Deployment(oauth=oauth, slack=slack, address=address, session=session, clock=clock)
    await runner.cleanup()


async def installed(engine: AsyncEngine) -> list[tuple[Any, ...]]:
    """Return what is in the table."""
    async with engine.connect() as connection:
        rows = await connection.execute(
            text("SELECT enterprise_id, team_id, user_id, label FROM citebound.slack_installations")
        )
        return [tuple(row) for row in rows.all()]


async def works(slack: FakeSlack, token: str) -> bool:
    """Say whether Slack takes a token."""
    said = await Slack(client_for(token, api_url=slack.api_url)).read("auth.test")
    return type(said).__name__ == "Succeeded"
