"""Slack's requests over HTTP, before Bolt.

A request is believed only once its signature is checked, over the bytes as they came; nothing is
parsed before. Bolt would answer 500 to what nobody signed.
"""

import json
import logging
import time
from urllib.parse import parse_qs

from aiohttp import web
from aiohttp.web_exceptions import HTTPRequestEntityTooLarge
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.slack.app.signature import SignatureCheck

logger = logging.getLogger(__name__)


class SlackEndpoint:
    """Takes Slack's requests."""

    def __init__(self, app: AsyncApp, check: SignatureCheck) -> None:
        """Take who handles them, and who believes them."""
        self._app = app
        self._check = check

    async def take(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        try:
            body = await request.read()
        except HTTPRequestEntityTooLarge:
            return web.Response(status=413)
        if not self._check(request.headers, body, now=time.time()):
            logger.warning("a request that Slack did not sign was refused")
            return web.Response(status=401)
        if not _is_readable(body, is_form=request.content_type != "application/json"):
            return web.Response(status=400)
        bolt = AsyncBoltRequest(
            body=body.decode("utf-8"),
            query=request.query_string,
            headers=dict(request.headers),
        )
        return await to_aiohttp_response(await self._app.async_dispatch(bolt))


def _is_readable(body: bytes, *, is_form: bool) -> bool:
    """Say whether the bytes are what Bolt expects: an object of JSON, plain or in a form."""
    try:
        text = body.decode("utf-8")
        if is_form:
            held = parse_qs(text, keep_blank_values=True)
            text = held["payload"][0] if "payload" in held else ""
            if not text:
                return bool(held)
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
