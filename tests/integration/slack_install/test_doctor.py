"""What `citebound doctor` says of Slack's tokens."""

import base64
import json
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.doctor_check import Diagnosis, Status
from bot.slack.app import message_check
from bot.slack.app.health import check
from bot.slack.app.message_check import METHOD, SUBJECT
from core.config.settings import Settings
from core.domain.installation import Workspace
from tests.databases import login_variables
from tests.integration.slack_install.conftest import (
    OTHER_KEY,
    Deployment,
    installation,
    settings_of,
    stores_of,
)
from tests.servers.slack import FakeSlack

AGAIN = "install the app there again, at https://bot.example.com/slack/install"


def environment(slack: FakeSlack, token: str) -> dict[str, str]:
    """Return the settings of one workspace."""
    return {
        "SLACK_BOT_TOKEN": token,
        "SLACK_SIGNING_SECRET": slack.workspace.app.signing_secret,
        "SLACK_API_URL": slack.api_url,
    }


async def one(slack: FakeSlack, token: str | None = None) -> Diagnosis:
    """Return what is said of the token of the settings."""
    settings = Settings.from_environment(environment(slack, token or slack.workspace.bot_token))
    _, found, *_ = [found async for found in check(settings, is_live=True)]
    assert slack.workspace.bot_token not in f"{found}"
    return found


async def several(slack: FakeSlack, engine: AsyncEngine, **more: str) -> list[Diagnosis]:
    """Return what is said of installations."""
    given = {
        "SLACK_API_URL": slack.api_url,
        "SLACK_SIGNING_SECRET": slack.workspace.app.signing_secret,
        **login_variables(engine.url.render_as_string(hide_password=False)),
    }
    settings = settings_of("https://bot.example.com", **given, **more)
    _, *found = [found async for found in check(settings, is_live=True)]
    return [one for one in found if one.subject != SUBJECT]


async def test_a_token_that_lives(slack: FakeSlack) -> None:
    """It says whose it is."""
    found = await one(slack)
    assert (found.health, found.found) == (Status.FINE, "citebound in Home, with all scopes")


@pytest.mark.parametrize("word", ["account_inactive", "token_revoked", "invalid_auth"])
async def test_a_dead_token_of_the_settings(slack: FakeSlack, word: str) -> None:
    """Named with Slack's word, and what to do."""
    slack.workspace.keys.tokens[slack.workspace.bot_token].dead = word
    found = await one(slack)
    assert (found.health, found.found, found.cure) == (
        Status.BROKEN,
        f"Slack refuses SLACK_BOT_TOKEN: {word}",
        "install the app again, and copy its bot token",
    )


async def test_nobody_has_installed_it(slack: FakeSlack, engine: AsyncEngine) -> None:
    """Not broken; it says where to begin."""
    (found,) = await several(slack, engine)
    assert (found.health, found.found) == (Status.MISSING, "nowhere yet")
    assert found.cure == "open https://bot.example.com/slack/install"


async def test_each_installation_is_tried(deployment: Deployment, engine: AsyncEngine) -> None:
    """One lives; one is of a workspace that took the app away; one waits to be exchanged."""
    slack = deployment.slack
    await deployment.browser().install()
    store = stores_of(engine).installations
    dead = slack.workspace.issue("bot", "chat:write")
    dead.dead = "token_revoked"
    await store.save(installation(team=None, enterprise="E0ORG", access=dead.value))
    await store.save(installation(team="T0OLD", lasts=timedelta(days=-9000)))
    slack.journal.entries.clear()
    found = {each.subject: each for each in await several(slack, engine)}
    assert found["Slack, T0HOME"].health is Status.FINE
    assert found["Slack, T0HOME"].found == "citebound in Home, with all scopes"
    gone = found["Slack, E0ORG"]
    assert gone.health is Status.BROKEN
    assert gone.found == "Slack refuses its token: token_revoked"
    assert gone.cure == AGAIN
    assert found["Slack, T0OLD"].health is Status.FINE
    called = [each.method for each in slack.journal.entries if each.method != METHOD]
    assert called == ["auth.test", "auth.test"]
    assert len(await store.held()) == 3
    assert all(dead.value not in f"{each}" for each in found.values())


async def test_a_key_that_is_not_set(deployment: Deployment, engine: AsyncEngine) -> None:
    """Told, instead of a traceback."""
    await deployment.browser().install()
    (found,) = await several(
        deployment.slack, engine, CITEBOUND_TOKEN_KEY=base64.b64encode(OTHER_KEY).decode()
    )
    assert found.health is Status.BROKEN
    assert "CITEBOUND_TOKEN_KEY" in found.found + found.cure


