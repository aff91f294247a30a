"""Whoever goes on with a message goes on with what its dead worker drew, and with nothing else."""

from dataclasses import replace

import pytest

from bot.slack.outbound.progress import SlackSurface
from bot.slack.outbound.timings import SlackTimings
from bot.slack.web.calls import Slack, client_for
from core.domain.message import Claimed
from tests.integration.slack_fake.test_status import claimed
from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Message


async def kept_by(slack: FakeSlack, message: Claimed) -> list[str]:
    """Show a run, and return the ids of what was taken for its progress."""
    kept: list[str] = []

    async def keep(remote_id: str) -> None:
        kept.append(remote_id)

    surface = SlackSurface(
        Slack(client_for(slack.workspace.bot_token, api_url=slack.api_url)),
        team=slack.workspace.team_id,
        timings=SlackTimings(draw_after_s=60.0),
    )
    async with surface.showing(message, keep):
        await slack.until(lambda: bool(slack.journal.of("assistant.threads.setStatus")))
    return kept


async def left_open(slack: FakeSlack) -> tuple[Message, str]:
    """Ask, and begin a stream of which nobody kept the id."""
    anna = slack.workspace.user("anna")
    asked = slack.people.write(anna, slack.workspace.direct(anna), "May I?")
    client = client_for(slack.workspace.bot_token, api_url=slack.api_url)
    begun = await client.chat_startStream(
        channel=asked.channel,
        thread_ts=asked.ts,
        recipient_team_id=slack.workspace.team_id,
        recipient_user_id=asked.user,
    )
    return asked, str(begun.get("ts", ""))


async def test_the_next_attempt_takes_over(slack: FakeSlack) -> None:
    """The first attempt looks for nothing: nobody can have drawn before it."""
    asked, begun = await left_open(slack)
    assert await kept_by(slack, replace(claimed(asked), attempt=2)) == [begun]
    assert await kept_by(slack, claimed(asked)) == []


@pytest.mark.parametrize("attempt", [2, 5])
async def test_what_may_be_an_earlier_replys_is_left_alone(slack: FakeSlack, attempt: int) -> None:
    """Taken over, it would hold two answers, one after the other: the first would be lost."""
    asked, _ = await left_open(slack)
    message = replace(claimed(asked), attempt=attempt, follows_unposted=True)
    assert await kept_by(slack, message) == []
