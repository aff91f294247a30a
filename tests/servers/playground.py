"""Microsoft's Agents Playground, driven without its page: the real Teams emulator around our bot.

    package = need_package()                     # skips loudly, or fails where CI is set
    async with playground(package, app_url) as ground:
        said = await ground.say(ground.channel, "May I?")           # a new thread
        await ground.say(ground.personal, "May I?", mentions=False)
        (answer,) = await ground.replies(said.conversation)
        await ground.rate(answer, "like")                           # .press, .execute
        assert ground.shown(said.conversation)[-1].text == "…"

The package is Microsoft's, pre-release, and never shipped: it is installed by npm, once, into the
user's cache (`npm.need_package`), outside of the repository. It needs no internet to run. Its bot
is anonymous. What it shows comes over a WebSocket; `frames` has all of it, as it came.
"""

import asyncio
import os
import re
import signal
import tempfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from tests.servers import npm
from tests.servers.slack.wire import Json, is_object, objects

NAME, VERSION = "@microsoft/m365agentsplayground", "0.2.28"
ABSENT = "playground absent"
"""How the reason of a skip begins."""
STARTED_WITHIN_S, STOPPED_WITHIN_S = 60.0, 5.0
SHOWN_WITHIN_S = 30.0
_LISTENING = re.compile(r"Listening on (\d+)")
QUIET = {"BROWSER": "none", "TEAMSAPPTESTER_BROWSER": "none"}
"""It opens no page."""


def need_package() -> Path:
    """Return its program, installed if need be; skip or, where `CI` is set, fail without it."""
    return npm.need_package(NAME, VERSION, absent=ABSENT) / "cli.js"


