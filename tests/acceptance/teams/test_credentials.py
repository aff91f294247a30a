"""The bot's own credentials: by which cloud they are, and what is said once they are refused."""

import asyncio
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

import pytest
from aiohttp import ClientSession

from bot.app.process import Roles
from bot.console.commands.doctor import diagnose
from bot.doctor_check import Status
from core.adapters.postgres.engine.roles import DatabaseRole
from tests.databases import as_role, login_variables
from tests.servers.slack.faults import Fault
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.teams_product import product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
STORED = "SELECT name FROM citebound.refused_credentials WHERE name = 'graph'"
EXPIRED = {"error": "invalid_client", "error_codes": [7000222]}


@pytest.mark.parametrize(
    ("cloud", "resource"),
    [
        ("usgov", "https://api.botframework.us"),
        ("usgovdod", "https://api.botframework.us"),
        ("china", "https://api.botframework.azure.cn"),
    ],
)
async def test_the_cloud_decides_about_issuer_and_scope(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, cloud: str, resource: str
) -> None:
    """Its own service is believed and gets the token; that of another cloud is nobody."""
    hosts = "smba.example.cn" if cloud == "china" else None
    async with product(
        teams, microsoft, policies_database, teams_cloud=cloud, teams_service_hosts=hosts
    ) as served:
        teams.login.connector = resource
        maker, anna = microsoft.maker(teams.tenant.app_id), teams.tenant.person("anna")
        for issuer, status in (("https://api.botframework.com", 401), (resource, 200)):
            teams.sender.sign = lambda activity, issuer=issuer: {
                "Authorization": "Bearer "
                + maker.token(maker.claims(activity["serviceUrl"], iss=issuer))
            }
            said = await teams.people.say(anna, teams.tenant.personal(anna), QUESTION)
            assert said.delivery.status == status
        await served.quiet()
        assert {token.audience for token in teams.login.issued.values()} == {resource}


@pytest.mark.parametrize("serves", [True, False])
async def test_an_expired_secret_is_reported(  # noqa: PLR0917  # fixtures
    teams: FakeTeams,
    microsoft: OpenId,
    policies_database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    serves: bool,
) -> None:
    """Before anybody asks, for Graph too. Who keeps what is asked stays ready; a worker is not."""
    teams.faults.always("token", Fault(status=401, body=EXPIRED))
    config = tmp_path / "teams.toml"
    config.write_text(f'[entra_groups]\nfinance = ["{uuid5(NAMESPACE_DNS, "finance")}"]\n')
    async with product(
        teams, microsoft, policies_database, roles=Roles(serves=serves), teams_config=config
    ) as served:
        await teams.until(lambda: any(e.method == "token" for e in teams.journal.entries))
        base = f"http://127.0.0.1:{served.process.operations_port}"
        async with ClientSession() as session, asyncio.timeout(60):
            while True:
                async with session.get(f"{base}/readyz") as answer:
                    ready = (answer.status, await answer.text())
                if ready[1].count("AADSTS7000222") > 1:
                    break
                await asyncio.sleep(0.1)
            async with session.get(f"{base}/metrics") as answer:
                metrics = await answer.text()
        async with asyncio.timeout(60):
            while not await served.rows(STORED):  # noqa: ASYNC110  # another task stores it
                await asyncio.sleep(0.1)
        assert ready[0] == (200 if serves else 503)
        assert "graph refuses 1 of our credentials" in ready[1]
        assert "teams refuses 1 of our credentials: invalid_client (AADSTS7000222)" in ready[1]
        assert "citebound_lost_workspaces 1.0" in metrics
        assert 'citebound_refused_credentials{service="graph"} 1.0' in metrics
        for name, value in login_variables(policies_database).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("DATABASE_URL", as_role(policies_database, DatabaseRole.APP))
        found = {one.subject: one async for one in diagnose()}
        of_teams, of_graph = found["credential, teams"], found["credential, graph"]
        assert (of_teams.health, of_graph.health) == (Status.BROKEN, Status.DOUBTFUL)
        assert "AADSTS7000222" in of_teams.found
        assert "APP_PASSWORD" in of_teams.cure
