"""A question asked on one platform is answered by an officer on the other, in its own thread."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from bot.app.process import Roles, running
from bot.slack.serving import slack as connect_slack
from bot.teams.endpoint import PATH
from bot.teams.serving import teams as connect_teams
from core.adapters.postgres.database import engine_for
from core.bootstrap import SERVING, bootstrap
from tests.acceptance.teams.test_pressing import QUESTION, dialog, id_of, shown
from tests.running import Running
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.teams import Conversation, FakeTeams, Message
from tests.servers.teams.openid import OpenId
from tests.servers.teams.wire import Json
from tests.slack_product import AT_ONCE
from tests.teams_product import UNHURRIED, settings_for

ANSWER = "Yes, if it is worth less than EUR 75."


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """The product on both platforms, with Olga, who is an officer on each."""

    served: Running
    slack: FakeSlack
    teams: FakeTeams


@asynccontextmanager
async def both(
    teams: FakeTeams,
    microsoft: OpenId,
    slack: FakeSlack,
    database_url: str,
    *,
    officers: list[dict[str, Any]],
    channel: str,
) -> AsyncGenerator[Both]:
    """Run the product on both platforms."""
    settings = replace(
        settings_for(teams, microsoft, database_url),
        slack_bot_token=slack.workspace.bot_token,
        slack_signing_secret=slack.workspace.app.signing_secret,
        slack_api_url=slack.api_url,
        officers=json.dumps(officers),
        case_channel=channel,
    )
    connects = (
        connect_slack(settings, patience=AT_ONCE),
        connect_teams(settings, patience=UNHURRIED),
    )
    engine = engine_for(database_url, pooled=False)
    teams.sender.sign = microsoft.maker(teams.tenant.app_id).headers
    async with (
        bootstrap(settings, statements=SERVING) as service,
        running(service, [one for one in connects if one], Roles()) as process,
    ):
        base_url = f"http://127.0.0.1:{process.port}"
        teams.app_url, slack.app_url = f"{base_url}{PATH}", f"{base_url}/slack/events"
        served = Running(process=process, engine=engine, base_url=base_url)
        yield Both(served=served, slack=slack, teams=teams)
    await engine.dispose()


def cards(teams: FakeTeams, desk: Conversation) -> list[Message]:
    """Return the cards in the officers' channel."""
    return [one for one in teams.tenant.by_bot() if one.conversation == desk.id and one.cards]


async def test_asked_in_slack_answered_in_teams(
    teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """Claimed and answered on the card in Teams; the asker reads it in their thread in Slack."""
    olga, ben = teams.tenant.person("olga"), teams.tenant.person("ben")
    desk = teams.tenant.channel("officers", olga, ben)
    tenant = teams.tenant.id
    officers: list[dict[str, Any]] = [
        {"login": "olga", "name": "Olga O.", "accounts": [f"teams/{tenant}/{olga.aad}"]}
    ]
    where = f"teams/{tenant}/{desk.id}"
    async with (
        fake_slack(speed=600) as slack,
        both(teams, microsoft, slack, policies_database, officers=officers, channel=where) as run,
    ):
        await teams.people.install(olga, desk)
        anna = slack.workspace.user("anna")
        room = slack.workspace.channel("general", anna)
        said = await slack.people.mention(anna, room, QUESTION)
        await run.served.quiet()
        answer = slack.checks.one_answer(said.message)
        await slack.presses.click(anna, answer, "escalate_open")
        await slack.until(lambda: bool(slack.presses.views_of(anna)), timeout_s=15)
        await slack.presses.submit(anna, slack.presses.views_of(anna)[-1])
        await run.served.quiet()
        card = cards(teams, desk)[-1]
        case: Json = {"case": id_of(card, "case")}
        refused = await teams.people.execute(ben, card, "case_claim", case)
        assert refused.answer["value"] == "Only compliance officers can do this."
        claimed = await teams.people.execute(olga, card, "case_claim", case)
        assert "Olga O." in json.dumps(claimed.answer)
        fetch: Json = {"do": "case_answer", **case, "msteams": {"type": "task/fetch"}}
        assert "Post" in dialog(
            await teams.people.invoke(olga, card, "task/fetch", {"data": fetch})
        )
        given: Json = {"do": "case_answer_submit", **case, "answer": ANSWER, "dm": "false"}
        forged = await teams.people.invoke(ben, card, "task/submit", {"data": given})
        assert "Only compliance officers" in dialog(forged)
        told = await teams.people.invoke(olga, card, "task/submit", {"data": given})
        assert "goes to the asker" in dialog(told)
        await run.served.quiet()
        thread = slack.workspace.thread(said.message.channel, said.message.root)
        assert any(ANSWER in json.dumps(one.blocks) for one in thread)
        await run.served.quiet()
        assert "Olga O. has answered" in shown(card) or ANSWER in shown(card)
