"""After a policy has changed and an officer approved, askers are told where they asked."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.corrections import Corrector
from bot.replies.notices import OFFICERS_ONLY
from core.ingest.prepare import Overrides
from tests.acceptance.conftest import POLICIES
from tests.acceptance.slack.office import pressable
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.acceptance.teams.test_pressing import QUESTION, shown
from tests.both_products import Both, both
from tests.servers.slack import FakeSlack
from tests.servers.slack.people import User
from tests.servers.slack.posts import Message
from tests.servers.teams import FakeTeams, Person
from tests.servers.teams.openid import OpenId

CONSOLE = "https://compliance.example.com"
LOWER = (POLICIES / "gifts-v2.md").read_text().replace("EUR 75", "EUR 60")


def corrector_of(run: Both) -> Corrector:
    """Return what compares and corrects in the process, to be driven by hand."""
    service = run.process.service
    return Corrector(
        comparisons=service.affected,
        corrections=service.corrections,
        editions=service.affected_editions,
        conversations=service.conversations,
        answering=service.answering,
        recorder=service.recorder,
        platforms={chat.name: chat.answering for chat in run.process.chats},
        clock=service.clock,
    )


async def test_told_in_the_thread_on_each_platform(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """The new answer with its buttons, what changed, and a mark at the old one; once."""
    anna, ben = slack.workspace.user("anna"), teams.tenant.person("ben")
    channel, room = slack.workspace.channel("general", anna), teams.tenant.channel("general", ben)
    async with both(slack, teams, microsoft, policies_database) as run:
        in_slack = (await slack.people.mention(anna, channel, QUESTION)).message
        in_teams = (await teams.people.mention(ben, room, QUESTION)).message
        await run.quiet()
        old = slack.checks.one_answer(in_slack)
        (old_card,) = teams.checks.replies(in_teams)
        assert "EUR 75" in shown_in_slack(old)
        assert "EUR 75" in shown(old_card)

        service, corrector = run.process.service, corrector_of(run)
        await service.ingestor.ingest(
            LOWER.encode(), source_name="gifts-v2.md", given=Overrides(), with_chunks=True
        )
        await corrector.once()
        assert (
            await service.affected_editions.approve(officer="olga", edition=None, policy="gifts")
            == 2
        )
        await corrector.once()
        await corrector.once()
        await run.quiet()

        thread = slack.workspace.thread(in_slack.channel, in_slack.root)
        (told,) = [one for one in thread if "EUR 60" in shown_in_slack(one)]
        assert "This replaces my answer of" in shown_in_slack(told)
        assert "escalate_open" in pressable(told)
        assert "Outdated" in shown_in_slack(old)
        assert pressable(old) == []
        (card,) = [one for one in teams.checks.replies(in_teams) if "EUR 60" in shown(one)]
        assert "This replaces my answer of" in shown(card)
        assert "Outdated" in shown(old_card)
        slack.checks.nothing_refused()
        await slack.presses.click(anna, told, "answer_feedback", positive=True)
        await run.quiet()
        rows = await run.rows("SELECT tag FROM audit.record WHERE tag LIKE 'feedback:%'")
        assert [row["tag"] for row in rows] == ["feedback:given"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The product with an answer that an edition affects, and the officers' channel."""

    run: Both
    asked: Message
    """In Slack."""
    channel: str
    """Id of the officers' channel; Ben reads it, too, and is no officer."""
    olga: User
    ben: User
    olga_there: Person
    ben_there: Person

    async def told(self) -> None:
        """Let what was approved be given again, once, with a record that names the officer."""
        corrector = corrector_of(self.run)
        await corrector.once()
        await corrector.once()
        await self.run.quiet()
        thread = self.run.slack.workspace.thread(self.asked.channel, self.asked.root)
        assert sum("EUR 60" in shown_in_slack(one) for one in thread) == 1
        self.run.slack.checks.nothing_refused()
        (row,) = await self.run.rows(
            "SELECT actor FROM audit.record WHERE tag = 'answer:superseded'"
        )
        assert row["actor"] == "olga"

    async def approved(self) -> list[object]:
        """Return who approved."""
        rows = await self.run.rows("SELECT approved_by FROM citebound.affected_answers")
        return [row["approved_by"] for row in rows]


