"""Whether messages may be sent to us: what all need, and what each platform needs."""

from collections.abc import Awaitable, Callable
from unittest.mock import Mock

import pytest
from aiohttp import web

from bot.app.http import Health, Trouble
from core.domain.errors import TransientError

REQUEST = Mock(spec=web.Request)


def trouble(told: str | None) -> Trouble:
    async def look() -> str | None:
        return told

    return look


async def _broken() -> str | None:
    raise TransientError


async def asked(how: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> tuple[int, str]:
    told = await how(REQUEST)
    assert isinstance(told, web.Response)
    return told.status, told.text or ""


@pytest.mark.parametrize(
    ("slack", "teams", "status", "words"),
    [
        (None, None, 200, "ready"),
        (None, "no keys", 200, "ready, but not for teams: no keys"),
        ("no socket", None, 200, "ready, but not for slack: no socket"),
        ("no socket", "no keys", 503, "slack: no socket; teams: no keys"),
    ],
)
async def test_one_platform_goes_on_without_the_other(
    slack: str | None, teams: str | None, status: int, words: str
) -> None:
    """Only if none can reach us nothing is to be sent here; we live all the same."""
    platforms = {"slack": trouble(slack), "teams": trouble(teams)}
    health = Health(trouble(None), platforms=platforms)
    assert await asked(health.ready) == (status, words)
    assert (await asked(health.live))[0] == 200


async def test_what_all_need_is_told_first() -> None:
    """Whatever the platforms say; and a stop before that."""
    health = Health(trouble("the schema is old"), platforms={"teams": trouble("no keys")})
    assert await asked(health.ready) == (503, "the schema is old")
    assert (await asked(Health(_broken).ready))[0] == 503
    assert await asked(Health(trouble(None)).ready) == (200, "ready")
    health.stop()
    assert await asked(health.ready) == (503, "stopping")


async def test_a_platform_alone_is_all() -> None:
    """Its trouble is ours."""
    health = Health(trouble(None), platforms={"teams": trouble("no keys")})
    assert await asked(health.ready) == (503, "teams: no keys")


TEAMS = {"teams": "invalid_client (AADSTS7000222)"}


@pytest.mark.parametrize(
    ("refused", "takes", "status", "words"),
    [
        (
            TEAMS | {"claude": "401"},
            True,
            200,
            "ready; claude refuses 1 of our credentials: 401; teams refuses 1 of our credentials:"
            " invalid_client (AADSTS7000222)",
        ),
        (
            TEAMS | {"slack": "token_revoked"},
            False,
            503,
            "nothing can be posted; slack refuses 1 of our credentials: token_revoked; teams"
            " refuses 1 of our credentials: invalid_client (AADSTS7000222)",
        ),
        (TEAMS, False, 200, "ready; teams refuses 1 of our credentials: invalid_client"),
        ({"slack/T1": "x", "slack/T2": "x"}, False, 200, "ready; slack refuses 2 of our"),
        ({"source/hr": "403"}, False, 200, "ready; source refuses 1 of our credentials: 403"),
    ],
)
async def test_refused_credentials_are_said(
    refused: dict[str, str],
    takes: bool,  # a column
    status: int,
    words: str,
) -> None:
    """Without names. Who only answers is not ready once nothing can be posted anywhere."""
    platforms = {"slack": trouble(None), "teams": trouble(None)}
    health = Health(trouble(None), platforms=platforms, refused=lambda: refused, takes=takes)
    found = await asked(health.ready)
    assert (found[0], found[1][: len(words)]) == (status, words)
    assert "T1" not in found[1]
