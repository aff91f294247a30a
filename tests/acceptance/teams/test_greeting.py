"""Who adds the app or asks for help is told how it works, whatever happens in between."""

from tests.servers.slack import faults
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.teams_product import product


async def test_a_fault_and_a_stop_leave_nobody_without_help(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Teams breaks at the first attempt, and the process stops before the second."""
    anna = teams.tenant.person("anna")
    own = teams.tenant.personal(anna)
    teams.faults.next("post", faults.status(500))
    async with product(teams, microsoft, policies_database):
        assert (await teams.people.say(anna, own, "help")).delivery.status == 200
        await teams.journal.wait_for("post", outcome="500")
        assert teams.tenant.by_bot() == []
    (shown,) = teams.tenant.by_bot()
    assert "Compliance Assistant" in shown.activity["summary"]


async def test_an_installation_is_greeted_after_a_fault(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Once, by the product that goes on."""
    anna = teams.tenant.person("anna")
    own = teams.tenant.personal(anna)
    teams.faults.next("post", faults.status(502), faults.too_many(1))
    async with product(teams, microsoft, policies_database):
        assert (await teams.people.install(anna, own)).status == 200
        await teams.until(lambda: bool(teams.tenant.by_bot()), timeout_s=30.0)
    (shown,) = teams.tenant.by_bot()
    assert [one.outcome for one in teams.journal.of("post")] == ["502", "429", "ok"]
    assert "Compliance Assistant" in shown.activity["summary"]
