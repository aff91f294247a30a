"""The fake Teams as a whole."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from aiohttp import ClientSession, web

from tests.servers.slack.clock import Clock
from tests.servers.slack.faults import Faults
from tests.servers.slack.journal import Journal, until
from tests.servers.teams.checks import Checks
from tests.servers.teams.connector import Connector
from tests.servers.teams.graph import Graph
from tests.servers.teams.limits import Limits
from tests.servers.teams.login import IDENTITY_HEADER, Login
from tests.servers.teams.people import People
from tests.servers.teams.sender import Sender
from tests.servers.teams.streams import Streams
from tests.servers.teams.tenant import Tenant

PREFIX = "/emea"
LARGEST_REQUEST = 1024 * 1024


class FakeTeams:
    """One tenant with our bot, its connector service and its login service."""

    def __init__(self, clock: Clock):
        self.clock = clock
        self.tenant = Tenant(clock)
        self.faults = Faults()
        self.limits = Limits(clock=clock)
        self.journal = Journal()
        self.login = Login(self.tenant, clock, self.faults, self.journal)
        self.streams = Streams(self.tenant, clock)
        self.connector = Connector(
            self.tenant,
            self.login,
            self.streams,
            clock=clock,
            faults=self.faults,
            limits=self.limits,
            journal=self.journal,
        )
        self.graph = Graph(self.login, clock, self.faults, self.journal)
        self.sender = Sender()
        self.people = People(self.tenant, self.sender, clock)
        self.checks = Checks(self.tenant, self.streams, self.journal)
        self.base_url = ""

    @property
    def service_url(self) -> str:
        """What activities name as the service of their conversation."""
        return f"{self.base_url}{PREFIX}/"

    @property
    def app_url(self) -> str:
        """Where the bot listens."""
        return self.sender.app_url

    @app_url.setter
    def app_url(self, url: str) -> None:
        self.sender.app_url = url

    @property
    def environment(self) -> dict[str, str]:
        """What the bot's process is to be started with, to use a secret."""
        return {
            "APP_ID": self.tenant.app_id,
            "APP_PASSWORD": self.tenant.app_password,
            "APP_TENANTID": self.tenant.id,
            "CITEBOUND_TEAMS_LOGIN_URL": self.base_url,
            "CITEBOUND_GRAPH_URL": self.base_url,
        }

    @property
    def identity_environment(self) -> dict[str, str]:
        """The same, to use a managed identity."""
        return {
            "APP_TYPE": "UserAssignedMSI",
            "APP_ID": self.tenant.app_id,
            "APP_TENANTID": self.tenant.id,
            "CITEBOUND_TEAMS_LOGIN_URL": self.base_url,
            "CITEBOUND_GRAPH_URL": self.base_url,
            "IDENTITY_ENDPOINT": f"{self.base_url}/msi/token",
            "IDENTITY_HEADER": IDENTITY_HEADER,
        }

    async def until(self, holds: Callable[[], bool], *, timeout_s: float = 30.0) -> None:
        """Wait, in our seconds, until something holds."""
        await until(holds, timeout_s=timeout_s, otherwise=self.journal.report)

    def routes(self) -> web.Application:
        """Return the application that is served."""
        application = web.Application(client_max_size=LARGEST_REQUEST)
        application.router.add_post("/{tenant}/oauth2/v2.0/token", self.login.by_secret)
        application.router.add_get("/msi/token", self.login.of_identity)
        application.router.add_routes([*self.connector.routes(PREFIX), *self.graph.routes()])
        return application


@asynccontextmanager
async def fake_teams(*, speed: float = 600.0, frozen: bool = False) -> AsyncGenerator[FakeTeams]:
    """Run a fake Teams on a free port of the loopback."""
    teams = FakeTeams(Clock(speed=speed, frozen=frozen))
    runner = web.AppRunner(teams.routes(), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port: int = runner.addresses[0][1]
    teams.base_url = f"http://127.0.0.1:{port}"
    teams.people.service_url = teams.service_url
    try:
        async with ClientSession() as session:
            teams.sender.session = session
            yield teams
    finally:
        await runner.cleanup()
