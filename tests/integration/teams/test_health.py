"""What `citebound doctor` says of Teams."""

from collections.abc import AsyncIterator

import pytest

from bot.doctor_check import Diagnosis, Status
from bot.teams.app.health import check
from bot.teams.app.message_check import SUBJECT
from core.config.settings import Settings
from tests.servers.slack import faults
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId, openid


async def findings(environment: dict[str, str], *, is_live: bool = False) -> list[Diagnosis]:
    settings = Settings.from_environment(environment)
    found = [one async for one in check(settings, is_live=is_live)]
    return [one for one in found if one.subject != SUBJECT]


async def test_without_settings_it_is_not_set_up() -> None:
    """That is no fault, live or not."""
    (found,) = await findings({}, is_live=True)
    assert (found.health, found.found) == (Status.MISSING, "not set up")


async def test_each_kind_of_reply_is_held_against_teams_schema(
    teams: FakeTeams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Live alone, and without a call; one that Teams would refuse is named."""
    settings = Settings.from_environment({"ALLOW_ANONYMOUS": "1"})
    _, found = [one async for one in check(settings, is_live=True)]
    assert (found.subject, found.health) == (SUBJECT, Status.FINE)
    assert teams.journal.methods() == []
    monkeypatch.setattr("bot.teams.cards.card_check.CARD_BYTES", 900)
    _, found = [one async for one in check(settings, is_live=True)]
    assert found.health is Status.BROKEN
    assert "case card, open" in found.found


async def test_a_fault_of_the_settings_is_named(teams: FakeTeams) -> None:
    """As starting would name it."""
    (found,) = await findings(teams.environment | {"APP_TENANTID": "contoso.com"}, is_live=True)
    assert found.health is Status.BROKEN
    assert found.found.startswith("APP_TENANTID: expected a GUID")


async def test_nothing_is_called_unless_that_is_asked(teams: FakeTeams) -> None:
    """It says with what it would."""
    (found,) = await findings(teams.environment)
    assert found.found == "set up with a client secret, over botbuilder; not called"
    (found,) = await findings(teams.identity_environment | {"CITEBOUND_TEAMS_TRANSPORT": "rest"})
    assert found.found == "set up with a managed identity, over rest; not called"
    (found,) = await findings({"ALLOW_ANONYMOUS": "1"}, is_live=True)
    assert "without authentication" in found.found
    assert teams.journal.methods() == []


@pytest.fixture
async def microsoft() -> AsyncIterator[OpenId]:
    """Whose keys sign what Teams sends."""
    async with openid() as running:
        yield running


async def called(microsoft: OpenId, environment: dict[str, str]) -> Diagnosis:
    """Return what is said of the token."""
    where = {"CITEBOUND_TEAMS_OPENID_URL": microsoft.url}
    _, found, keys = await findings(environment | where, is_live=True)
    assert (keys.subject, keys.health, keys.found) == (
        "Teams, signing keys",
        Status.FINE,
        "read",
    )
    return found


async def test_live_the_bot_gets_its_token(teams: FakeTeams, microsoft: OpenId) -> None:
    """By its secret or as an identity; the token is nowhere."""
    for environment in (teams.environment, teams.identity_environment):
        found = await called(microsoft, environment)
        assert (found.subject, found.health) == ("Teams, called", Status.FINE)
        assert not any(token in str(found) for token in teams.login.issued)
    assert teams.journal.methods() == ["token", "token"]


async def test_live_a_wrong_secret_is_named(teams: FakeTeams, microsoft: OpenId) -> None:
    """With what to look at; the secret is nowhere."""
    wrong = "".join(("wr", "ong-secret"))
    found = await called(microsoft, teams.environment | {"APP_PASSWORD": wrong})
    assert found.health is Status.BROKEN
    assert found.found == "no token: invalid_client (AADSTS7000215)"
    assert "APP_PASSWORD" in found.cure
    assert wrong not in str(found)


async def test_live_what_cannot_be_reached_is_named(teams: FakeTeams, microsoft: OpenId) -> None:
    """The network, not the secret."""
    teams.faults.always("token", faults.status(502, "<html>"))
    found = await called(microsoft, teams.environment)
    assert found.health is Status.BROKEN
    assert "network" in found.cure


@pytest.mark.parametrize("status", [503, 404])
async def test_live_keys_that_cannot_be_read_are_named(
    teams: FakeTeams, microsoft: OpenId, status: int
) -> None:
    """With what that means, and where to look."""
    microsoft.status = status
    where = {"CITEBOUND_TEAMS_OPENID_URL": microsoft.url}
    found = (await findings(teams.environment | where, is_live=True))[-1]
    assert (found.subject, found.health) == ("Teams, signing keys", Status.BROKEN)
    assert "requests from Teams can't be authenticated" in found.found
    assert "127.0.0.1 can be reached" in found.cure
    assert "Slack is unaffected" in found.cure
