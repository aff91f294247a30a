"""Where the bot's token comes from."""

import asyncio

import pytest
from aiohttp import ClientSession

from bot.teams.auth.credentials import token_for
from bot.teams.setup import TeamsSetup, teams_setup
from core.config.settings import Settings
from core.service_access.tokens import TokenError
from tests.integration.teams.conftest import setup_of
from tests.servers.slack import faults
from tests.servers.teams import FakeTeams


def identity_of(teams: FakeTeams, **more: str) -> TeamsSetup:
    setup = teams_setup(Settings.from_environment(teams.identity_environment | more))
    assert setup is not None
    return setup


@pytest.mark.parametrize("kind", ["secret", "identity"])
async def test_a_token_is_good_for_the_service(
    teams: FakeTeams, session: ClientSession, kind: str
) -> None:
    """For the connector service alone."""
    setup = setup_of(teams) if kind == "secret" else identity_of(teams)
    token = await token_for(setup, session).current()
    assert teams.login.is_good(f"Bearer {token}")


async def test_many_tasks_fetch_one(teams: FakeTeams, session: ClientSession) -> None:
    """Those that come while it is fetched wait for it."""
    token = token_for(setup_of(teams), session)
    async with asyncio.TaskGroup() as group:
        got = [group.create_task(token.current()) for _ in range(10)]
    assert len({one.result() for one in got}) == 1
    assert teams.journal.methods() == ["token"]


@pytest.mark.parametrize("kind", ["secret", "identity"])
async def test_a_token_is_renewed_before_its_end(
    teams: FakeTeams, session: ClientSession, kind: str
) -> None:
    """Five minutes before, whether its length is told or its end."""
    setup = setup_of(teams) if kind == "secret" else identity_of(teams)
    token = token_for(setup, session, now=teams.clock.now)
    first = await token.current()
    teams.clock.advance(teams.login.lasts_s - 310)
    assert await token.current() == first
    teams.clock.advance(20)
    assert await token.current() != first


async def test_a_short_token_is_not_fetched_at_each_call(
    teams: FakeTeams, session: ClientSession
) -> None:
    """It is kept for half a minute, whatever it says of its end."""
    teams.login.lasts_s = 0
    token = token_for(setup_of(teams), session)
    assert await token.current() == await token.current()


async def test_a_refused_token_is_forgotten(teams: FakeTeams, session: ClientSession) -> None:
    """That one alone: another caller may have a new one already."""
    token = token_for(setup_of(teams), session)
    first = await token.current()
    assert first is not None
    token.forget(first)
    second = await token.current()
    assert second != first
    token.forget(first)
    assert await token.current() == second


async def test_an_identity_of_another_is_refused(teams: FakeTeams, session: ClientSession) -> None:
    """The header proves that we run there."""
    wrong = token_for(identity_of(teams, IDENTITY_HEADER="wrong"), session)
    with pytest.raises(TokenError, match="invalid_request"):
        await wrong.current()


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        (faults.status(500, "<html>"), "no_answer"),
        (faults.status(200, "{}"), "200"),
        (faults.status(200, '{"access_token": 7}'), "200"),
        (faults.status(400, '{"error": "un\\nfit"}'), "400"),
    ],
    ids=["html", "empty", "number", "line break"],
)
async def test_no_token_has_a_reason(
    teams: FakeTeams, session: ClientSession, fault: faults.Fault, named: str
) -> None:
    """One printable word; the next call asks again."""
    token = token_for(setup_of(teams), session)
    teams.faults.next("token", fault)
    with pytest.raises(TokenError, match=named):
        await token.current()
    assert await token.current()


async def test_a_playground_wants_none(session: ClientSession) -> None:
    """Nothing is asked."""
    setup = teams_setup(Settings.from_environment({"ALLOW_ANONYMOUS": "1"}))
    assert setup is not None
    assert await token_for(setup, session).current() is None
