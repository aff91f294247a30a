"""The way in as it is planned: parsed and kept in `before_authorize`, before anything answers."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse

from bot.intake import NotForUs
from bot.slack.inbound.app_events import Disconnected, Opened
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.parse import Overheard, parse
from core.domain.message import Ignored, InboundMessage
from tests.servers.slack import FakeSlack
from tests.servers.slack.app import listening, slack_client
from tests.servers.slack.wire import Json


@dataclass
class Store:
    """Keeps each message once; fails as often as it is told to."""

    home: SlackIdentity
    failing: int = 0
    kept: dict[str, InboundMessage] = field(default_factory=dict[str, InboundMessage])
    deliveries: int = 0

    async def accept(self, body: Json) -> None:
        """Keep what is addressed to us."""
        self.deliveries += 1
        if self.failing > 0:
            self.failing -= 1
            raise ConnectionError("the database is down")
        found = parse(body, self.home)
        if isinstance(found, NotForUs | Disconnected | Overheard | Ignored | Opened):
            return
        self.kept.setdefault(found.message_key or found.dedupe_key, found)


@pytest.fixture
def store(slack: FakeSlack) -> Store:
    """An empty one."""
    workspace = slack.workspace
    teams = frozenset({workspace.team_id})
    home = SlackIdentity(app_id=workspace.app.id, bot_user=workspace.app.bot_user, teams=teams)
    return Store(home=home)


@pytest.fixture
def keeping(slack: FakeSlack, store: Store) -> AsyncApp:
    """A Bolt app that keeps messages first; every other event is acknowledged."""

    async def before_authorize(
        body: Json, next_: Callable[[], Awaitable[BoltResponse]], **_: Any
    ) -> BoltResponse:
        if body.get("type") != "event_callback":
            return await next_()
        if body["event"]["type"] in {"app_mention", "message"}:
            await store.accept(body)
        return BoltResponse(status=200, body="")

    async def authorize(**_: Any) -> AuthorizeResult:
        raise AssertionError("nothing is asked of Slack before a message is kept")

    return AsyncApp(
        signing_secret=slack.workspace.app.signing_secret,
        authorize=authorize,
        before_authorize=before_authorize,
        client=slack_client(slack),
    )


async def test_a_question_is_kept_once_before_it_is_acknowledged(
    slack: FakeSlack, store: Store, keeping: AsyncApp
) -> None:
    """Twins and replays make no second one, and Slack is not called."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    async with listening(slack, keeping):
        said = await slack.people.mention(anna, room, "May I?")
        assert said.acknowledged
        for delivery in said.deliveries:
            assert (await slack.attacks.replay(delivery)).status == 200
    assert [one.text for one in store.kept.values()] == ["May I?"]
    assert store.deliveries == 4
    assert slack.journal.methods() == []


@pytest.mark.parametrize("failing", [1, 2, 3])
async def test_what_could_not_be_kept_comes_again(
    slack: FakeSlack, store: Store, keeping: AsyncApp, failing: int
) -> None:
    """Until it is kept: a retry may be the only copy."""
    store.failing = failing
    anna = slack.workspace.user("anna")
    async with listening(slack, keeping):
        said = await slack.people.ask(anna, "May I?")
    attempts = said.deliveries[0].attempts
    assert [one.status for one in attempts] == [500] * failing + [200]
    assert [one.text for one in store.kept.values()] == ["May I?"]


async def test_over_a_socket_no_acknowledgement_is_sent(
    slack: FakeSlack, store: Store, keeping: AsyncApp
) -> None:
    """The same intake, without a status: Slack waits, and sends again."""
    store.failing = 1
    slack.sender.ack_timeout_s = 0.3
    handler = AsyncSocketModeHandler(keeping, slack.workspace.app_token)
    await handler.connect_async()
    try:
        await slack.until(lambda: len(slack.sockets.connections) == 1)
        said = await slack.people.ask(slack.workspace.user("anna"), "May I?")
    finally:
        await handler.close_async()
    assert [one.fault for one in said.deliveries[0].attempts] == ["timeout", ""]
    assert len(store.kept) == 1


@pytest.mark.parametrize(
    "body", [b"not json", b"[1]", b'{"event":' + b"[" * 2000 + b"]" * 2000 + b"}"]
)
async def test_bolt_stumbles_over_bytes_that_nobody_signed(
    slack: FakeSlack, store: Store, keeping: AsyncApp, body: bytes
) -> None:
    """It parses before it checks: why a check of ours stands before it."""
    async with listening(slack, keeping):
        attempt = await slack.attacks.unsigned(body)
    assert attempt.status == 500
    assert store.kept == {}
    assert store.deliveries == 0


async def test_a_storm_of_events_is_kept_completely(
    slack: FakeSlack, store: Store, keeping: AsyncApp
) -> None:
    """A hundred questions, half of them through a database that fails at first."""
    store.failing = 50
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    events: list[Json] = []
    for index in range(100):
        message = slack.people.write(anna, room, f"<@{store.home.bot_user}> question {index}")
        events += slack.people.events_of(message)
    async with listening(slack, keeping):
        deliveries = await slack.people.deliver(*events)
    assert all(one.acknowledged for one in deliveries)
    assert len(store.kept) == 100
    assert {one.text for one in store.kept.values()} == {f"question {i}" for i in range(100)}