@asynccontextmanager
async def desk(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, database_url: str, *, on: str
) -> AsyncGenerator[Desk]:
    """Run the product, and let a policy change on which an answer in Slack rests."""
    anna, olga, ben = map(slack.workspace.user, ("anna", "olga", "ben"))
    olga_there, ben_there = teams.tenant.person("olga"), teams.tenant.person("ben")
    here = slack.workspace.channel("officers", olga, ben, kind="group")
    there = teams.tenant.channel("officers", olga_there, ben_there, channel_type="private")
    team, tenant = slack.workspace.team_id, teams.tenant.id
    accounts = [f"slack/{team}/{olga.id}", f"teams/{tenant}/{olga_there.aad}"]
    officers: list[dict[str, Any]] = [{"login": "olga", "name": "Olga O.", "accounts": accounts}]
    async with both(
        slack,
        teams,
        microsoft,
        database_url,
        officers=officers,
        channel=f"slack/{team}/{here.id}" if on == "slack" else f"teams/{tenant}/{there.id}",
        console_url=CONSOLE,
    ) as run:
        await teams.people.install(olga_there, there)
        room = slack.workspace.channel("general", anna)
        asked = (await slack.people.mention(anna, room, QUESTION)).message
        await run.quiet()
        await run.process.service.ingestor.ingest(
            LOWER.encode(), source_name="gifts-v2.md", given=Overrides(), with_chunks=True
        )
        await corrector_of(run).once()
        await run.quiet()
        yield Desk(
            run=run,
            asked=asked,
            channel=here.id if on == "slack" else there.id,
            olga=olga,
            ben=ben,
            olga_there=olga_there,
            ben_there=ben_there,
        )


async def test_an_officer_approves_in_slack(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """On the card in their channel; who else reads it is refused."""
    async with desk(slack, teams, microsoft, policies_database, on="slack") as held:
        (card,) = [one for one in slack.checks.by_app() if one.channel == held.channel]
        assert pressable(card) == ["affected_approve", "console_open"]
        for words in (f"{CONSOLE}/officer/affected/", "EUR 75", "EUR 60", "1 undecided"):
            assert words in shown_in_slack(card)
        await slack.presses.click(held.ben, card, "affected_approve")
        await slack.until(lambda: bool(slack.checks.seen_by(held.ben.id)), timeout_s=15)
        assert slack.checks.seen_by(held.ben.id)[-1].text == OFFICERS_ONLY.en
        assert await held.approved() == [None]
        await slack.presses.click(held.olga, card, "affected_approve")
        await held.run.quiet()
        assert "Approved by olga" in shown_in_slack(card)
        assert pressable(card) == ["console_open"]
        await held.told()
        assert "1 of 1 told" in shown_in_slack(card)


async def test_an_officer_approves_in_teams(
    slack: FakeSlack, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> None:
    """The same; the officer who pressed sees the card as it is now at once."""
    async with desk(slack, teams, microsoft, policies_database, on="teams") as held:
        (card,) = [
            one
            for one in teams.tenant.by_bot()
            if one.conversation == held.channel and "affected_approve" in shown(one)
        ]
        (press, look) = card.cards[0]["actions"]
        assert look["url"].startswith(f"{CONSOLE}/officer/affected/")
        for words in ("EUR 75", "EUR 60", "1 undecided"):
            assert words in shown(card)
        people, verb, data = teams.people, "affected_approve", press["data"]
        refused = await people.execute(held.ben_there, card, verb, data)
        assert refused.answer["value"] == OFFICERS_ONLY.en
        assert await held.approved() == [None]
        done = await people.execute(held.olga_there, card, verb, data)
        assert "Approved by olga" in json.dumps(done.answer)
        await held.run.quiet()
        assert "Approved by olga" in shown(card)
        assert "affected_approve" not in shown(card)
        await held.told()
        assert "1 of 1 told" in shown(card)