@dataclass(slots=True, kw_only=True)
class Shown:
    """A message of the bot, as people see it now."""

    id: str
    conversation: str
    """With `;messageid=` in a thread of a channel."""
    content: Json
    """As it came last."""
    was: list[Json] = field(default_factory=list[Json])
    """As it came before."""

    @property
    def text(self) -> str:
        """What it says."""
        return str(self.content.get("text") or "")

    @property
    def cards(self) -> list[Json]:
        """Its Adaptive Cards."""
        return [one["content"] for one in objects(self.content.get("attachments"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of a person."""

    id: str
    conversation: str
    """Where replies to it stand: of a new post in a channel, its thread."""


class Playground:
    """One that runs. People's deeds return once the bot was told, or did not listen."""

    def __init__(self, session: ClientSession, base_url: str, config: Json):
        self._session = session
        self.base_url = base_url
        """Where its page is."""
        self.bot: Json = config["bot"]
        self.me: Json = config["currentUser"]
        self.users: dict[str, Json] = {one["id"]: one for one in [self.me, *config["users"]]}
        """Everybody, by id."""
        self.tenant = str(config["tenantId"])
        self.personal = str(config["personalChat"]["id"])
        self.group = str(config["groupChats"][0]["id"])
        self.channel = "team-id"
        self.announcements = "channel-announcements-id"
        """Another channel."""
        self.frames: list[Json] = []
        self._shown: dict[tuple[str, str], Shown] = {}

    async def say(self, conversation: str, text: str, *, mentions: bool = True) -> Said:
        """Write a message; in the channel it begins a thread."""
        told: Json = {"from": {"id": self.me["id"]}, "text": text, "textFormat": "plain"}
        if mentions:
            tag = f"<at>{self.bot['name']}</at>"
            told["text"] = f"{tag} {text}"
            told["mentions"] = [{"mentioned": {"id": self.bot["id"]}, "text": tag}]
        answer = await self._post(f"conversations/{conversation}/messages", told)
        at = str(answer.get("postConversationId") or conversation)
        return Said(id=str(answer["messageId"]), conversation=at)

    async def rate(self, shown: Shown, reaction: str, *, comment: str = "") -> Json:
        """Press a thumb: `like` or `dislike`."""
        feedback = f'{{"feedbackText":"{comment}"}}'
        value: Json = {
            "actionName": "feedback",
            "actionValue": {"reaction": reaction, "feedback": feedback},
        }
        return await self.invoke(shown, "message/submitAction", value)

    async def execute(self, shown: Shown, verb: str, data: Json, *, by: str = "") -> Json:
        """Press an `Action.Execute`."""
        action: Json = {"type": "Action.Execute", "verb": verb, "data": data}
        value: Json = {"action": action, "trigger": "manual"}
        return await self.invoke(shown, "adaptiveCard/action", value, by=by)

    async def invoke(self, shown: Shown, name: str, value: Json, *, by: str = "") -> Json:
        """Press what awaits an answer, and return it; `by` is the id of another user than `me`."""
        told = self._about(shown) | {"name": name, "value": value}
        return await self._post("invoke", told | ({"from": {"id": by}} if by else {}))

    async def press(self, shown: Shown, data: Json) -> Json:
        """Press an `Action.Submit`."""
        return await self._post("submit", self._about(shown) | {"value": data})

    def shown(self, conversation: str) -> list[Shown]:
        """Return what the bot shows in a conversation, in order."""
        return [one for one in self._shown.values() if one.conversation == conversation]

    async def replies(self, conversation: str, *, least: int = 1) -> list[Shown]:
        """Return the same, once there are so many."""
        await self.until(lambda: len(self.shown(conversation)) >= least)
        return self.shown(conversation)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds.

        Raises:
            AssertionError: It does not, with what was shown.
        """
        end = time.monotonic() + SHOWN_WITHIN_S
        while not holds():
            assert time.monotonic() < end, f"it did not come true; shown: {self.frames}"
            await asyncio.sleep(0.02)

    def take(self, frame: Json) -> None:
        """Take what is shown to people."""
        self.frames.append(frame)
        message: Any = frame.get("message")
        if not is_object(message) or "messageId" not in message:
            return
        place = str(frame.get("actionConversationId"))
        key = (place, str(message["messageId"]))
        known = self._shown.get(key)
        if known is None:
            self._shown[key] = Shown(id=key[1], conversation=place, content=message)
        else:
            known.was.append(known.content)
            known.content = message

    def _about(self, shown: Shown) -> Json:
        at = shown.conversation
        if at in {self.channel, self.announcements}:
            at = f"{at};messageid={shown.id}"  # what begins a thread is pressed in it
        return {
            "from": {"id": self.me["id"]},
            "conversation": {"id": at},
            "replyToId": shown.id,
        }

    async def _post(self, path: str, body: Json) -> Json:
        url = f"{self.base_url}/_conversation/v1/{path}"
        async with self._session.post(url, json=body) as response:
            text = await response.text()
            assert response.status < 300, f"the playground says {response.status}: {text[:300]}"
            told: Any = await response.json(content_type=None) if text.strip() else {}
        return told if is_object(told) else {}


@asynccontextmanager
async def playground(program: Path, app_url: str) -> AsyncGenerator[Playground]:
    """Run it on a free port, in front of a bot that listens at an address of this machine."""
    with tempfile.TemporaryDirectory(prefix="citebound-playground-") as folder:
        process = await asyncio.create_subprocess_exec(
            *("node", str(program), "start", "-e", app_url, "-c", "msteams", "-p", "0"),
            "--disable-telemetry",
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, **QUIET},  # noqa: TID251
            start_new_session=True,
        )
        try:
            port = await _port(process)
            async with (
                ClientSession() as session,
                asyncio.TaskGroup() as group,
                session.ws_connect(
                    f"ws://127.0.0.1:{port}/_ws_conversation/v1/conversations/stream"
                ) as socket,
            ):
                base_url = f"http://127.0.0.1:{port}"
                async with session.get(f"{base_url}/_internal/v1/config") as response:
                    config: Json = (await response.json())["config"]
                ground = Playground(session, base_url, config)
                reader = group.create_task(_read(socket, ground))
                drain = group.create_task(_drain(process))
                yield ground
                reader.cancel()
                drain.cancel()
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None  # a test's own failure, as it is
        finally:
            await _stop(process)


async def _port(process: Process) -> int:
    """Return where it listens: another port than the one asked for, if that was taken."""
    heard: list[str] = []
    assert process.stdout is not None
    async with asyncio.timeout(STARTED_WITHIN_S):
        async for line in process.stdout:
            heard.append(line.decode(errors="replace"))
            found = _LISTENING.search(heard[-1])
            if found:
                return int(found[1])
    raise AssertionError(f"the playground did not start: {''.join(heard)}")


async def _read(socket: ClientWebSocketResponse, ground: Playground) -> None:
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            told: Any = message.json()
            if is_object(told):
                ground.take(told)


async def _drain(process: Process) -> None:
    assert process.stdout is not None
    while await process.stdout.readline():
        pass


async def _stop(process: Process) -> None:
    """Stop it and what it started; only those."""
    if process.returncode is not None:
        return
    os.killpg(process.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(STOPPED_WITHIN_S):
            await process.wait()
    except TimeoutError:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
