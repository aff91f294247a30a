"""Several workspaces behind one address, as Slack has them: a call goes where its token is from."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from aiohttp import ClientSession, web

from tests.servers.slack.arguments import LONGEST_BODY
from tests.servers.slack.clock import Clock
from tests.servers.slack.installing import Installing
from tests.servers.slack.server import FakeSlack


class Town:
    """The workspaces, all with our app, each with people, tokens and a journal of its own."""

    def __init__(self, slacks: Sequence[FakeSlack]):
        self.slacks = tuple(slacks)
        self.installing = self.slacks[0]
        """Where the next browser is signed in."""
        self.unknown: list[str] = []
        """Calls with a token or a code that nobody gave out."""
        self.base_url = ""
        for one in self.slacks:
            one.workspace.numbers = self.slacks[0].workspace.numbers
        self._apis = [(one, one.web_api()) for one in self.slacks]

    @property
    def api_url(self) -> str:
        """What `AsyncWebClient(base_url=…)` takes."""
        return f"{self.base_url}/api/"

    def listen_at(self, url: str) -> None:
        """Send all events to one address."""
        for one in self.slacks:
            one.app_url = url

    def routes(self) -> web.Application:
        """Return the application that is served."""
        application = web.Application(client_max_size=LONGEST_BODY)
        application.router.add_route("*", "/api/{method}", self._call)
        application.router.add_get("/oauth/v2/authorize", self._authorize)
        return application

    async def _call(self, request: web.Request) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        form = await request.post()
        codes = {str(form.get(key, "")) for key in ("code", "refresh_token")}
        for slack, api in self._apis:
            keys = slack.workspace.keys
            given = codes & {*keys.codes, *keys.used_codes, *keys.refresh_tokens}
            if token in keys.tokens or given:
                return await api.handle(request)
        self.unknown.append(request.match_info["method"])
        return web.json_response({"ok": False, "error": "invalid_auth"})

    async def _authorize(self, request: web.Request) -> web.StreamResponse:
        return await Installing(self.installing.workspace).handle(request)


@asynccontextmanager
async def slack_town(*slacks: FakeSlack) -> AsyncGenerator[Town]:
    """Serve several workspaces on a free port of the loopback."""
    town = Town(slacks)
    runner = web.AppRunner(town.routes(), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port: int = runner.addresses[0][1]
    town.base_url = f"http://127.0.0.1:{port}"
    try:
        async with ClientSession() as session:
            for one in slacks:
                one.base_url = one.urls.base_url = town.base_url
                one.sender.session = session
            yield town
    finally:
        await runner.cleanup()


def workspace_in_town(team_id: str, *, enterprise_id: str | None = None) -> FakeSlack:
    """Return a workspace for `slack_town`; a minute of its waits takes 0.1 s."""
    return FakeSlack(Clock(speed=600.0), enterprise_id=enterprise_id, team_id=team_id)
