"""Processes of the product in front of a fake Teams. See `slack_processes`, which starts them."""

from typing import Any

from bot.teams.app.endpoint import PATH
from tests.databases import logins
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.slack_processes import Forks, Running


def start(
    serving: Forks, teams: FakeTeams, openid: OpenId, url: str, *, port: int = 0, **more: Any
) -> Running:
    """Start one for a tenant."""
    settings = {
        **logins(url),
        "app_id": teams.tenant.app_id,
        "app_password": teams.tenant.app_password,
        "app_tenant": teams.tenant.id,
        "teams_login_url": teams.base_url,
        "teams_openid_url": openid.url,
        **more,
    }
    return serving.start_with(settings, port=port)


async def ready(running: Running, teams: FakeTeams, openid: OpenId) -> None:
    """Wait until it takes what Teams sends, and let Teams send it there."""
    await running.ready()
    teams.app_url = f"http://127.0.0.1:{running.port}{PATH}"
    teams.sender.sign = openid.maker(teams.tenant.app_id).headers
