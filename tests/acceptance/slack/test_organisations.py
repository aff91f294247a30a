"""The end of an organisation of which an event names only a workspace: Slack is asked, then."""

import asyncio
import logging
from typing import Any

import pytest

from tests.acceptance.slack.scene import POLICY, QUESTION, Scene, calls
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.events import Events
from tests.servers.slack.faults import error, slow, status
from tests.servers.slack.wire import Json
from tests.slack_product import product

SECOND = "T0SECOND"
"""A workspace of the organisation, in which nobody installed anything."""
NAMELESS: Json = {"team_id": SECOND, "authorizations": [], "enterprise_id": None}
OF_ENTERPRISE: Json = {"team_id": SECOND, "authorizations": [], "enterprise_id": "E0ORG"}
WITHOUT_TEAM: Json = {"team_id": None, "authorizations": [], "enterprise_id": "E0ORG"}
ORGANISATION_AS_TEAM: Json = {"team_id": "E0ORG", "authorizations": [], "enterprise_id": None}
HELD = "SELECT coalesce(team_id, enterprise_id) AS place FROM citebound.slack_installations"


async def tell(scene: Scene, event: Json | None = None, **where: Any) -> None:
    """Send the end of an installation, which is acknowledged."""
    told = scene.grid.events.envelope(event or scene.grid.events.uninstalled(), **where)
    assert (await scene.grid.sender.deliver(told)).attempts[0].status == 200


async def tell_late(slack: FakeSlack) -> None:
    """Send the end of an installation from before it was installed anew."""
    late: Json = {"event_time": 1_700_000_000, "authorizations": []}
    told = slack.events.envelope(slack.events.uninstalled(), **late)
    assert (await slack.sender.deliver(told)).acknowledged


async def held(scene: Scene) -> set[object]:
    """Return where the app is installed, as we know it."""
    return {row["place"] for row in await scene.product.rows(HELD)}


@pytest.fixture
async def installed(scene: Scene) -> Scene:
    """An organisation and a workspace, which have installed the app."""
    for slack in (scene.one, scene.grid):
        await scene.install(slack)
        slack.journal.entries.clear()
    return scene


async def tried(slack: FakeSlack, *, times: int = 1) -> None:
    """Wait until we have asked Slack whether it takes a token, and have heard."""
    await slack.until(
        lambda: len([one for one in slack.journal.of("auth.test") if one.outcome]) == times,
        timeout_s=15,
    )


async def ends(scene: Scene) -> None:
    """Wait until only the other workspace is left."""
    async with asyncio.timeout(15):
        while await held(scene) != {"T0ONE"}:  # noqa: ASYNC110  # the database says so, nobody else
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("where", [NAMELESS, OF_ENTERPRISE])
@pytest.mark.parametrize("said", [Events.uninstalled, Events.tokens_revoked])
async def test_an_organisation_ends_though_only_a_workspace_is_named(
    installed: Scene, where: Json, said: Any
) -> None:
    """Slack says that its token is dead: forgotten and recorded; the other workspace goes on."""
    installed.grid.workspace.uninstall()
    await tell(installed, said(installed.grid.events), **where)
    await ends(installed)
    assert await installed.disconnections() == [("slack/E0ORG", "account_inactive")]
    assert calls(installed.grid) == ["auth.test"]
    assert calls(installed.one) == []
    ben = installed.one.workspace.user("ben")
    asked = await installed.one.people.ask(ben, QUESTION)
    assert POLICY in str((await installed.answer(installed.one, asked.message)).blocks)


@pytest.mark.parametrize("where", [WITHOUT_TEAM, ORGANISATION_AS_TEAM])
async def test_an_organisation_is_named_without_a_workspace(installed: Scene, where: Json) -> None:
    """Then it ends at once, as a workspace does; nothing is asked."""
    installed.grid.workspace.uninstall()
    await tell(installed, **where)
    assert await held(installed) == {"T0ONE"}
    assert await installed.disconnections() == [("slack/E0ORG", "app_uninstalled")]
    assert calls(installed.grid) == []


