"""An officer asks in a direct message to be let into the console, and signs in by the link."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession

from tests.both_products import Both, both
from tests.officer_console import grant
from tests.servers.slack import FakeSlack
from tests.servers.slack.people import User
from tests.servers.teams import FakeTeams, Person
from tests.servers.teams.openid import OpenId

CONSOLE = "https://compliance.example.com"
LINK = re.compile(rf"{CONSOLE}/officer/sign-in/[A-Za-z0-9_-]{{43}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """The product between both platforms, with Olga, an officer on both, and Anna, who is none."""

    run: Both
    olga: User
    anna: User
    olga_there: Person
    anna_there: Person

    async def in_slack(self, user: User, words: str) -> str:
        """Write to the bot in Slack, and return its reply."""
        slack = self.run.slack
        said = await slack.people.say(user, slack.workspace.direct(user), words)
        await self.run.quiet()
        return slack.checks.one_answer(said.message).text

    async def in_teams(self, person: Person, words: str) -> str:
        """Write to the bot in Teams, and return its reply."""
        teams = self.run.teams
        said = await teams.people.say(person, teams.tenant.personal(person), words)
        await self.run.quiet()
        (reply,) = teams.checks.replies(said.message)
        return str(reply.activity["text"])

    async def open(self, method: str, link: str, **headers: str) -> tuple[int, str]:
        """Open a link where the product is served, as whatever does TLS passes it on."""
        parts = urlsplit(link)
        sent = {"Host": parts.netloc, **headers}
        url = f"{self.run.base_url}{parts.path}"
        async with (
            ClientSession() as session,
            session.request(method, url, headers=sent, allow_redirects=False) as answer,
        ):
            return answer.status, answer.headers.get("Set-Cookie", "")


@pytest.fixture
async def town(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Town]:
    """See `Town`."""
    olga, anna = slack.workspace.user("olga"), slack.workspace.user("anna")
    olga_there = teams.tenant.person("olga", aad="00000000-0000-4000-8000-0000000000AB")
    accounts = [
        f"slack/{slack.workspace.team_id}/{olga.id}",
        f"teams/{teams.tenant.id}/{olga_there.aad}",
    ]
    officers: list[dict[str, Any]] = [{"login": "olga", "name": "Olga O.", "accounts": accounts}]
    grant(policies_database, "olga")
    async with both(
        slack, teams, microsoft, policies_database, officers=officers, console_url=CONSOLE
    ) as run:
        yield Town(
            run=run,
            olga=olga,
            anna=anna,
            olga_there=olga_there,
            anna_there=teams.tenant.person("anna"),
        )


async def test_an_officer_signs_in_by_a_link_from_either_platform(town: Town) -> None:
    """To look at it uses nothing up; it works once, over TLS alone, for this browser alone."""
    replies = [
        await town.in_slack(town.olga, "Sign in"),
        await town.in_teams(town.olga_there, "sign in"),
    ]
    for told in replies:
        (link,) = LINK.findall(told)
        assert (await town.open("GET", link))[0] == 200
        assert (await town.open("POST", link))[0] == 403
        status, cookie = await town.open("POST", link, Origin=CONSOLE)
        assert status == 303
        assert cookie.startswith("__Host-citebound-officer=")
        for part in ("HttpOnly", "Secure", "SameSite=Lax", "Path=/"):
            assert part in cookie
        assert (await town.open("POST", link, Origin=CONSOLE))[0] == 410
    rows = await town.run.rows(
        "SELECT doc->>'by' AS by FROM audit.record WHERE tag = 'officer:signed_in' ORDER BY at"
    )
    assert [row["by"] for row in rows] == ["slack", "teams"]


async def test_nobody_else_gets_a_link(town: Town) -> None:
    """They are told why, and no link is made."""
    for told in (
        await town.in_slack(town.anna, "console"),
        await town.in_teams(town.anna_there, "console"),
    ):
        assert "Only compliance officers" in told
        assert "http" not in told
    assert await town.run.rows("SELECT 1 FROM citebound.console_links") == []


async def test_a_link_is_never_sent_where_others_read(town: Town) -> None:
    """In a channel the words are a question like any other."""
    slack, teams = town.run.slack, town.run.teams
    room = slack.workspace.channel("general", town.olga, town.anna)
    there = teams.tenant.channel("general", town.olga_there, town.anna_there)
    await slack.people.mention(town.olga, room, "sign in")
    await teams.people.mention(town.olga_there, there, "sign in")
    await town.run.quiet()
    shown = [one.text for one in slack.checks.by_app()]
    shown += [str(one.activity) for one in teams.tenant.by_bot()]
    assert len(shown) >= 2
    assert not any("/officer/" in one for one in shown)


async def test_no_secret_is_stored_or_recorded(town: Town) -> None:
    """What the link holds stands in the message alone."""
    (link,) = LINK.findall(await town.in_slack(town.olga, "sign in"))
    secret = link.rpartition("/")[2]
    for table in ("outbox", "inbox", "console_links"):
        rows = await town.run.rows(f"SELECT CAST(t AS text) AS row FROM citebound.{table} t")  # noqa: S608
        assert rows
        assert not any(secret in str(row["row"]) for row in rows)
    rows = await town.run.rows("SELECT body FROM audit.content")
    assert not any(secret in str(row["body"]) for row in rows)
