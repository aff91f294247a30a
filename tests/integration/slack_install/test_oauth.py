"""Installation by OAuth: the real SDK and Bolt's flow, the real stores, a Slack of our own."""

import asyncio
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.domain.installation import Workspace
from tests.integration.slack_install.conftest import (
    HOME,
    ORGANISATION,
    Deployment,
    installed,
    works,
)
from tests.servers.slack.faults import processed_then_reset
from tests.slack_product import Browser


async def test_a_workspace_installs_it(deployment: Deployment, engine: AsyncEngine) -> None:
    """From the first page to a token that works."""
    status, page = await deployment.browser().install()
    assert (status, "Installed" in page) == (200, True)
    assert await installed(engine) == [(None, "T0HOME", "U0INSTALLER", "Home")]
    found = await deployment.oauth.credentials.find(HOME)
    assert found is not None
    assert (found.app, found.bot_user) == ("A0CITEBOUND", "U0BOT")
    assert await works(deployment.slack, found.token)
    assert found.token not in repr(found)
    assert await deployment.oauth.credentials.find(Workspace(team="T9")) is None


@pytest.mark.parametrize("slack", ["E0ORG"], indirect=True)
async def test_an_organisation_installs_it(deployment: Deployment, engine: AsyncEngine) -> None:
    """For all its workspaces, and for no other organisation's."""
    deployment.slack.workspace.knobs.is_org_install = True
    status, page = await deployment.browser().install()
    assert (status, "administrator" in page) == (200, True)
    assert await installed(engine) == [("E0ORG", None, "U0INSTALLER", "Org")]
    find = deployment.oauth.credentials.find
    found = await find(Workspace(enterprise="E0ORG", team="T0ANY"))
    assert found is not None
    assert found.workspace == ORGANISATION
    assert await find(Workspace(enterprise="E0OTHER", team="T0ANY")) is None


async def test_a_refusal_is_a_page_and_nothing_more(
    deployment: Deployment, engine: AsyncEngine
) -> None:
    """Slack's page was answered with no."""
    deployment.slack.workspace.knobs.denies_install = True
    status, page = await deployment.browser().install()
    assert (status, "Nothing has changed" in page) == (200, True)
    assert await installed(engine) == []


async def test_what_comes_in_is_in_no_page(deployment: Deployment) -> None:
    """An error of anybody's making."""
    url = f"{deployment.address}/slack/oauth_redirect?error=%3Cscript%3Ealert(1)%3C/script%3E"
    status, page, _ = await deployment.browser().get(url)
    assert (status, "alert" in page) == (200, False)


async def test_another_company_is_sent_away(deployment: Deployment, engine: AsyncEngine) -> None:
    """Its token is revoked, nothing is kept, and the log says who it was."""
    deployment.slack.workspace.team_id = "T0OTHER"
    status, page = await deployment.browser().install()
    assert (status, "may not install the app" in page) == (403, True)
    assert await installed(engine) == []
    revoked = [one for one in deployment.slack.journal.entries if one.method == "auth.revoke"]
    assert len(revoked) == 1
    assert not await works(deployment.slack, revoked[0].token)


async def test_a_state_is_good_once(deployment: Deployment) -> None:
    """The same redirect again, from the same browser; Slack is not asked again."""
    browser = deployment.browser()
    back = await browser.ask()
    cookies = dict(browser.cookies)
    assert (await browser.get(back))[0] == 200
    browser.cookies = cookies
    status, page, _ = await browser.get(back)
    assert (status, "finished before" in page) == (401, True)
    asked = [one for one in deployment.slack.journal.entries if one.method == "oauth.v2.access"]
    assert len(asked) == 1


async def test_a_hundred_redirects_at_once_install_once(deployment: Deployment) -> None:
    """Exactly one uses the state up."""
    browser = deployment.browser()
    back = await browser.ask()
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(
                Browser(browser.address, browser.session, dict(browser.cookies)).get(back)
            )
            for _ in range(100)
        ]
    assert sorted(task.result()[0] for task in tasks) == [200] + [401] * 99


@pytest.mark.parametrize("cookies", [{}, {"slack-app-oauth-state": "another"}])
async def test_another_browser_can_not_finish(
    deployment: Deployment, cookies: dict[str, str]
) -> None:
    """Nor does it use the state up."""
    browser = deployment.browser()
    back = await browser.ask()
    stranger = deployment.browser()
    stranger.cookies = cookies
    assert (await stranger.get(back))[0] == 400
    assert (await browser.get(back))[0] == 200


async def test_a_state_expires(deployment: Deployment, engine: AsyncEngine) -> None:
    """After ten minutes."""
    browser = deployment.browser()
    back = await browser.ask()
    async with engine.begin() as connection:
        row = await connection.execute(
            text(
                "UPDATE citebound.slack_oauth_states"
                " SET expires_at = expires_at - interval '10 min'"
                " RETURNING expires_at > now() - interval '1 min'"
            )
        )
        assert row.scalar_one()
    assert (await browser.get(back))[0] == 401


async def test_a_state_without_a_code_installs_nothing(deployment: Deployment) -> None:
    """And a code that Slack does not know."""
    for code in ("", "&code=unknown", f"&code={'x' * 5000}"):
        browser = deployment.browser()
        state = parse_qs(urlsplit(await browser.ask()).query)["state"][0]
        url = f"{deployment.address}/slack/oauth_redirect?state={state}{code}"
        status, page, _ = await browser.get(url)
        assert (status, "Not installed" in page) == (401, True)


async def test_slack_away_is_told_as_such(deployment: Deployment, engine: AsyncEngine) -> None:
    """Nothing is kept, nothing is repeated."""
    deployment.slack.faults.next("oauth.v2.access", processed_then_reset())
    status, page = await deployment.browser().install()
    assert (status, "can&#x27;t be reached" in page or "can't be reached" in page) == (503, True)
    assert await installed(engine) == []
    assert await deployment.browser().install() != (503, page)


async def test_the_cookie_is_the_browsers_alone(deployment: Deployment) -> None:
    """Scripts can't read it, and it is sent over TLS only."""
    async with deployment.session.get(
        f"{deployment.address}/slack/install", allow_redirects=False
    ) as answer:
        cookie = answer.headers["Set-Cookie"].lower()
        page = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert "httponly" in cookie
    assert "secure" in cookie
    assert page["redirect_uri"] == [f"{deployment.address}/slack/oauth_redirect"]
    assert page["scope"][0].split(",") == sorted(page["scope"][0].split(","))
    assert "user_scope" not in page


async def test_neither_code_nor_token_is_logged(
    deployment: Deployment, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether it works or not; `serve` writes no access log."""
    caplog.set_level("INFO")
    await deployment.browser().install()
    deployment.slack.workspace.team_id = "T0OTHER"
    await deployment.browser().install()
    told = "\n".join(one.getMessage() for one in caplog.records if one.name != "aiohttp.access")
    assert "installed in T0HOME" in told
    assert not re.search(r"xoxb-|code-\d|client-secret", told)
