"""A token that Slack no longer takes: who watches over us is told, until it is taken again."""

import asyncio

import pytest

from tests.acceptance.slack.scene import QUESTION, Scene
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error
from tests.slack_product import Product

READY = "ready"
LOST = "ready; slack refuses 1 of our credentials: {}"


async def told(running: Product, path: str) -> tuple[int, str]:
    """Return the status and the words of a page."""
    session = running.slack.sender.session
    assert session is not None
    async with session.get(f"{running.operations_url}/{path}") as answer:
        return answer.status, await answer.text()


async def until_ready_says(running: Product, words: str) -> None:
    """Wait for the words of readiness, which stays."""
    async with asyncio.timeout(30):
        while await told(running, "readyz") != (200, words):  # noqa: ASYNC110  # by its own words
            await asyncio.sleep(0.05)


async def lost(running: Product) -> int:
    """Return how many workspaces the metrics call lost."""
    _, text = await told(running, "metrics")
    (line,) = [one for one in text.splitlines() if one.startswith("citebound_lost_workspaces ")]
    return int(float(line.split()[1]))


@pytest.mark.parametrize("word", ["token_revoked", "account_inactive", "invalid_auth"])
async def test_the_only_token_is_dead(slack: FakeSlack, served: Product, word: str) -> None:
    """Ready, since what comes is kept; readiness and metrics tell it, without ids or the token."""
    assert (await told(served, "readyz"), await lost(served)) == ((200, READY), 0)
    slack.faults.always("*", error(word))
    await slack.people.ask(slack.workspace.user("anna"), QUESTION)
    await until_ready_says(served, LOST.format(word))
    assert await lost(served) == 1
    _, metrics = await told(served, "metrics")
    for secret in (slack.workspace.bot_token, slack.workspace.team_id):
        assert secret not in metrics
    slack.faults.heal("*")
    await slack.people.ask(slack.workspace.user("ben"), QUESTION)
    await until_ready_says(served, READY)
    assert await lost(served) == 0


async def test_the_app_is_taken_away(slack: FakeSlack, served: Product) -> None:
    """Of the one workspace, by an event: its token stays in the settings, and is told as dead."""
    await slack.people.uninstall()
    status, words = await told(served, "readyz")
    assert status == 200
    assert words in {LOST.format("app_uninstalled"), LOST.format("tokens_revoked")}
    assert await lost(served) == 1


async def test_one_of_two_tokens_is_dead(scene: Scene) -> None:
    """Told as one, until the app is taken away there: that is nobody's loss."""
    running = scene.product
    for slack in (scene.one, scene.two):
        await scene.install(slack)
    scene.one.workspace.uninstall()
    for slack in (scene.one, scene.two):
        await slack.people.ask(slack.workspace.user("anna"), QUESTION)
    await until_ready_says(running, LOST.format("account_inactive"))
    assert await lost(running) == 1
    await scene.one.people.uninstall()
    assert (await told(running, "readyz"), await lost(running)) == ((200, READY), 0)
    await scene.install(scene.one)
    await scene.one.people.ask(scene.one.workspace.user("ben"), QUESTION)
    await until_ready_says(running, READY)
    assert await lost(running) == 0
    await scene.two.people.uninstall()
    assert (await told(running, "readyz"), await lost(running)) == ((200, READY), 0)
