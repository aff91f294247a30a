"""Questions about the assistant itself in a channel: what concerns the asker is for them alone."""

from collections.abc import AsyncIterator

import pytest

from tests.both_products import Both, both
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.shown_words import in_slack, in_teams, squeezed

PRIVATE = {
    "who gets to see what I write here?": "under a pseudonym",
    "how do I report fraud anonymously?": "Concerns may be raised anonymously.",
}
OPEN = "what kind of questions can I ask you?"
HELPS = "I answer questions about the company's policies"


@pytest.fixture
async def run(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Both]:
    """The product on both platforms."""
    async with both(slack, teams, microsoft, policies_database) as running:
        yield running


@pytest.mark.parametrize("asked", PRIVATE)
async def test_in_slack_only_the_asker_sees_it(run: Both, asked: str) -> None:
    """As an ephemeral message; nothing is posted."""
    anna, ben = run.slack.workspace.user("anna"), run.slack.workspace.user("ben")
    room = run.slack.workspace.channel("general", anna, ben)
    await run.slack.people.mention(anna, room, asked)
    await run.quiet()
    (told,) = run.slack.checks.seen_by(anna.id)
    assert squeezed(PRIVATE[asked]) in in_slack(told)
    assert run.slack.checks.by_app() == []


@pytest.mark.parametrize("asked", PRIVATE)
async def test_in_teams_only_the_asker_sees_it(run: Both, asked: str) -> None:
    """As a message for one person of the channel."""
    anna, ben = run.teams.tenant.person("anna"), run.teams.tenant.person("ben")
    room = run.teams.tenant.channel("general", anna, ben)
    await run.teams.people.mention(anna, room, asked)
    await run.quiet()
    ours = run.teams.tenant.bot_id
    (told,) = [one for one in run.teams.checks.seen_by(anna, room) if one.by == ours]
    assert squeezed(PRIVATE[asked]) in in_teams(told)
    assert not [one for one in run.teams.checks.seen_by(ben, room) if one.by == ours]


async def test_what_it_can_do_is_told_to_all(run: Both) -> None:
    """Nothing about the asker is in it."""
    anna, ben = run.teams.tenant.person("anna"), run.teams.tenant.person("ben")
    room = run.teams.tenant.channel("general", anna, ben)
    await run.teams.people.mention(anna, room, OPEN)
    await run.quiet()
    ours = run.teams.tenant.bot_id
    (told,) = [one for one in run.teams.checks.seen_by(ben, room) if one.by == ours]
    assert squeezed(HELPS) in in_teams(told)
