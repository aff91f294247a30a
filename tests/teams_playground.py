"""The product as `citebound serve` runs it, anonymous, and Microsoft's Agents Playground before it.

async with playing(database_url) as (product, ground):
    said = await ground.say(ground.channel, "May I?")
"""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.app.process import Roles, running
from bot.teams.app.endpoint import PATH
from bot.teams.app.platform import teams as connect_teams
from core.adapters.postgres.engine.database import engine_for
from core.bootstrap import SERVING, bootstrap
from core.config.settings import Settings
from tests.databases import logins
from tests.running import Running
from tests.servers.playground import Playground, need_package, playground
from tests.teams_product import UNHURRIED

TENANT, OFFICER = "00000000-0000-0000-0000-0000000000001", "user-id-1"
"""As the playground calls them by itself, before it has started; Megan Bowen is an officer here."""
OFFICERS = [{"login": "megan", "name": "Megan B.", "accounts": [f"teams/{TENANT}/{OFFICER}"]}]
DESK = "channel-announcements-id"


@asynccontextmanager
async def playing(database_url: str) -> AsyncGenerator[tuple[Running, Playground]]:
    """Run both; skip or, where `CI` is set, fail without Microsoft's program."""
    program = need_package()
    settings = Settings(
        **logins(database_url),
        allow_anonymous="1",
        officers=json.dumps(OFFICERS),
        case_channel=f"teams/{TENANT}/{DESK}",
        port=0,
        operations_port=0,
    )
    connect = connect_teams(settings, timings=UNHURRIED)
    assert connect is not None
    engine = engine_for(database_url, pooled=False)
    async with (
        bootstrap(settings, statements=SERVING) as service,
        running(service, (connect,), Roles()) as process,
    ):
        base_url = f"http://127.0.0.1:{process.port}"
        async with playground(program, f"{base_url}{PATH}") as ground:
            yield Running(process=process, engine=engine, base_url=base_url), ground
    await engine.dispose()
