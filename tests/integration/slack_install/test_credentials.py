"""Whose token speaks for a workspace: exchanged once, forgotten everywhere, no other's."""

import asyncio
import base64
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.slack.inbound.identity import SlackIdentity, workspace_of
from bot.slack.install.credentials import OneWorkspace
from bot.slack.install.oauth import open_oauth
from bot.slack.install.stores import StoredInstallations
from core.adapters.postgres.platforms.installations import oauth_stores
from core.config.settings import Settings
from core.domain.errors import TransientError
from core.domain.installation import Workspace
from tests.integration.slack_install.conftest import (
    HOME,
    KEY,
    LEDGER,
    OTHER_KEY,
    Deployment,
    settings_of,
    stores_of,
    works,
)
from tests.servers.slack.faults import processed_then_reset

TOKEN = "".join(("xoxb-", "settings"))


async def test_twenty_calls_exchange_a_token_once(
    deployment: Deployment, engine: AsyncEngine
) -> None:
    """In two processes, before it ends; the new one works, and the next exchange, too."""
    deployment.slack.workspace.app.rotates_tokens = True
    await deployment.browser().install()
    first = await deployment.oauth.credentials.find(HOME)
    other = await open_oauth(
        settings_of(deployment.address),
        stores_of(engine),
        clock=deployment.clock,
        api_url=deployment.slack.api_url,
    )
    for turn in (1, 2):
        deployment.clock.ahead += timedelta(hours=11)
        replicas = [deployment.oauth.credentials, other.credentials] * 10
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(replica.find(HOME)) for replica in replicas]
        found = {task.result() for task in tasks}
        assert len(found) == 1
        assert found != {first}
        exchanged = [
            one
            for one in deployment.slack.journal.entries
            if one.method == "oauth.v2.access" and "refresh_token" in one.args
        ]
        assert len(exchanged) == turn
        (now,) = found
        assert now is not None
        assert await works(deployment.slack, now.token)


async def test_a_failed_exchange_leaves_the_token_until_it_ends(deployment: Deployment) -> None:
    """Slack's answer is lost, and with it the refresh token; one try a minute, then 503."""
    deployment.slack.workspace.app.rotates_tokens = True
    await deployment.browser().install()
    find, entries = deployment.oauth.credentials.find, deployment.slack.journal.entries
    first = await find(HOME)
    deployment.slack.faults.next("oauth.v2.access", processed_then_reset())
    deployment.clock.ahead += timedelta(hours=11)
    before = len(entries)
    assert [await find(HOME) for _ in range(5)] == [first] * 5
    assert len(entries) == before + 1
    deployment.clock.ahead += timedelta(minutes=2)
    assert await find(HOME) == first
    assert entries[-1].outcome == "invalid_refresh_token"
    deployment.clock.ahead += timedelta(hours=1)
    with pytest.raises(TransientError, match="install the app there again"):
        await find(HOME)
    await deployment.browser().install()
    assert await find(HOME) != first


async def test_what_is_uninstalled_is_forgotten_everywhere(
    deployment: Deployment, engine: AsyncEngine
) -> None:
    """The event comes to one replica; the other misses the token at its next call."""
    await deployment.browser().install()
    other = await open_oauth(
        settings_of(deployment.address),
        stores_of(engine),
        clock=deployment.clock,
        api_url=deployment.slack.api_url,
    )
    assert await other.credentials.find(HOME) is not None
    await deployment.oauth.credentials.forget(HOME)
    assert await other.credentials.find(HOME) is None
    assert await other.credentials.identity(HOME) is None


async def test_a_new_key_takes_over_at_the_start(
    deployment: Deployment, engine: AsyncEngine
) -> None:
    """With the old one beside it once, and then without."""
    await deployment.browser().install()
    new = {"CITEBOUND_TOKEN_KEY": base64.b64encode(OTHER_KEY).decode()}
    old = {"CITEBOUND_TOKEN_KEY_OLD": base64.b64encode(KEY).decode()}
    for given in (new | old, new):
        oauth = await open_oauth(
            settings_of("https://bot.example.com", **given),
            stores_of(engine, **given),
            clock=deployment.clock,
        )
        assert await oauth.credentials.find(HOME) is not None


