"""After a policy has changed and an officer approved, askers are told where they asked."""

from bot.corrections import Corrector
from core.ingest.prepare import Overrides
from tests.acceptance.conftest import POLICIES
from tests.acceptance.slack.office import pressable
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.acceptance.teams.test_pressing import QUESTION, shown
from tests.both_products import Both, both
from tests.servers.slack import FakeSlack
from tests.servers.teams import FakeTeams
from tests.servers.teams.openid import OpenId

LOWER = (POLICIES / "gifts-v2.md").read_text().replace("EUR 75", "EUR 60")


def corrector_of(run: Both) -> Corrector:
    """Return what compares and corrects in the process, to be driven by hand."""
    service = run.process.service
    return Corrector(
        comparisons=service.affected,
        corrections=service.corrections,
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
        assert await service.corrections.approve(officer="olga", edition=None, policy="gifts") == 2
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
