"""A process that is told to stop ends what it has promised, and leaves nothing open."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import web

from tests.acceptance.slack.office import QUESTION, shown
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import slow
from tests.slack_product import product


async def test_a_press_that_was_acknowledged_is_carried_out(
    slack: FakeSlack, slack_database: str
) -> None:
    """The stop comes while Slack opens the evidence: it is filled before the database is closed."""
    async with product(slack, slack_database) as running:
        anna = slack.workspace.user("anna")
        room = slack.workspace.channel("general", anna)
        said = await slack.people.mention(anna, room, QUESTION)
        answer = await running.answer_to(said.message)
        slack.faults.next("views.open", slow(0.5))
        pressed = await slack.presses.click(anna, answer, "evidence_open")
        assert pressed.acknowledged
        assert slack.journal.of("views.open", outcome="ok") == []
    (view,) = slack.presses.views_of(anna)
    assert "Gifts and Hospitality Policy" in shown(view)


@asynccontextmanager
async def silent_model() -> AsyncGenerator[str]:
    """A model that takes a question and never answers; return its address."""
    asked = asyncio.Event()

    async def take(request: web.Request) -> web.Response:
        await request.read()
        await asked.wait()
        return web.Response(status=500)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", take)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    asked.set()
    await runner.cleanup()


async def test_stop_in_an_open_stream(slack: FakeSlack, slack_database: str) -> None:
    """The run ends; the stream that Slack has ended says so; nothing is answered, nothing stays."""
    async with (
        silent_model() as address,
        product(
            slack, slack_database, anthropic_api_key="sk-ant-none", anthropic_base_url=address
        ) as running,
    ):
        anna = slack.workspace.user("anna")
        said = await slack.people.ask(anna, QUESTION)
        await slack.journal.wait_for("chat.startStream", outcome="ok")
        (stream,) = slack.checks.by_app()
        assert stream.is_streaming
        assert all(one.acknowledged for one in await slack.people.stop(anna, said.message))
        await running.quiet(within_s=60)
        outcomes = await running.rows("SELECT outcome FROM citebound.inbox WHERE kind = 'message'")
        assert outcomes == [{"outcome": "ignored"}]
        told = slack.checks.one_answer(said.message)
        assert "Stopped" in told.text or "Stopped" in shown(told)
        slack.checks.status_cleared()
        slack.checks.no_open_streams()
        assert await running.rows("SELECT 1 FROM citebound.answers") == []