async def test_only_the_token_that_was_refused_is_forgotten(engine: AsyncEngine) -> None:
    """What was installed anew meanwhile stays."""
    store = stores_of(engine).installations
    await store.save(installation(access="".join(("xoxb-", "new"))))
    where = Workspace(team="T1")
    assert await store.delete(where, token="".join(("xoxb-", "old"))) == 0
    assert len(await store.held()) == 1
    assert await store.delete(where, token="".join(("xoxb-", "new"))) == 1
    assert await store.held() == ()


@pytest.fixture
def rights(tmp_path: Path) -> Path:
    """A file that gives a channel an audience."""
    path = tmp_path / "slack.toml"
    path.write_text('[channels.C0VAULT]\naudience = ["finance"]\n')
    return path


async def channels(slack: FakeSlack, path: Path, **more: str) -> dict[str, Diagnosis]:
    """Return what is said of channels that must be private."""
    given = environment(slack, slack.workspace.bot_token) | more
    given["CITEBOUND_SLACK_CONFIG"] = str(path)
    settings = Settings.from_environment(given)
    _, _, *found = [
        found async for found in check(settings, is_live=True) if found.subject != SUBJECT
    ]
    return {each.subject: each for each in found}


@pytest.mark.parametrize(
    ("kind", "health"),
    [("channel", Status.BROKEN), ("group", Status.FINE), (None, Status.DOUBTFUL)],
)
async def test_an_audience_of_a_channel(
    slack: FakeSlack, rights: Path, kind: Any, health: Status
) -> None:
    """Public, private, and not shown to the app."""
    if kind is not None:
        slack.workspace.channel("vault", slack.workspace.user("finn"), id="C0VAULT", kind=kind)
    (found,) = (await channels(slack, rights)).values()
    assert (found.subject, found.health) == ("Slack, channel C0VAULT", health)


@pytest.mark.parametrize(
    ("kind", "extra", "health"),
    [
        ("group", False, Status.FINE),
        ("group", True, Status.DOUBTFUL),
        ("channel", False, Status.BROKEN),
    ],
)
async def test_the_officers_channel(
    slack: FakeSlack, rights: Path, kind: Any, extra: bool, health: Status
) -> None:
    """Private and read by officers alone; by others, too; public."""
    olga, ben = slack.workspace.user("olga"), slack.workspace.user("ben")
    slack.workspace.channel("desk", olga, *([ben] if extra else []), id="C0DESK", kind=kind)
    officers = [{"login": "olga", "name": "Olga O.", "accounts": ["slack/T0HOME/U0OLGA"]}]
    more = {
        "CITEBOUND_OFFICERS": json.dumps(officers),
        "CITEBOUND_CASE_CHANNEL": "slack/T0HOME/C0DESK",
    }
    found = (await channels(slack, rights, **more))["Slack, case channel"]
    assert found.health is health
    assert ("U0BEN" in found.found) is extra


async def shown_to(slack: FakeSlack) -> Diagnosis:
    """Return what is said of the kinds of replies."""
    settings = Settings.from_environment(environment(slack, slack.workspace.bot_token))
    told = [found async for found in check(settings, is_live=True)]
    return next(found for found in told if found.subject == SUBJECT)


async def test_each_kind_of_reply_is_shown_to_slack(
    slack: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is posted; what a stricter Slack refuses is named, and whether the simpler goes."""
    monkeypatch.setattr(message_check, "asyncio", SimpleNamespace(sleep=slack.clock.sleep))
    found = await shown_to(slack)
    assert found.health is Status.FINE, found
    assert "none posted" in found.found
    knobs = slack.workspace.knobs
    knobs.only_blocks = frozenset({"section", "actions", "context", "header", "divider"})
    found = await shown_to(slack)
    assert found.health is Status.DOUBTFUL
    assert "answer, High (/0 unsupported type: container" in found.found
    knobs.only_blocks = frozenset({"section", "context", "header", "divider"})
    found = await shown_to(slack)
    assert found.health is Status.BROKEN
    assert "case card, open" in found.found
    slack.faults.without("blocks.validate")
    assert "has no blocks.validate" in (await shown_to(slack)).cure
    assert slack.journal.of("chat.postMessage", "views.publish", "views.open") == []
