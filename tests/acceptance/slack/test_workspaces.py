"""Several workspaces and an organisation: each has its own token, and nobody else's."""

import asyncio
import logging
from dataclasses import replace

import pytest
from sqlalchemy import text

from bot.app.process import Roles
from bot.replies.notices import IN_DIRECT
from tests.acceptance.slack.scene import POLICY, QUESTION, Scene, calls
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error as refused
from tests.servers.slack.posts import Message
from tests.servers.slack.town import Town
from tests.slack_product import AT_ONCE, deployed, product, town_settings


async def test_from_the_install_page_to_the_first_answer(scene: Scene) -> None:
    """Two workspaces, the same ids in both: each is answered with its own token alone."""
    asked: list[Message] = []
    for slack in (scene.one, scene.two):
        status, page = await scene.install(slack)
        assert (status, "Installed" in page) == (200, True)
        before = len(slack.journal.entries)
        other = scene.two if slack is scene.one else scene.one
        calls_before = len(other.journal.entries)
        anna = slack.workspace.user("anna")
        room = slack.workspace.channel("general", anna)
        said = await slack.people.mention(anna, room, QUESTION)
        assert said.acknowledged
        assert POLICY in str((await scene.answer(slack, said.message)).blocks)
        assert len(slack.journal.entries) > before
        assert len(other.journal.entries) == calls_before
        asked.append(said.message)
        slack.checks.nothing_refused()
        slack.checks.status_cleared()
    assert scene.town.unknown == []
    connected = await scene.product.rows(
        "SELECT subject FROM audit.record WHERE tag = 'workspace:connected' ORDER BY subject"
    )
    assert [row["subject"] for row in connected] == ["slack/T0ONE", "slack/T0TWO"]
    tenants = await scene.product.rows("SELECT tenant FROM citebound.conversations ORDER BY tenant")
    assert [row["tenant"] for row in tenants] == ["T0ONE", "T0TWO"]
    for slack in (scene.one, scene.two):
        anna, (question, *_) = slack.workspace.users["U0ANNA"], asked
        answer = slack.checks.replies(slack.workspace.messages[0])[0]
        await slack.presses.click(anna, answer, "evidence_open")
        await slack.journal.wait_for("views.open")
        assert question.channel == "C0GENERAL"


async def test_nobody_presses_in_another_workspace(scene: Scene) -> None:
    """The id of an answer of one workspace opens nothing in another, though all ids are alike."""
    for slack in (scene.one, scene.two):
        await scene.install(slack)
    anna = scene.one.workspace.user("anna")
    room = scene.one.workspace.channel("general", anna)
    said = await scene.one.people.mention(anna, room, QUESTION)
    answer = await scene.answer(scene.one, said.message)
    stranger = scene.two.workspace.user("anna")
    scene.two.workspace.channel("general", stranger)
    forged = scene.two.workspace.add(replace(answer, team="T0TWO"))
    await scene.two.presses.click(stranger, forged, "evidence_open")
    views = scene.two.presses.views_of
    await scene.two.until(
        lambda: any("Loading" not in str(one.content) for one in views(stranger)), timeout_s=15
    )
    (view,) = views(stranger)
    assert "You can't see this here" in str(view.content)
    for action in ("answer_remove", "escalate_open", "report_open"):
        await scene.two.presses.click(stranger, forged, action)
    await scene.two.until(lambda: len(scene.two.checks.seen_by(stranger.id)) == 3, timeout_s=15)
    for told in scene.two.checks.seen_by(stranger.id):
        assert "You can't see this here" in told.text
    await scene.product.quiet(within_s=60)
    assert views(stranger) == [view]
    assert POLICY in str(scene.one.checks.one_answer(said.message).blocks)


async def test_what_waits_is_listed_in_its_own_workspace(scene: Scene) -> None:
    """A person of the same id elsewhere has neither asked nor been asked anything."""
    told: dict[str, str] = {}
    for slack in (scene.one, scene.two):
        await scene.install(slack)
    said = await scene.one.people.ask(scene.one.workspace.user("anna"), "Can I accept gifts?")
    await scene.answer(scene.one, said.message)
    scene.two.workspace.user("anna")
    for slack in (scene.one, scene.two):
        anna = slack.workspace.users["U0ANNA"]
        mine = await slack.presses.command(anna, slack.workspace.direct(anna), "mine")
        told[slack.workspace.team_id] = mine.answer["text"]
    assert "Can I accept gifts?" in told["T0ONE"]
    assert told["T0TWO"] == "You have no open questions."


