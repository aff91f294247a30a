"""The pages that the manifest of Teams names are there."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from bot.app.http import Metered, application
from bot.metrics import Meter
from bot.teams.manifest import manifest

MADE: Any = manifest(
    app_id="22222222-2222-4222-8222-222222222222", address="https://citebound.example.com"
)


def served() -> web.Application:
    return application([], Metered(Meter()))


@pytest.mark.parametrize(
    ("key", "told"),
    [("websiteUrl", "policies"), ("privacyUrl", "records"), ("termsOfUseUrl", "not legal advice")],
)
async def test_each_page_is_served_as_text(key: str, told: str) -> None:
    """Anybody may read it, and nothing of it is run."""
    path = urlsplit(str(MADE["developer"][key])).path or "/"
    async with (
        TestServer(served()) as server,
        ClientSession() as session,
        session.get(server.make_url(path)) as response,
    ):
        assert (response.status, response.content_type) == (200, "text/plain")
        assert told in await response.text()
