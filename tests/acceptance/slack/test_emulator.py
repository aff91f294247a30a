"""The product before an emulator of Slack that others wrote: what it takes and shows."""

import asyncio
import base64
import json

from aiohttp import ClientSession

from bot.app.process import Roles, running
from bot.slack.app.platform import slack as connect_slack
from core.bootstrap import SERVING, bootstrap
from core.config.settings import Settings
from tests.databases import logins
from tests.servers.emulator import (
    CLIENT_ID,
    CLIENT_SECRET,
    PUBLIC_URL,
    SECRET,
    TEAM,
    SlackEmulator,
    emulator,
)
from tests.servers.slack.wire import Json
from tests.slack_product import AT_ONCE, Browser

QUESTION = "What is the limit for gifts that employees accept from business partners?"


async def test_a_question_is_answered_in_its_thread_once(slack_database: str) -> None:
    """Without streams, which it has not; text and blocks arrive as they were sent."""
    async with emulator() as slack:
        settings = Settings(
            **logins(slack_database),
            slack_client_id=CLIENT_ID,
            slack_client_secret=CLIENT_SECRET,
            slack_workspaces=TEAM,
            slack_signing_secret=SECRET,
            token_key=base64.b64encode(bytes(range(32))).decode(),
            public_url=PUBLIC_URL,
            slack_api_url=f"{slack.url}/api/",
            port=0,
            operations_port=0,
        )
        connect = connect_slack(settings, timings=AT_ONCE)
        assert connect is not None
        async with (
            bootstrap(settings, statements=SERVING) as service,
            running(service, (connect,), Roles()) as process,
        ):
            address = f"http://127.0.0.1:{process.port}"
            await _installed(slack, address)
            asked = await slack.mention(f"{address}/slack/events", QUESTION)
            reply = await _answered(slack, asked)
    assert reply["user"] == slack.bot_user
    assert "EUR 75" in reply["text"]
    assert "Gifts and Hospitality Policy" in json.dumps(reply["blocks"])
    assert "evidence_open" in json.dumps(reply["blocks"])


async def _installed(slack: SlackEmulator, address: str) -> None:
    """Install the app as a person does, through its page and theirs."""
    async with ClientSession() as session:
        browser = Browser(address=address, session=session)
        _, _, page = await browser.get(f"{address}/slack/install")
        status, _, _ = await browser.get(await slack.allow(page))
    assert status == 200
    await slack.invite()


async def _answered(slack: SlackEmulator, asked: Json) -> Json:
    async with asyncio.timeout(60):
        while True:
            replies = await slack.replies(asked)
            if any("EUR 75" in one["text"] for one in replies):
                (reply,) = replies
                return reply
            await asyncio.sleep(0.2)
