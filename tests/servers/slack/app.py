"""The real SDKs around a fake Slack: a client of it, and an app where it can reach it."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack.server import FakeSlack

SlackClient = Any
"""An `AsyncWebClient`; the SDK does not say what is in an answer, so strict typing is no help."""


def slack_client(slack: FakeSlack, **more: Any) -> SlackClient:
    """Return the real client, which never repeats a call by itself."""
    given: dict[str, Any] = {"retry_handlers": [], "timeout": 5, "base_url": slack.api_url}
    return AsyncWebClient(token=slack.workspace.bot_token, **(given | more))


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def listening(slack: FakeSlack, app: AsyncApp | Handler) -> AsyncGenerator[str]:
    """Serve an app over HTTP, and tell Slack where."""

    async def events(request: web.Request) -> web.StreamResponse:
        if not isinstance(app, AsyncApp):
            return await app(request)
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    application = web.Application()
    application.router.add_post("/slack/events", events)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port: int = runner.addresses[0][1]
    slack.app_url = f"http://127.0.0.1:{port}/slack/events"
    try:
        yield slack.app_url
    finally:
        await runner.cleanup()
