"""One process of the product on both platforms, as `citebound serve` runs it."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from bot.app.process import Roles, running
from bot.slack.app.platform import slack as connect_slack
from bot.slack.outbound.timings import SlackTimings
from bot.teams.app.endpoint import PATH
from bot.teams.app.platform import teams as connect_teams
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.roles import DatabaseRole
from core.bootstrap import SERVING, bootstrap
from tests.databases import as_role
from tests.running import Running
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.slack_product import AT_ONCE
from tests.teams_product import UNHURRIED, settings_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Both(Running):
    """What a test holds on to."""

    slack: FakeSlack
    teams: FakeTeams


@asynccontextmanager
async def both(
    slack: FakeSlack,
    teams: FakeTeams,
    microsoft: OpenId,
    database_url: str,
    *,
    officers: Sequence[dict[str, Any]] = (),
    channel: str | None = None,
    timings: SlackTimings = AT_ONCE,
    console_url: str | None = None,
    **more: object,
) -> AsyncGenerator[Both]:
    """Run it, and tell both where.

    `channel` is the officers' own; `timings` is Slack's; `more` are settings.
    """
    settings = replace(
        settings_for(teams, microsoft, database_url),
        slack_bot_token=slack.workspace.bot_token,
        slack_signing_secret=slack.workspace.app.signing_secret,
        slack_api_url=slack.api_url,
        officers=json.dumps(officers) if officers else None,
        case_channel=channel,
        console_url=console_url,
        record_url=as_role(database_url, DatabaseRole.CONSOLE) if console_url else None,
        **more,  # pyright: ignore[reportArgumentType]  # checked by Settings
    )
    on_slack = connect_slack(settings, timings=timings)
    on_teams = connect_teams(settings, timings=UNHURRIED)
    assert on_slack is not None
    assert on_teams is not None
    engine = engine_for(database_url)
    teams.sender.sign = microsoft.maker(teams.tenant.app_id).headers
    async with (
        bootstrap(settings, statements=SERVING) as service,
        running(service, (on_slack, on_teams), Roles()) as process,
    ):
        base_url = f"http://127.0.0.1:{process.port}"
        teams.app_url, slack.app_url = f"{base_url}{PATH}", f"{base_url}/slack/events"
        yield Both(process=process, engine=engine, base_url=base_url, slack=slack, teams=teams)
    await engine.dispose()
