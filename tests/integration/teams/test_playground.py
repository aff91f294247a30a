"""Both ways to call Teams against Microsoft's emulator, with a bot that repeats what it hears."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from bot.call_results import Succeeded
from bot.teams.auth.credentials import NoToken
from bot.teams.cards import progress_blocks
from bot.teams.connector.connector import Address, Transport
from bot.teams.connector.http_client import ConnectorHttp, open_session
from core.domain.json_value import Json
from core.language.interface.texts import as_it_is
from core.ports import Progressed
from tests.integration.teams.conftest import on_loopback
from tests.integration.teams.test_transports import ANSWER, CARD
from tests.servers.playground import Playground, need_package, playground
from tests.servers.slack.wire import Json as Given

Hear = Callable[[Given, Transport, Address], Coroutine[None, None, None]]


@pytest.fixture(scope="module")
def program() -> Path:
    """Microsoft's program."""
    return need_package()


@asynccontextmanager
async def bot_that(
    hear: Hear, program: Path, made: Callable[[ConnectorHttp], Transport]
) -> AsyncGenerator[tuple[Playground, list[Given]]]:
    """Run a bot, anonymous, and the playground before it."""
    heard: list[Given] = []
    groups: list[asyncio.TaskGroup] = []
    async with open_session() as session:
        transport = made(ConnectorHttp(session, NoToken(), on_loopback))

        async def messages(request: web.Request) -> web.Response:
            activity: Given = await request.json()
            heard.append(activity)
            if activity["type"] == "message":
                at = Address(
                    service_url=activity["serviceUrl"], conversation=activity["conversation"]["id"]
                )
                groups[0].create_task(hear(activity, transport, at))
            return web.json_response({})

        application = web.Application()
        application.router.add_post("/api/messages", messages)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port: int = runner.addresses[0][1]
        try:
            async with (
                playground(program, f"http://127.0.0.1:{port}/api/messages") as ground,
                asyncio.TaskGroup() as group,  # what it hears is answered before all stops
            ):
                groups.append(group)
                yield ground, heard
        finally:
            await runner.cleanup()


async def echo(activity: Given, transport: Transport, at: Address) -> None:
    """Say what was said."""
    told = await transport.post(at, {"type": "message", "text": f"You said: {activity['text']}"})
    assert isinstance(told, Succeeded)


@pytest.mark.parametrize("kind", ["channel", "personal", "group"])
async def test_a_bot_is_heard(
    program: Path, made: Callable[[ConnectorHttp], Transport], kind: str
) -> None:
    """In a channel in the thread of the question."""
    async with bot_that(echo, program, made) as (ground, heard):
        said = await ground.say(getattr(ground, kind), "hello")
        (answer,) = await ground.replies(said.conversation)
        assert answer.text == "You said: <at>Test Bot</at> hello"
        assert heard[0]["conversation"]["id"] == said.conversation
        if kind == "channel":
            assert said.conversation.startswith(f"{ground.channel};messageid=")


async def test_cards_and_buttons_come_and_go(
    program: Path, made: Callable[[ConnectorHttp], Transport]
) -> None:
    """An answer with its citation and card; a thumb and a button reach the bot; it is updated."""

    async def answer(activity: Given, transport: Transport, at: Address) -> None:
        if activity.get("value"):
            told = await transport.update(at, activity["replyToId"], {**ANSWER, "text": "Changed"})
        else:
            told = await transport.post(at, ANSWER)
        assert isinstance(told, Succeeded)

    async with bot_that(answer, program, made) as (ground, heard):
        said = await ground.say(ground.channel, "hello")
        await ground.until(lambda: any(one.cards for one in ground.shown(said.conversation)))
        shown = ground.shown(said.conversation)
        assert next(one for one in shown if one.cards).cards == [CARD]
        assert await ground.rate(shown[0], "like", comment="ok") == {}
        assert heard[-1]["name"] == "message/submitAction"
        assert heard[-1]["value"]["actionValue"]["reaction"] == "like"


async def test_a_stream_is_seen(program: Path, made: Callable[[ConnectorHttp], Transport]) -> None:
    """Informative, streaming, final: in this order, and one message at the end."""
    results: list[object] = []

    async def stream(_: Given, transport: Transport, at: Address) -> None:
        searching = Progressed(stage="retrieve", words=as_it_is("Searching"))
        first = await transport.post(
            at, progress_blocks.informative(searching, sequence=1, stream_id=None)
        )
        assert isinstance(first, Succeeded)
        held = str(first.body["id"])
        plain: dict[str, Json] = {"type": "message", "text": "Yes"}
        whole = progress_blocks.streaming(plain, sequence=2, stream_id=held)
        results.append(await transport.post(at, whole))
        results.append(await transport.post(at, progress_blocks.final(plain, stream_id=held)))

    async with bot_that(stream, program, made) as (ground, _):
        said = await ground.say(ground.personal, "hello", mentions=False)
        await ground.until(lambda: len(results) == 2)
        assert all(isinstance(one, Succeeded) for one in results), results
        await ground.until(lambda: ground.shown(said.conversation)[-1].text == "Yes")


def test_without_node_it_is_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A skip has its reason; where CI is set it is a failure."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="playground absent: it needs Node 20 and npm"):
        need_package()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="CI must not skip"):
        need_package()
