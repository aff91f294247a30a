"""Socket Mode with the real client and the real Bolt handler."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from tests.servers.slack import FakeSlack
from tests.servers.slack.app import SlackClient
from tests.servers.slack.wire import Json

PING_S = 0.2


@asynccontextmanager
async def connected(slack: FakeSlack, app: AsyncApp) -> AsyncGenerator[AsyncSocketModeHandler]:
    """Keep an app on a socket."""
    handler = AsyncSocketModeHandler(app, slack.workspace.app_token, ping_interval=PING_S)
    await handler.connect_async()
    await slack.until(lambda: len(slack.sockets.connections) > 0)
    try:
        yield handler
    finally:
        await handler.close_async()


@pytest.fixture
def heard() -> list[Json]:
    """What an app heard."""
    return []


@pytest.fixture
async def handler(
    slack: FakeSlack, app: AsyncApp, heard: list[Json]
) -> AsyncIterator[AsyncSocketModeHandler]:
    """An app that hears messages, presses and commands."""

    @app.event("message")
    async def said(body: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        heard.append(body)

    @app.command("/policy")
    async def asked(ack: Any, body: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        heard.append(body)
        await ack("Checking…")

    async with connected(slack, app) as running:
        yield running


@pytest.mark.usefixtures("handler")
async def test_events_and_commands_are_acknowledged(slack: FakeSlack, heard: list[Json]) -> None:
    """What the app answers to a command comes back in the acknowledgement."""
    anna = slack.workspace.user("anna")
    asked = await slack.people.ask(anna, "May I?")
    assert asked.acknowledged
    await slack.until(lambda: len(heard) == 1)
    assert heard[0]["event"]["text"] == "May I?"
    command = await slack.presses.command(anna, slack.workspace.direct(anna), "gifts?")
    assert command.acknowledged
    assert [one.text for one in slack.checks.seen_by(anna.id)] == ["Checking…"]


@pytest.mark.usefixtures("handler")
async def test_an_envelope_without_acknowledgement_comes_again(slack: FakeSlack) -> None:
    """No listener, no acknowledgement: sent four times, each after the wait for the last."""
    slack.sender.ack_timeout_s = 0.1
    (delivery,) = await slack.people.open_home(slack.workspace.user("anna"))
    assert [one.fault for one in delivery.attempts] == ["timeout"] * 4
    times = [one.at - delivery.attempts[0].at for one in delivery.attempts]
    assert times == pytest.approx([0, 0, 60, 360], abs=2)


async def test_after_a_refresh_the_client_is_on_a_new_socket(
    slack: FakeSlack, handler: AsyncSocketModeHandler, heard: list[Json]
) -> None:
    """Slack asks, the client comes back by itself, and events go on."""
    first = slack.sockets.connections[0]
    await slack.sockets.disconnect("refresh_requested")
    await slack.until(lambda: first not in slack.sockets.connections)
    await slack.until(lambda: len(slack.sockets.connections) == 1)
    assert len(slack.journal.of("apps.connections.open")) == 2
    asked = await slack.people.ask(slack.workspace.user("anna"), "still there?")
    assert asked.acknowledged
    await slack.until(lambda: len(heard) == 1)
    assert await handler.client.is_connected()


@pytest.mark.usefixtures("handler")
async def test_a_cut_socket_is_replaced(slack: FakeSlack, heard: list[Json]) -> None:
    """An event in the gap is not acknowledged, and comes again."""
    first = slack.sockets.connections[0]
    slack.sockets.cut()
    await slack.until(lambda: first not in slack.sockets.connections)
    slack.clock.speed = 60.0
    asked = await slack.people.ask(slack.workspace.user("anna"), "May I?")
    assert asked.acknowledged
    assert asked.deliveries[0].attempts[0].fault == "timeout"
    await slack.until(lambda: len(heard) == 1)


async def test_pings_are_answered_unless_the_line_is_half_dead(
    slack: FakeSlack, handler: AsyncSocketModeHandler
) -> None:
    """Both sides ping; `last_ping_pong_time` tells the app's watchdog."""
    connection = slack.sockets.connections[0]
    await slack.until(lambda: connection.pings >= 2)
    assert handler.client.last_ping_pong_time is not None
    await slack.sockets.ping()
    slack.sockets.deaf = True
    slack.sender.ack_timeout_s = 0.05
    anna = slack.workspace.user("anna")
    said = slack.people.write(anna, slack.workspace.direct(anna), "May I?")
    assert not (await slack.people.announce(said, retries=0)).acknowledged
    slack.sockets.deaf = False


async def test_an_address_needs_an_app_token(slack: FakeSlack, client: SlackClient) -> None:
    """The bot's token opens no socket, and a ticket opens one."""
    with pytest.raises(SlackApiError, match="not_allowed_token_type"):
        await client.apps_connections_open(app_token=slack.workspace.bot_token)
    opened = await client.apps_connections_open(app_token=slack.workspace.app_token)
    assert opened["url"].startswith("ws://127.0.0.1:")
