"""An edit that comes before its message: what stands there now is answered, once."""

from collections.abc import AsyncIterator

import pytest

from tests.both_products import Both, both
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.servers.teams.people import Said
from tests.servers.teams.wire import Json

OLD = "What is the limit for gift?"
NEW = "What is the limit for gifts that employees accept from business partners?"
NEWER = "Which gifts are prohibited?"


@pytest.fixture
async def run(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Both]:
    """The product on both platforms."""
    async with both(slack, teams, microsoft, policies_database) as running:
        yield running


async def asked(run: Both) -> list[object]:
    """Return what is kept as questions, in order."""
    rows = await run.rows("SELECT text FROM citebound.inbox WHERE kind = 'message' ORDER BY id")
    return [row["text"] for row in rows]


async def notices(run: Both) -> list[object]:
    """Return what we said that is no answer."""
    rows = await run.rows("SELECT reply->>'notice' AS n FROM citebound.outbox ORDER BY id")
    return [row["n"] for row in rows if row["n"]]


@pytest.mark.parametrize("where", ["direct", "channel"])
async def test_in_slack(run: Both, where: str) -> None:
    """In a direct message, and in a channel where both twins of the mention come afterwards."""
    slack = run.slack
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    place = slack.workspace.direct(anna) if where == "direct" else room
    named = "" if where == "direct" else f"<@{slack.workspace.app.bot_user}> "
    message = slack.people.write(anna, place, named + OLD)
    late = slack.people.events_of(message)
    assert (await slack.people.edit(message, named + NEW)).acknowledged
    await run.quiet()
    assert all(one.acknowledged for one in await slack.people.deliver(*late))
    await run.quiet()
    assert await asked(run) == [NEW]
    assert len(slack.checks.replies(message)) == 1
    await slack.people.edit(message, named + NEWER)
    await run.quiet()
    assert await asked(run) == [NEW]
    assert await notices(run) == ["edited_after_answer"]


async def test_in_slack_what_is_not_for_us_is_not_kept(run: Both) -> None:
    """Nor is an edit of a message so old that it can't be on its way any more."""
    slack = run.slack
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna, ben)
    lunch = slack.people.write(anna, room, "Lunch?")
    await slack.people.edit(lunch, "Lunch at noon?")
    old = slack.people.write(anna, slack.workspace.direct(anna), OLD)
    slack.clock.advance(2 * 3600)
    await slack.people.edit(old, NEW)
    await run.quiet()
    assert await run.rows("SELECT text FROM citebound.inbox") == []


async def test_in_slack_a_follow_up_is_kept_if_it_is_for_us(run: Both) -> None:
    """In a thread of ours, of the person whom we answered; not what others say there."""
    slack = run.slack
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna, ben)
    root = await slack.people.mention(anna, room, NEW)
    await run.quiet()
    aside = slack.people.write(ben, room, "I had one last yer", thread=root.message)
    await slack.people.edit(aside, "I had one last year")
    more = slack.people.write(anna, room, "and for contractor?", thread=root.message)
    late = slack.people.events_of(more)
    await slack.people.edit(more, "and for contractors?")
    await slack.people.deliver(*late)
    await run.quiet()
    assert await asked(run) == [NEW, "and for contractors?"]


async def edited_first(run: Both, original: Json, said: Said, text: str) -> None:
    """Let Teams deliver an edit, twice, and only then what it changes."""
    teams = run.teams
    first = await teams.people.edit(said, text)
    assert first.status == 200
    assert (await teams.sender.again(first)).status == 200
    await run.quiet()
    assert (await teams.sender.send(original)).status == 200
    await run.quiet()


@pytest.mark.parametrize("where", ["personal", "channel"])
async def test_in_teams(run: Both, where: str) -> None:
    """In a chat with us, and in a channel."""
    teams = run.teams
    anna = teams.tenant.person("anna")
    place = teams.tenant.personal(anna)
    await teams.people.install(anna, place)
    if where == "channel":
        place = teams.tenant.channel("general", anna)
        await teams.people.install(anna, place)
    await run.quiet()
    original = teams.people.written(anna, place, OLD)
    message = teams.tenant.messages[-1]
    said = Said(message=message, delivery=await teams.people.install(anna, place))
    named = "" if where == "personal" else f"<at>{teams.people.bot_name}</at> "
    await edited_first(run, original, said, named + NEW)
    assert await asked(run) == [NEW]
    answers = await run.rows("SELECT 1 FROM citebound.outbox WHERE reply->>'answer' IS NOT NULL")
    assert len(answers) == 1
    await teams.people.edit(said, named + NEWER)
    await run.quiet()
    assert await asked(run) == [NEW]
    assert "edited_after_answer" in await notices(run)
