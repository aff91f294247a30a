"""Killed while a token is exchanged (F12): the workspace is served all the same."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.acceptance.slack.office import QUESTION, shown
from tests.databases import logins
from tests.kills import LONGEST_LEASE_S, quiet
from tests.servers.slack import FakeSlack
from tests.servers.slack.town import Town, slack_town, workspace_in_town
from tests.slack_processes import KILLED, Forks, Running, forks, let_pass
from tests.slack_product import PUBLIC_URL, Browser

EXPIRES_SOON = "UPDATE citebound.slack_installations SET token_expires_at = now() + '1 hour'"


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


def settings(town: Town, database_url: str, **more: Any) -> dict[str, Any]:
    """Return the values of a deployment that a workspace may install."""
    slack = town.slacks[0]
    return {
        **logins(database_url),
        "slack_client_id": slack.workspace.app.client_id,
        "slack_client_secret": slack.workspace.app.client_secret,
        "slack_workspaces": slack.workspace.team_id,
        "slack_signing_secret": slack.workspace.app.signing_secret,
        "slack_api_url": town.api_url,
        "token_key": base64.b64encode(bytes(range(32))).decode(),
        "public_url": PUBLIC_URL,
        **more,
    }


async def started(serving: Forks, town: Town, given: dict[str, Any]) -> Running:
    """Start a process, and let Slack find it."""
    running = serving.start_with(given)
    await running.ready()
    town.listen_at(f"http://127.0.0.1:{running.port}/slack/events")
    return running


async def install(slack: FakeSlack, running: Running) -> None:
    """Let somebody install the app with a browser."""
    session = slack.sender.session
    assert session is not None
    status, _ = await Browser(f"http://127.0.0.1:{running.port}", session).install()
    assert status == 200


async def test_killed_between_exchange_and_commit(serving: Forks, slack_database: str) -> None:
    """The refresh token is used up and the new one lost: the old token serves while it lives."""
    engine = engine_for(slack_database, pooled=False)
    async with slack_town(workspace_in_town("T0ONE")) as town:
        town.slacks[0].workspace.app.rotates_tokens = True
        await _killed(serving, town, slack_database, engine)
    await engine.dispose()


async def _killed(serving: Forks, town: Town, url: str, engine: AsyncEngine) -> None:
    slack = town.slacks[0]
    first = await started(serving, town, settings(town, url))
    await install(slack, first)
    async with engine.begin() as connection:
        await connection.execute(text(EXPIRES_SOON))
    first.signal(9)
    await first.ended()
    second = await started(serving, town, settings(town, url, failpoint="F12"))
    said = await slack.people.ask(slack.workspace.user("anna"), QUESTION)
    assert await second.ended() == KILLED
    await let_pass(engine, seconds=LONGEST_LEASE_S)
    third = await started(serving, town, settings(town, url))
    await quiet(engine)
    assert "Gifts and Hospitality Policy" in shown(slack.checks.one_answer(said.message))
    slack.checks.nothing_twice()
    assert "oauth.v2.access" in town.unknown, "it was tried again with what Slack had taken before"
    third.signal(9)
    await third.ended()
