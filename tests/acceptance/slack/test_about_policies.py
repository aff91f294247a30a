"""Facts about policies in a channel: told to all there, and nothing of what some may not read."""

from collections.abc import AsyncIterator

import pytest

from bot.replies.answer import BY_METADATA
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.ingest.prepare import Overrides
from tests.acceptance.slack import treasury
from tests.acceptance.slack.office import Office, office, pressable, shown
from tests.databases import logins
from tests.servers.slack import FakeSlack, live_links, live_mentions


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str) -> AsyncIterator[Office]:
    """The product, with officers."""
    await treasury.publish(slack_database)
    async with office(slack, slack_database) as running:
        yield running


async def test_facts_are_told_in_a_channel(bureau: Office) -> None:
    """The owner with its badge, then the list of all that everybody there may read."""
    answer = await bureau.answered("Who owns the gifts policy?")
    told = shown(answer)
    assert "High confidence" in told
    assert "is owned by the" in told
    assert BY_METADATA.en in told
    assert "AI-generated" not in told
    assert "evidence_open" in pressable(answer)
    listed = shown(await bureau.answered("What policies do you have?"))
    assert "Gifts and Hospitality Policy" in listed
    assert treasury.TREASURY not in listed
    hidden = shown(await bureau.answered("Who owns the treasury policy?"))
    assert "is owned by" not in hidden
    assert (live_links(answer), live_mentions(answer)) == ([], [])
    bureau.slack.checks.nothing_refused()


async def test_which_policy_is_meant_is_asked_with_buttons(
    bureau: Office, slack_database: str
) -> None:
    """Two of one name: their titles can be pressed, and the reply tells of the one."""
    async with bootstrap(Settings(**logins(slack_database))) as service:
        for kind, owner in (("Company", "Head of Facilities"), ("Pool", "Fleet Desk")):
            text = f"# {kind} Car Policy\n\n## 1 Scope\n\nEmployees must keep the car clean.\n"
            given = Overrides(key=f"{kind}-car".lower(), owner=owner)
            await service.ingestor.ingest(
                text.encode(), source_name=f"{kind}.md", given=given, with_chunks=False
            )
    asked = await bureau.answered("Who owns the car policy?")
    assert "Which one do you mean?" in shown(asked)
    assert {"clarify:0", "clarify:1"} <= set(pressable(asked))
    await bureau.slack.presses.click(bureau.anna, asked, "clarify:1")
    await bureau.served.quiet(within_s=60)
    told = " ".join(shown(one) for one in bureau.slack.checks.by_app())
    assert "is owned by the Fleet Desk" in told
    assert "Head of Facilities" not in told
    bureau.slack.checks.nothing_refused()
