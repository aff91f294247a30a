"""The bot's own credentials: by which cloud they are, and what is said once they are refused."""

import asyncio

import pytest
from aiohttp import ClientSession

from tests.servers.slack.faults import Fault
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.teams_product import product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
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


async def test_an_expired_secret_is_reported(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Before anybody asks; the process stays ready, since it keeps what is asked."""
    teams.faults.always("token", Fault(status=401, body=EXPIRED))
    async with product(teams, microsoft, policies_database) as served:
        await teams.until(lambda: any(e.method == "token" for e in teams.journal.entries))
        base = f"http://127.0.0.1:{served.process.operations_port}"
        async with ClientSession() as session, asyncio.timeout(60):
            while True:
                async with session.get(f"{base}/readyz") as answer:
                    ready = (answer.status, await answer.text())
                if "AADSTS7000222" in ready[1]:
                    break
                await asyncio.sleep(0.1)
            async with session.get(f"{base}/metrics") as answer:
                metrics = await answer.text()
        assert ready[0] == 200
        assert "teams refuses 1 of our tokens: invalid_client (AADSTS7000222)" in ready[1]
        assert "citebound_lost_workspaces 1.0" in metrics
