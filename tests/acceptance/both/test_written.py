"""What an officer writes arrives as written, on either platform from either platform."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.acceptance.both.test_cases import Desk, cards, form_of, slack_cards
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.acceptance.teams.test_pressing import QUESTION, dialog, id_of
from tests.both_products import both
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId
from tests.servers.teams.wire import Json

HOST = "policies.example.com"
TYPED = (
    f"**Yes**, see [the policy](https://{HOST}/gifts) or [that](https://evil.example).\n"
    "- a pen\n- a book\n\n<@slack/T0HOME/U0X|Ben>, @channel"
)


def rich(*words: dict[str, Any]) -> dict[str, Any]:
    """Return what an input of Slack's holds that keeps the form."""
    section = {"type": "rich_text_section", "elements": list(words)}
    return {"rich_text_value": {"type": "rich_text", "elements": [section]}}


@pytest.fixture
async def desk(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Desk]:
    """The officer is in Slack; Anna and Ben are in Teams."""
    olga = slack.workspace.user("olga")
    room_of_officers = slack.workspace.channel("officers", olga, kind="group")
    team = slack.workspace.team_id
    listed = [{"login": "olga", "name": "Olga O.", "accounts": [f"slack/{team}/{olga.id}"]}]
    anna, ben = teams.tenant.person("anna"), teams.tenant.person("ben")
    async with both(
        slack,
        teams,
        microsoft,
        policies_database,
        officers=listed,
        channel=f"slack/{team}/{room_of_officers.id}",
        link_hosts=HOST,
    ) as run:
        yield Desk(
            run=run,
            olga=olga,
            own=slack.workspace.direct(olga).id,
            desk=room_of_officers.id,
            anna=anna,
            ben=ben,
            room=teams.tenant.channel("general", anna, ben),
        )


async def test_from_slack(desk: Desk) -> None:
    """In Slack's own field, to Slack and to Teams; a person of Slack is called in Slack alone."""
    run, slack, teams = desk.run, desk.run.slack, desk.run.teams
    _, answer = await desk.asked(QUESTION)
    await desk.sent(answer, "")
    carla = slack.workspace.user("carla")
    room = slack.workspace.channel("general", carla)
    said = await slack.people.mention(carla, room, QUESTION)
    await run.quiet()
    form = await form_of(slack, carla, slack.checks.one_answer(said.message), "escalate_open")
    await slack.presses.submit(carla, form)
    await run.quiet()
    given = rich(
        {"type": "text", "text": "Yes", "style": {"bold": True}},
        {"type": "text", "text": ", ask "},
        {"type": "user", "user_id": carla.id},
        {"type": "text", "text": " and @Ben, see "},
        {"type": "link", "url": f"https://{HOST}/gifts", "text": "the policy"},
        {"type": "broadcast", "range": "channel"},
    )
    for card in slack_cards(slack, desk.desk):
        opened = await form_of(slack, desk.olga, card, "case_answer")
        assert '"rich_text_input"' in shown_in_slack(opened)
        await slack.presses.submit(desk.olga, opened, {"answer": given})
        await run.quiet()
    there = next(one for one in teams.tenant.by_bot() if "**Yes**" in one.text)
    assert f"[the policy](https://{HOST}/gifts)" in there.text
    assert "@Carla" in there.text
    assert "<at>Ben</at>" in there.text
    thread = slack.workspace.thread(said.message.channel, said.message.root)
    here = json.dumps(next(one for one in thread if "Answered by" in one.text).blocks)
    assert '{"type": "text", "text": "Yes", "style": {"bold": true}}' in here
    assert f'{{"type": "user", "user_id": "{carla.id}"}}' in here
    assert f'"url": "https://{HOST}/gifts"' in here
    assert "broadcast" not in here
    kept = await run.rows("SELECT body FROM citebound.case_messages WHERE kind = 'answer'")
    words = f"**Yes**, ask <@slack/{slack.workspace.team_id}/{carla.id}|Carla> and @Ben, see"
    assert {str(row["body"]).startswith(words) for row in kept} == {True}
    sealed = await run.rows("SELECT body FROM audit.content WHERE field = 'reply'")
    assert {row["body"] for row in sealed} == {row["body"] for row in kept}


async def test_from_teams(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Typed with the signs that the form names; they call nobody, and the asker's note is there."""
    olga = teams.tenant.person("olga")
    own = teams.tenant.channel("officers", olga, channel_type="private")
    tenant = teams.tenant.id
    listed = [{"login": "olga", "name": "Olga O.", "accounts": [f"teams/{tenant}/{olga.aad}"]}]
    async with both(
        slack,
        teams,
        microsoft,
        policies_database,
        officers=listed,
        channel=f"teams/{tenant}/{own.id}",
        link_hosts=HOST,
    ) as run:
        await teams.people.install(olga, own)
        anna = slack.workspace.user("anna")
        room = slack.workspace.channel("general", anna)
        said = await slack.people.mention(anna, room, QUESTION)
        await run.quiet()
        form = await form_of(slack, anna, slack.checks.one_answer(said.message), "escalate_open")
        await slack.presses.submit(anna, form, {"note": {"value": "For Acme"}})
        await run.quiet()
        card = cards(teams, own)[-1]
        case: Json = {"case": id_of(card, "case")}
        fetched: Json = {"do": "case_answer", **case, "msteams": {"type": "task/fetch"}}
        told = dialog(await teams.people.invoke(olga, card, "task/fetch", {"data": fetched}))
        assert "For Acme" in told
        assert "**bold**" in told
        given: Json = {"do": "case_answer_submit", **case, "answer": TYPED, "dm": "false"}
        await teams.people.invoke(olga, card, "task/submit", {"data": given})
        await run.quiet()
        thread = slack.workspace.thread(said.message.channel, said.message.root)
        blocks = next(one for one in thread if "Answered by" in one.text).blocks
        here = json.dumps(blocks)
        assert '{"type": "text", "text": "Yes", "style": {"bold": true}}' in here
        assert here.count('"type": "link"') == 1
        assert "evil[.]example" in here
        assert '"style": "bullet"' in here
        assert '"type": "user"' not in here
        assert "a pen" in json.dumps(card.cards)