async def test_an_organisation_installs_once_for_all_its_workspaces(scene: Scene) -> None:
    """Its people are its own wherever they belong; a workspace of nobody's is dropped."""
    grid = scene.grid.workspace
    status, _ = await scene.install(scene.grid)
    assert status == 200
    here = grid.user("anna", enterprise_id="E0ORG")
    there = grid.user("gina", team_id="T0SECOND", enterprise_id="E0ORG")
    crowd = [grid.user(f"p{n}", enterprise_id="E0ORG") for n in range(25)]
    room = grid.channel("general", here, there, *crowd)
    for person in (here, there):
        said = await scene.grid.people.mention(person, room, QUESTION)
        assert POLICY in str((await scene.answer(scene.grid, said.message)).blocks)
    direct = await scene.grid.people.ask(there, QUESTION)
    assert POLICY in str((await scene.answer(scene.grid, direct.message)).blocks)
    scene.grid.checks.nothing_refused()
    rows = await scene.product.rows("SELECT DISTINCT tenant FROM citebound.conversations")
    assert rows == [{"tenant": "E0ORG"}]
    opened = await scene.grid.presses.command(there, grid.direct(there), "gifts from a vendor?")
    assert opened.answer["text"].startswith(IN_DIRECT.en)


async def test_a_colleague_of_another_workspace_opens_home(scene: Scene) -> None:
    """Of whom the event says another workspace; somebody of another company sees nothing."""
    grid = scene.grid.workspace
    await scene.install(scene.grid)
    gina = grid.user("gina", team_id="T0SECOND", enterprise_id="E0ORG")
    eve = grid.user("eve", team_id="T0EVIL", enterprise_id="E0EVIL")
    for person in (eve, gina):
        event = scene.grid.events.home_opened(person, "home") | {"user_team": person.team_id}
        await scene.grid.people.deliver(event)
    await scene.grid.journal.wait_for("views.publish")
    await scene.product.quiet(within_s=60)
    assert set(grid.homes) == {gina.id}


async def test_a_colleague_of_another_workspace_presses(scene: Scene) -> None:
    """Installed in one workspace of an organisation: the message says whose the press is."""
    one = scene.one
    one.workspace.enterprise_id = "E0ORG"
    await scene.install(one)
    one.workspace.knobs.names_pressers_team = True
    anna = one.workspace.user("anna", enterprise_id="E0ORG")
    gina = one.workspace.user("gina", team_id="T0SECOND", enterprise_id="E0ORG")
    eve = one.workspace.user("eve", team_id="T0EVIL", enterprise_id="E0EVIL")
    room = one.workspace.channel("general", anna, gina)
    said = await one.people.mention(anna, room, QUESTION)
    answer = await scene.answer(one, said.message)
    views = one.presses.views_of
    for person in (gina, eve):
        assert (await one.presses.click(person, answer, "evidence_open")).acknowledged
        await one.until(
            lambda who=person: any("Loading" not in str(it.content) for it in views(who)),
            timeout_s=15,
        )
        (view,) = views(person)
        assert (POLICY in str(view.content)) is (person is gina)
    await one.presses.click(gina, answer, "report_open")
    await one.until(lambda: len(one.presses.views_of(gina)) == 2, timeout_s=15)
    form = one.presses.views_of(gina)[-1]
    await one.presses.submit(gina, form, {"why": {"selected_option": {"value": "wrong"}}})
    rows = await scene.product.rows("SELECT reason FROM citebound.feedback")
    assert rows == [{"reason": "wrong"}]


