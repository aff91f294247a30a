"""The product as `citebound serve` runs it, against a fake Teams and Microsoft's keys."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot.app.process import Roles, running
from bot.teams.app.endpoint import PATH
from bot.teams.app.platform import teams as connect_teams
from bot.teams.outbound.progress import TeamsTimings
from core.adapters.postgres.engine.database import engine_for
from core.bootstrap import SERVING, bootstrap
from core.config.settings import Settings
from tests.databases import logins
from tests.running import Running
from tests.servers.teams import FakeTeams, Message
from tests.servers.teams.openid import OpenId

UNHURRIED = TeamsTimings(placeholder_after_s=60.0)
"""No placeholder comes before the answer, however slow the machine is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Running):
    """What a test holds on to."""

    teams: FakeTeams

    async def answer_to(self, question: Message) -> Message:
        """Return the only reply to a question, once everything is quiet."""
        await self.quiet()
        return self.teams.checks.one_answer(question)


def settings_for(teams: FakeTeams, openid: OpenId, database_url: str, **more: object) -> Settings:
    """Return the settings of a deployment in this tenant."""
    settings = replace(
        Settings.from_environment(teams.environment),
        **logins(database_url),
        teams_openid_url=openid.url,
        port=0,
        operations_port=0,
    )
    return replace(settings, **more)  # pyright: ignore[reportArgumentType]  # checked by Settings


@asynccontextmanager
async def product(
    teams: FakeTeams,
    openid: OpenId,
    database_url: str,
    *,
    timings: TeamsTimings = UNHURRIED,
    roles: Roles | None = None,
    **more: object,
) -> AsyncGenerator[Product]:
    """Run it, and tell Teams where."""
    settings = settings_for(teams, openid, database_url, **more)
    engine = engine_for(database_url)
    connect = connect_teams(settings, timings=timings)
    assert connect is not None
    teams.sender.sign = openid.maker(teams.tenant.app_id).headers
    async with (
        bootstrap(settings, statements=SERVING) as service,
        running(service, (connect,), roles or Roles()) as process,
    ):
        base_url = f"http://127.0.0.1:{process.port}"
        teams.app_url = f"{base_url}{PATH}"
        yield Product(process=process, teams=teams, engine=engine, base_url=base_url)
    await engine.dispose()
