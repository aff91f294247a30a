"""Microsoft's keys can't be read at the start: nothing is lost, and nobody is to restart."""

import asyncio

from aiohttp import ClientSession

from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.teams_product import Product, product

QUESTION = "What is the limit for gifts that employees accept from business partners?"


async def told(served: Product, path: str) -> tuple[int, str]:
    """Ask whoever watches over us."""
    async with ClientSession() as session, session.get(f"{served.operations_url}/{path}") as answer:
        return answer.status, await answer.text()


async def test_what_comes_without_keys_is_answered_once_there_are(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Teams is told to send again; the process lives, is not ready, and comes right by itself."""
    anna = teams.tenant.person("anna")
    microsoft.status = 503
    async with product(teams, microsoft, policies_database) as served:
        said = await teams.people.say(anna, teams.tenant.personal(anna), QUESTION)
        assert said.delivery.status == 503
        assert await served.rows("SELECT 1 FROM citebound.inbox") == []
        status, words = await told(served, "readyz")
        assert (status, "signing keys can't be read" in words) == (503, True)
        assert (await told(served, "livez"))[0] == 200
        microsoft.recover()
        async with asyncio.timeout(60):
            while (await told(served, "readyz"))[0] != 200:  # noqa: ASYNC110  # by the clock
                await asyncio.sleep(0.05)
        assert (await teams.sender.again(said.delivery)).status == 200
        await served.answer_to(said.message)
