"""The product as `citebound serve` runs it, against a fake Slack."""

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from http.cookies import SimpleCookie
from pathlib import Path

from aiohttp import ClientSession

from bot.app.process import Roles, running
from bot.slack.app.platform import slack as connect_slack
from bot.slack.outbound.timings import SlackTimings
from core.adapters.postgres.engine.database import engine_for
from core.bootstrap import SERVING, bootstrap
from core.config.settings import Settings
from tests.databases import logins
from tests.running import Running
from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Message
from tests.servers.slack.town import Town

PUBLIC_URL = "https://bot.example.com"
AT_ONCE = SlackTimings(draw_after_s=0.0)
"""Every run shows its steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Running):
    """What a test holds on to."""

    slack: FakeSlack

    async def answer_to(self, question: Message) -> Message:
        """Return the only reply to a question, once everything is quiet."""
        await self.quiet()
        return self.slack.checks.one_answer(question)


def settings_for(slack: FakeSlack, database_url: str, **more: object) -> Settings:
    """Return the settings of a deployment in this workspace."""
    settings = Settings(
        **logins(database_url),
        slack_bot_token=slack.workspace.bot_token,
        slack_signing_secret=slack.workspace.app.signing_secret,
        slack_api_url=slack.api_url,
        port=0,
        operations_port=0,
    )
    return replace(settings, **more)  # pyright: ignore[reportArgumentType]  # checked by Settings


def town_settings(town: Town, database_url: str, **more: object) -> Settings:
    """Return the settings of a deployment that the workspaces of a town may install."""
    app = town.slacks[0].workspace.app
    spaces = [one.workspace for one in town.slacks]
    settings = Settings(
        **logins(database_url),
        slack_client_id=app.client_id,
        slack_client_secret=app.client_secret,
        slack_workspaces=",".join(one.enterprise_id or one.team_id for one in spaces),
        slack_signing_secret=app.signing_secret,
        slack_api_url=town.api_url,
        token_key=base64.b64encode(bytes(range(32))).decode(),
        public_url=PUBLIC_URL,
        port=0,
        operations_port=0,
    )
    return replace(settings, **more)  # pyright: ignore[reportArgumentType]  # checked by Settings


@asynccontextmanager
async def product(
    slack: FakeSlack,
    database_url: str,
    *,
    timings: SlackTimings = AT_ONCE,
    roles: Roles | None = None,
    config: Path | None = None,
    **more: object,
) -> AsyncGenerator[Product]:
    """Run it, and tell Slack where."""
    settings = settings_for(slack, database_url, slack_config=config, **more)
    async with deployed(settings, slack, timings=timings, roles=roles) as running_product:
        if settings.slack_signing_secret:
            slack.app_url = f"{running_product.base_url}/slack/events"
        yield running_product


@asynccontextmanager
async def deployed(
    settings: Settings,
    slack: FakeSlack,
    *,
    timings: SlackTimings = AT_ONCE,
    roles: Roles | None = None,
) -> AsyncGenerator[Product]:
    """Run it with these settings; Slack is not told where."""
    engine = engine_for(settings.migration_url or settings.database_url or "")
    connect = connect_slack(settings, timings=timings)
    assert connect is not None
    async with (
        bootstrap(settings, statements=SERVING) as service,
        running(service, (connect,), roles or Roles()) as process,
    ):
        base_url = f"http://127.0.0.1:{process.port}"
        yield Product(process=process, slack=slack, engine=engine, base_url=base_url)
    await engine.dispose()


@dataclass
class Browser:
    """Somebody who installs the app, with cookies of their own."""

    address: str
    session: ClientSession
    cookies: dict[str, str] = field(default_factory=dict[str, str])

    async def get(self, url: str) -> tuple[int, str, str]:
        """Open an address, if public where it is served; return status, text and redirect."""
        url = url.replace(PUBLIC_URL, self.address)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": cookie} if cookie and url.startswith(self.address) else {}
        async with self.session.get(url, headers=headers, allow_redirects=False) as answer:
            for line in answer.headers.getall("Set-Cookie", []):
                self.cookies |= {name: one.value for name, one in SimpleCookie(line).items()}
            return answer.status, await answer.text(), answer.headers.get("Location", "")

    async def ask(self) -> str:
        """Go as far as Slack's page; return where Slack sends the browser."""
        status, _, page = await self.get(f"{self.address}/slack/install")
        assert status == 302
        status, _, back = await self.get(page)
        assert status == 302
        return back

    async def install(self) -> tuple[int, str]:
        """Go all the way; return how it ended."""
        status, page, _ = await self.get(await self.ask())
        return status, page