async def test_slack_is_acknowledged_before_it_is_asked(installed: Scene) -> None:
    """However long it takes to say whether a token lives."""
    installed.grid.workspace.uninstall()
    installed.grid.faults.next("auth.test", slow(1.0))
    await tell(installed, **NAMELESS)
    assert not any(one.outcome for one in installed.grid.journal.of("auth.test"))
    assert await held(installed) == {"T0ONE", "E0ORG"}
    await ends(installed)


@pytest.mark.parametrize("where", [NAMELESS, OF_ENTERPRISE])
async def test_nothing_ends_that_lives(installed: Scene, where: Json) -> None:
    """An event of one workspace of an organisation, or of one that we know nothing of."""
    for said in (installed.grid.events.uninstalled(), installed.grid.events.tokens_revoked()):
        await tell(installed, said, **where)
    await tried(installed.grid, times=2)
    gina = installed.grid.workspace.user("gina", enterprise_id="E0ORG")
    asked = await installed.grid.people.ask(gina, QUESTION)
    assert POLICY in str((await installed.answer(installed.grid, asked.message)).blocks)
    assert await held(installed) == {"T0ONE", "E0ORG"}
    assert await installed.disconnections() == []


async def test_what_slack_did_not_sign_asks_nothing(installed: Scene) -> None:
    """Refused, whatever it names."""
    installed.grid.workspace.uninstall()
    for where in (NAMELESS, OF_ENTERPRISE, WITHOUT_TEAM):
        told = installed.grid.events.envelope(installed.grid.events.uninstalled(), **where)
        assert (await installed.grid.attacks.forged(told)).status == 401
    assert calls(installed.grid) == []
    assert await held(installed) == {"T0ONE", "E0ORG"}


async def test_another_app_or_organisation_is_not_meant(installed: Scene) -> None:
    """Nothing is asked about ours, as is seen by what is asked afterwards."""
    await tell(installed, team_id=SECOND, authorizations=[], enterprise_id="E0OTHER")
    await tell(installed, **NAMELESS, api_app_id="A0OTHER")
    await tell_late(installed.one)
    await tried(installed.one)
    assert calls(installed.grid) == []


@pytest.mark.parametrize("word", ["invalid_auth", "access_denied"])
async def test_a_refusal_that_is_no_end_ends_nothing(
    installed: Scene, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Slack refuses calls from addresses that are not allowed with the same words."""
    caplog.set_level(logging.WARNING)
    installed.grid.faults.always("auth.test", error(word))
    await tell(installed, **NAMELESS)
    await installed.grid.until(
        lambda: any(f"does not take the token of E0ORG: {word}" in one for one in caplog.messages),
        timeout_s=15,
    )
    assert await held(installed) == {"T0ONE", "E0ORG"}
    assert await installed.disconnections() == []


async def test_slack_is_asked_again_if_it_does_not_say(installed: Scene) -> None:
    """A fault of the network ends nothing, and the next try tells."""
    installed.grid.workspace.uninstall()
    installed.grid.faults.next("auth.test", status(503))
    await tell(installed, **NAMELESS)
    await ends(installed)
    assert calls(installed.grid) == ["auth.test", "auth.test"]


async def test_an_event_that_came_late_ends_nothing(installed: Scene) -> None:
    """Taken away, installed anew, and only then Slack's event arrives: the new token lives."""
    await tell_late(installed.one)
    await tried(installed.one)
    assert await held(installed) == {"T0ONE", "E0ORG"}
    assert await installed.disconnections() == []


async def test_the_token_of_the_settings_is_tried_too(slack_database: str) -> None:
    """One organisation by its token: recorded."""
    async with fake_slack(enterprise_id="E0ORG") as slack:
        slack.workspace.knobs.is_org_install = True
        async with product(slack, slack_database) as running:
            slack.workspace.uninstall()
            told = slack.events.envelope(slack.events.uninstalled(), **NAMELESS)
            assert (await slack.sender.deliver(told)).acknowledged
            query = "SELECT subject FROM audit.record WHERE tag = 'workspace:disconnected'"
            async with asyncio.timeout(15):
                while await running.rows(query) != [{"subject": "slack/E0ORG"}]:  # noqa: ASYNC110  # the database says so, nobody else
                    await asyncio.sleep(0.02)