async def test_the_sdk_gets_no_refresh_token(deployment: Deployment) -> None:
    """Its own rotation takes no lock."""
    deployment.slack.workspace.app.rotates_tokens = True
    await deployment.browser().install()
    credentials: Any = deployment.oauth.credentials
    sdk = StoredInstallations(deployment.oauth.stores.installations, credentials)
    for found in (
        await sdk.async_find_installation(enterprise_id=None, team_id="T0HOME"),
        await sdk.async_find_bot(enterprise_id=None, team_id="T0HOME"),
    ):
        assert found is not None
        assert found.bot_token
        assert found.bot_refresh_token is None
        assert found.bot_token_expires_at is None
    await sdk.async_delete_installation(enterprise_id=None, team_id="T0HOME", user_id="U1")
    assert await sdk.async_find_bot(enterprise_id=None, team_id="T0HOME") is not None
    await sdk.async_delete_all(enterprise_id=None, team_id="T0HOME")
    assert await sdk.async_find_bot(enterprise_id=None, team_id="T0HOME") is None
    assert await sdk.async_find_bot(enterprise_id=None, team_id=None) is None


async def test_a_token_of_the_settings_serves_its_workspace_alone() -> None:
    """Any other's payload gets no token, whoever signed it."""
    home = SlackIdentity(app_id="A1", bot_user="U0BOT", teams=frozenset({"T1"}), enterprise=None)
    one = OneWorkspace(home, TOKEN)
    assert await one.find(Workspace(team="T2")) is None
    assert await one.find(Workspace(enterprise="E1")) is None
    found = await one.find(Workspace(team="T1"))
    assert found is not None
    assert found.token == TOKEN
    assert await one.identity(Workspace(team="T1")) == home
    assert await one.identity(Workspace(team="T2")) is None


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"team_id": "T1"}, Workspace(team="T1")),
        ({"team_id": "T1", "enterprise_id": "E1"}, Workspace(enterprise="E1", team="T1")),
        (
            {
                "team_id": "T9",
                "authorizations": [
                    {"enterprise_id": "E1", "team_id": None, "is_enterprise_install": True}
                ],
            },
            Workspace(enterprise="E1"),
        ),
        (
            {"team_id": "T9", "authorizations": [{"enterprise_id": None, "team_id": "T1"}]},
            Workspace(team="T1"),
        ),
        (
            {"team": {"id": "T1"}, "enterprise": None, "is_enterprise_install": False},
            Workspace(team="T1"),
        ),
        (
            {"team": None, "enterprise": {"id": "E1"}, "is_enterprise_install": True},
            Workspace(enterprise="E1"),
        ),
        (
            {"team_id": "T1", "enterprise_id": "E1", "is_enterprise_install": "true"},
            Workspace(enterprise="E1"),
        ),
        (
            {
                "team": {"id": "T9"},
                "enterprise": {"id": "E1"},
                "api_app_id": "A1",
                "message": {"app_id": "A1", "team": "T1"},
            },
            Workspace(enterprise="E1", team="T1"),
        ),
        (
            {
                "team": {"id": "T1"},
                "api_app_id": "A1",
                "message": {"app_id": "A2", "team": "T9"},
            },
            Workspace(team="T1"),
        ),
        ({"team": {"id": "T1"}, "message": {"team": "T9"}}, Workspace(team="T1")),
        (
            {"team": {"id": "T9"}, "view": {"app_installed_team_id": "T1"}},
            Workspace(team="T1"),
        ),
        ({}, None),
        ({"authorizations": []}, None),
        ({"authorizations": ["odd"], "team_id": 3}, None),
    ],
)
def test_whose_installation_a_payload_is_for(body: Any, where: Workspace | None) -> None:
    """Events, interactions and commands say it in ways of their own."""
    assert workspace_of(body) == where


def test_without_a_client_id_there_is_no_store(engine: AsyncEngine) -> None:
    """One workspace, by its token, is the default."""
    assert oauth_stores(engine, Settings(), LEDGER) is None
