"""The page about Slack, followed: the command, its variables, its files."""

import base64
import json
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from tests.acceptance.slack import treasury
from tests.acceptance.slack.command import LONGEST_S, Command, serving
from tests.acceptance.slack.office import QUESTION, picked, shown, typed
from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Message
from tests.servers.slack.town import slack_town, workspace_in_town
from tests.slack_product import PUBLIC_URL, Browser

POLICY = "Gifts and Hospitality Policy"
DESK = "G0OFFICERS"


def over_http(slack: FakeSlack) -> dict[str, Any]:
    """Return the variables of one workspace that reaches us over HTTPS."""
    return {
        "SLACK_BOT_TOKEN": slack.workspace.bot_token,
        "SLACK_SIGNING_SECRET": slack.workspace.app.signing_secret,
        "SLACK_API_URL": slack.api_url,
    }


async def answered(command: Command, slack: FakeSlack, question: Message) -> Message:
    """Return the only reply to a question."""
    await command.quiet()
    return slack.checks.one_answer(question)


async def test_over_http_from_the_start_to_the_stop(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """A mention and a direct message are answered; SIGTERM ends it with 0; no secret is logged."""
    async with serving(tmp_path, slack_database, **over_http(slack)) as command:
        slack.app_url = f"{command.base_url}/slack/events"
        async with (
            ClientSession() as session,
            session.get(f"{command.operations_url}/readyz") as ready,
        ):
            assert (ready.status, await ready.text()) == (200, "ready")
        anna = slack.workspace.user("anna")
        room = slack.workspace.channel("general", anna)
        said = await slack.people.mention(anna, room, QUESTION)
        assert POLICY in shown(await answered(command, slack, said.message))
        direct = await slack.people.ask(anna, QUESTION)
        assert POLICY in shown(await answered(command, slack, direct.message))
        assert await command.stopped() == 0
    assert command.messages()[-2:] == ["stopping", "stopped"]
    for secret in (slack.workspace.bot_token, slack.workspace.app.signing_secret, QUESTION):
        assert secret not in str(command.told)
    slack.checks.nothing_refused()
    slack.checks.status_cleared()


async def test_over_sockets(slack: FakeSlack, slack_database: str, tmp_path: Path) -> None:
    """Without a signing secret, with an app-level token: nothing has to reach us."""
    settings = over_http(slack) | {"SLACK_APP_TOKEN": slack.workspace.app_token}
    del settings["SLACK_SIGNING_SECRET"]
    async with serving(tmp_path, slack_database, **settings) as command:
        await slack.until(lambda: len(slack.sockets.connections) == 2, timeout_s=LONGEST_S)
        said = await slack.people.ask(slack.workspace.user("anna"), QUESTION)
        assert POLICY in shown(await answered(command, slack, said.message))
        assert await command.stopped() == 0
    assert slack.sockets.connections == []
    assert slack.workspace.app_token not in str(command.told)


async def test_two_workspaces_install_it(slack_database: str, tmp_path: Path) -> None:
    """Each at `/slack/install`; officers are told apart by workspace; nobody else may install."""
    one, two, other = map(workspace_in_town, ("T0ONE", "T0TWO", "T0OTHER"))
    async with slack_town(one, two, other) as town:
        app = one.workspace.app
        officers = [{"login": "olga", "name": "Olga O.", "accounts": ["slack/T0ONE/U0OLGA"]}]
        async with serving(
            tmp_path,
            slack_database,
            SLACK_CLIENT_ID=app.client_id,
            SLACK_CLIENT_SECRET=app.client_secret,
            SLACK_SIGNING_SECRET=app.signing_secret,
            SLACK_WORKSPACES="T0ONE,T0TWO",
            SLACK_API_URL=town.api_url,
            CITEBOUND_TOKEN_KEY=base64.b64encode(bytes(range(32))).decode(),
            CITEBOUND_PUBLIC_URL=PUBLIC_URL,
            CITEBOUND_OFFICERS=json.dumps(officers),
        ) as command:
            town.listen_at(f"{command.base_url}/slack/events")
            for slack, status in ((one, 200), (two, 200), (other, 403)):
                town.installing = slack
                session = slack.sender.session
                assert session is not None
                assert (await Browser(command.base_url, session).install())[0] == status
            for slack in (one, two):
                said = await slack.people.ask(slack.workspace.user("anna"), QUESTION)
                assert POLICY in shown(await answered(command, slack, said.message))
                olga = slack.workspace.user("olga")
                await slack.people.open_home(olga)
                await slack.until(
                    lambda slack=slack, olga=olga: olga.id in slack.workspace.homes,
                    timeout_s=LONGEST_S,
                )
            assert "cases" in shown(one.workspace.homes["U0OLGA"]).lower()
            assert "open cases" not in shown(two.workspace.homes["U0OLGA"]).lower()
            assert await command.stopped() == 0
        assert "xoxb" not in str(command.told)


async def test_officers_groups_and_channels_from_files(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """A case reaches the officers' channel; who is in a group reads what is for the group."""
    await treasury.publish(slack_database)
    officers, rights = tmp_path / "officers.json", tmp_path / "slack.toml"
    account = "slack/T0HOME/U0OLGA"
    officers.write_text(
        json.dumps([{"login": "olga", "name": "Olga O.", "accounts": [account], "on_call": True}])
    )
    rights.write_text(
        '[groups]\nfinance = ["U0FINN"]\n\n[channels.G0TREASURY]\naudience = ["finance"]\n'
    )
    settings = over_http(slack) | {
        "CITEBOUND_OFFICERS": officers,
        "CITEBOUND_CASE_CHANNEL": f"slack/T0HOME/{DESK}",
        "CITEBOUND_SLACK_CONFIG": rights,
    }
    anna, finn, olga = map(slack.workspace.user, ("anna", "finn", "olga"))
    slack.workspace.channel("officers", olga, kind="group")
    vault = slack.workspace.channel("treasury", anna, finn, kind="group")
    async with serving(tmp_path, slack_database, **settings) as command:
        slack.app_url = f"{command.base_url}/slack/events"
        for person, may_read in ((anna, False), (finn, True)):
            said = await slack.people.ask(person, treasury.QUESTION)
            answer = await answered(command, slack, said.message)
            assert (treasury.SAYS in shown(answer)) is may_read
        said = await slack.people.mention(anna, vault, treasury.QUESTION)
        answer = await answered(command, slack, said.message)
        assert treasury.SAYS in shown(answer)
        await slack.presses.click(anna, answer, "escalate_open")
        await slack.until(lambda: bool(slack.presses.views_of(anna)), timeout_s=LONGEST_S)
        form = slack.presses.views_of(anna)[-1]
        values = {"note": typed("Is that so?"), "urg": picked("today")}
        await slack.presses.submit(anna, form, values)
        await command.quiet()
        cards = [shown(one) for one in slack.checks.by_app() if one.channel == DESK]
        assert len([card for card in cards if "Is that so?" in card]) == 1
        assert await command.stopped() == 0
