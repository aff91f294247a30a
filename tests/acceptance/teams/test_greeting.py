"""Who adds the app or asks for help is told how it works, whatever happens in between."""

import pytest

from tests.servers.slack import faults
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.teams_product import product

REFUSED = {"error": {"code": "BadArgument", "message": "no"}}


@pytest.mark.parametrize("words", ["help", "", "hello, what can you do?"])
async def test_help_comes_once_in_the_thread(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, words: str
) -> None:
    """After a fault, too, and though Teams delivers the message again."""
    anna = teams.tenant.person("anna")
    room = teams.tenant.channel("general", anna)
    teams.faults.next("post", faults.too_many(1))
    async with product(teams, microsoft, policies_database) as running:
        said = await teams.people.mention(anna, room, words)
        assert said.delivery.status == 200
        assert (await teams.sender.again(said.delivery)).status == 200
        await running.quiet()
    (shown,) = teams.tenant.by_bot()
    assert (shown.root, shown.only_for) == (said.message.id, None)
    assert "Compliance Assistant" in shown.activity["summary"]
    assert "suggestedActions" not in shown.activity
    assert [one.outcome for one in teams.journal.of("post")] == ["429", "ok"]


async def test_help_in_a_chat_is_a_card_or_a_text(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Where any were chosen; a card that is refused is followed by text."""
    anna = teams.tenant.person("anna")
    own = teams.tenant.personal(anna)
    async with product(teams, microsoft, policies_database) as running:
        await teams.people.say(anna, own, "help")
        await running.quiet()
        teams.faults.next("post", *[faults.status(400, REFUSED)] * 3)
        await teams.people.say(anna, own, "help")
        await running.quiet()
    card, line = teams.tenant.by_bot()
    assert "Write your question in your own words." in card.activity["summary"]
    assert (line.activity["textFormat"], "attachments" in line.activity) == ("plain", False)


async def test_what_may_have_arrived_is_shown_again(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Nobody is told that an answer may be above: none was asked for."""
    anna = teams.tenant.person("anna")
    own = teams.tenant.personal(anna)
    teams.faults.next("post", faults.status(500))
    async with product(teams, microsoft, policies_database) as running:
        await teams.people.say(anna, own, "help")
        await running.quiet()
    (shown,) = teams.tenant.by_bot()
    assert "Compliance Assistant" in shown.activity["summary"]


@pytest.mark.parametrize("kind", ["personal", "group", "channel"])
async def test_an_installation_is_greeted_once(
    teams: FakeTeams, microsoft: OpenId, policies_database: str, kind: str
) -> None:
    """After faults, too, in a thread of its own, though it is told twice."""
    anna = teams.tenant.person("anna")
    made = {
        "personal": lambda: teams.tenant.personal(anna),
        "group": lambda: teams.tenant.group_chat("lunch", anna),
        "channel": lambda: teams.tenant.channel("general", anna),
    }
    place, call = made[kind](), "create" if kind == "channel" else "post"
    teams.faults.next(call, faults.too_many(1))
    async with product(teams, microsoft, policies_database) as running:
        for _ in range(2):
            assert (await teams.people.install(anna, place)).status == 200
        await running.quiet()
    (shown,) = teams.tenant.by_bot()
    assert shown.conversation == place.id
    assert shown.root in {None, shown.id}
    assert [one.outcome for one in teams.journal.of(call)] == ["429", "ok"]
    assert "Compliance Assistant" in shown.activity["summary"]
