"""The fake Slack as a whole."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from aiohttp import ClientSession, web

from tests.servers.slack.api import WebApi
from tests.servers.slack.arguments import LONGEST_BODY
from tests.servers.slack.attacks import Attacks
from tests.servers.slack.checks import Checks
from tests.servers.slack.clock import Clock
from tests.servers.slack.deeds import Deeds
from tests.servers.slack.delivery import Sender
from tests.servers.slack.events import Events
from tests.servers.slack.faults import Faults
from tests.servers.slack.installing import Installing
from tests.servers.slack.journal import Journal, until
from tests.servers.slack.limits import Limits
from tests.servers.slack.presses import Presses
from tests.servers.slack.response_urls import ResponseUrls
from tests.servers.slack.sockets import Sockets
from tests.servers.slack.workspace import Workspace


class FakeSlack:
    """One workspace with our app, its Web API, events and sockets."""

    def __init__(self, clock: Clock, *, enterprise_id: str | None = None, team_id: str = "T0HOME"):
        self.clock = clock
        self.workspace = Workspace(clock, enterprise_id=enterprise_id, team_id=team_id)
        self.faults = Faults()
        self.limits = Limits(clock=clock)
        self.journal = Journal()
        self.events = Events(self.workspace)
        self.sockets = Sockets(self.workspace)
        self.sender = Sender(workspace=self.workspace, sockets=self.sockets)
        self.urls = ResponseUrls(self.workspace, self.journal)
        self.people = Deeds(self.workspace, self.events, self.sender)
        self.presses = Presses(self.workspace, self.sender, self.urls)
        self.attacks = Attacks(self.sender)
        self.checks = Checks(self.workspace, self.journal)
        self.base_url = ""

    @property
    def api_url(self) -> str:
        """What `AsyncWebClient(base_url=…)` takes."""
        return f"{self.base_url}/api/"

    @property
    def app_url(self) -> str:
        """Where the app listens; `""`: it uses sockets."""
        return self.sender.app_url

    @app_url.setter
    def app_url(self, url: str) -> None:
        self.sender.app_url = url

    async def until(self, holds: Callable[[], bool], *, timeout_s: float = 30.0) -> None:
        """Wait, in our seconds, until something holds."""
        await until(holds, timeout_s=timeout_s, otherwise=self.journal.report)

    def web_api(self) -> WebApi:
        """Return what answers calls."""
        return WebApi(self.workspace, self.faults, self.limits, self.journal, self.people.echo_of)

    def routes(self) -> web.Application:
        """Return the application that is served."""
        api = self.web_api()
        application = web.Application(client_max_size=LONGEST_BODY)
        application.router.add_route("*", "/api/{method}", api.handle)
        application.router.add_post("/response/{key}", self.urls.handle)
        application.router.add_get("/link/", self.sockets.handle)
        application.router.add_get("/oauth/v2/authorize", Installing(self.workspace).handle)
        return application


@asynccontextmanager
async def fake_slack(
    *, speed: float = 600.0, frozen: bool = False, enterprise_id: str | None = None
) -> AsyncGenerator[FakeSlack]:
    """Run a fake Slack on a free port of the loopback."""
    slack = FakeSlack(Clock(speed=speed, frozen=frozen), enterprise_id=enterprise_id)
    runner = web.AppRunner(slack.routes(), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port: int = runner.addresses[0][1]
    slack.base_url = slack.urls.base_url = f"http://127.0.0.1:{port}"
    try:
        async with ClientSession() as session:
            slack.sender.session = session
            yield slack
    finally:
        await slack.sockets.close()
        await runner.cleanup()