async def test_what_is_not_installed_is_dropped(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    """Acknowledged, since it would come again; nothing is kept or called; counted in the log."""
    caplog.set_level(logging.WARNING)
    anna = scene.one.workspace.user("anna")
    for _ in range(12):
        said = await scene.one.people.ask(anna, QUESTION)
        assert said.deliveries[0].attempts[0].status == 200
    pressed = await scene.one.presses.command(anna, scene.one.workspace.direct(anna), "gifts?")
    assert pressed.acknowledged
    assert await scene.product.rows("SELECT 1 FROM citebound.inbox") == []
    assert calls(scene.one) == []
    told = [one.getMessage() for one in caplog.records if "not installed" in one.getMessage()]
    assert [line.split()[1] for line in told] == ["1", "10"]


async def test_an_uninstalled_workspace_gets_no_more(
    scene: Scene, town: Town, slack_database: str
) -> None:
    """Told to one replica, it holds at once for all; recorded; the other workspace goes on."""
    for slack in (scene.one, scene.two):
        await scene.install(slack)
    settings = town_settings(town, slack_database)
    async with deployed(settings, scene.one, roles=Roles(works=False)) as replica:
        anna, ben = scene.one.workspace.user("anna"), scene.two.workspace.user("ben")
        first = await scene.one.people.ask(anna, QUESTION)
        await scene.answer(scene.one, first.message)
        scene.one.app_url = f"{replica.base_url}/slack/events"
        gone = await scene.one.people.uninstall()
        assert all(one.acknowledged for one in gone)
        before = len(scene.one.journal.entries)
        for address in (scene.product.base_url, replica.base_url):
            scene.one.app_url = f"{address}/slack/events"
            late = await scene.one.people.ask(anna, QUESTION)
            assert late.acknowledged
            await scene.product.quiet(within_s=60)
            scene.one.checks.no_answer(late.message)
        assert len(scene.one.journal.entries) == before
        recorded = await scene.disconnections()
        assert {subject for subject, _ in recorded} == {"slack/T0ONE"}
        assert {reason for _, reason in recorded} <= {"tokens_revoked", "app_uninstalled"}
        assert await scene.product.rows("SELECT team_id FROM citebound.slack_installations") == [
            {"team_id": "T0TWO"}
        ]
        other = await scene.two.people.ask(ben, QUESTION)
        assert POLICY in str((await scene.answer(scene.two, other.message)).blocks)


async def test_a_reply_to_a_workspace_that_is_gone_is_given_up(scene: Scene) -> None:
    """Uninstalled between question and answer: abandoned, recorded, and nothing waits for ever."""
    await scene.install(scene.one)
    anna = scene.one.workspace.user("anna")
    scene.one.faults.always("users.info", refused("internal_error"))
    said = await scene.one.people.ask(anna, QUESTION)
    await scene.one.journal.wait_for("users.info")
    await scene.one.people.uninstall()
    await scene.product.quiet(within_s=60)
    scene.one.checks.no_answer(said.message)
    rows = await scene.product.rows(
        "SELECT doc->>'reason' AS reason FROM audit.record WHERE tag = 'reply:abandoned'"
    )
    assert rows == [{"reason": "not_installed"}]


async def test_tokens_are_exchanged_while_questions_are_answered(scene: Scene) -> None:
    """Once, under the lock; what is posted afterwards carries the new token."""
    scene.one.workspace.app.rotates_tokens = True
    await scene.install(scene.one)
    people = [scene.one.workspace.user(f"p{n}") for n in range(3)]
    async with scene.product.engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.slack_installations SET token_expires_at = now() + '1 hour'")
        )
    old = set(scene.one.workspace.keys.tokens)
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(scene.one.people.ask(one, QUESTION)) for one in people]
    for task in asked:
        assert POLICY in str((await scene.answer(scene.one, task.result().message)).blocks)
    exchanged = scene.one.journal.of("oauth.v2.access")
    assert [one.args.get("grant_type") for one in exchanged] == [None, "refresh_token"]
    (new,) = set(scene.one.workspace.keys.tokens) - old
    used = {one.token for one in scene.one.journal.of("chat.startStream", "chat.stopStream")}
    assert used == {new}
    scene.one.checks.nothing_refused()
    scene.one.checks.nothing_twice()


@pytest.mark.parametrize("word", ["token_revoked", "account_inactive", "invalid_auth"])
async def test_a_dead_token_is_an_alarm_and_a_record(
    scene: Scene, caplog: pytest.LogCaptureFixture, word: str
) -> None:
    """Nothing is tried for ever; the other workspace goes on; it is told once."""
    caplog.set_level(logging.ERROR)
    for slack in (scene.one, scene.two):
        await scene.install(slack)
    anna, ben = scene.one.workspace.user("anna"), scene.two.workspace.user("ben")
    for method in ("chat.startStream", "chat.stopStream", "chat.postMessage", "chat.update"):
        scene.one.faults.always(method, refused(word))
    scene.one.faults.always("conversations.open", refused(word))
    said = await scene.one.people.ask(anna, QUESTION)
    other = await scene.two.people.ask(ben, QUESTION)
    await scene.product.quiet(within_s=60)
    scene.one.checks.no_answer(said.message)
    assert POLICY in str(scene.two.checks.one_answer(other.message).blocks)
    assert await scene.disconnections() == [("slack/T0ONE", word)]
    alarms = [one for one in caplog.records if "no longer takes the token" in one.getMessage()]
    assert len(alarms) == 1
    assert "T0ONE" in alarms[0].getMessage()
    assert "xoxb" not in caplog.text
    rows = await scene.product.rows(
        "SELECT doc->>'reason' AS reason FROM audit.record WHERE tag = 'reply:abandoned'"
    )
    assert rows == [{"reason": word}]


async def test_one_token_serves_one_workspace(slack: FakeSlack, slack_database: str) -> None:
    """Whatever Slack's signature is on: another workspace is dropped, and its own is answered."""
    async with product(slack, slack_database, timings=AT_ONCE) as running:
        anna = slack.workspace.user("anna")
        message = slack.people.write(anna, slack.workspace.direct(anna), QUESTION)
        (event,) = slack.people.events_of(message)
        foreign = slack.events.envelope(event, team_id="T0OTHER", authorizations=[])
        assert (await slack.sender.deliver(foreign)).status == 200
        await running.quiet()
        assert await running.rows("SELECT 1 FROM citebound.inbox") == []
        said = await slack.people.ask(anna, QUESTION)
        await running.answer_to(said.message)
        assert await running.rows("SELECT 1 FROM citebound.slack_installations") == []
        slack.workspace.uninstall()
        await slack.people.deliver(slack.events.uninstalled())
        told = await running.rows(
            "SELECT subject FROM audit.record WHERE tag = 'workspace:disconnected'"
        )
        assert told == [{"subject": "slack/T0HOME"}]
