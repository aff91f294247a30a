"""A status blocks the composer: it is gone however a run ends, and whichever call goes wrong."""

import asyncio
from collections.abc import Callable
from datetime import date

import pytest

from bot.slack.outbound.progress import SlackSurface
from bot.slack.outbound.timings import SlackTimings
from bot.slack.web.calls import Slack, client_for
from core.domain.conversation import Place
from core.domain.errors import OvertakenError
from core.domain.message import Claimed
from core.language.interface.texts import as_it_is
from core.ports import Progressed
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import (
    Fault,
    error,
    garbled,
    lost,
    processed_then_reset,
    slow,
    status,
    too_many,
)
from tests.servers.slack.posts import Message

STEPS = ("search", "read", "draft")
CALLS = 8
"""More than a run of three steps makes from its first status to the clearing of it."""
AT_WORK = 4
"""Calls of a run that goes on: status, mark, stream, first addition."""
FAULTS = {
    "never arrived": lost(),
    "done and not told": processed_then_reset(),
    "half an answer": garbled(),
    "refused": error("internal_error"),
    "broken": status(500),
}


def keep(_: str) -> asyncio.Future[None]:
    """Keep the id of the message that shows progress."""
    kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    kept.set_result(None)
    return kept


class Runs:
    """Runs that show their progress, each in a thread of its own."""

    def __init__(self, slack: FakeSlack) -> None:
        self.slack = slack
        timings = SlackTimings(draw_after_s=0.0, drawn_every_s=0.0)
        self.surface = SlackSurface(
            Slack(client_for(slack.workspace.bot_token, api_url=slack.api_url)),
            team=slack.workspace.team_id,
            timings=timings,
        )
        self.anna = slack.workspace.user("anna")
        self.room = slack.workspace.channel("general", self.anna)

    def asked(self) -> Message:
        """Write a question."""
        return self.slack.people.write(self.anna, self.room, "May I?")

    async def run(self, asked: Message, *, ends: Callable[[], None] | None = None) -> None:
        """Show three steps; then the run ends as it is told, or goes on until it is cancelled."""
        async with self.surface.showing(claimed(asked), keep) as progress:
            for stage in STEPS:
                before = len(self.slack.journal.entries)
                progress.report(Progressed(stage=stage, words=as_it_is(f"{stage}ing")))
                await self.slack.until(
                    lambda seen=before: len(self.slack.journal.entries) > seen, timeout_s=15
                )
            while ends is None:
                # The steps may have been drawn all at once.
                progress.report(Progressed(stage=STEPS[-1], words=as_it_is("still at it")))
                await asyncio.sleep(0.05)
            ends()


def claimed(asked: Message) -> Claimed:
    """Return a question as a worker has it."""
    return Claimed(
        message_id=1,
        conversation_id="c",
        question_id="q",
        record_id=None,
        place=Place(
            platform="slack",
            tenant="T0HOME",
            channel=asked.channel,
            thread=asked.ts,
            mode="channel",
        ),
        person=asked.user,
        asker="p-1",
        text=asked.text,
        waited_s=0.0,
        attempt=1,
        token="lease",  # noqa: S106  # proof of nothing
        edition=None,
        as_of=date(2026, 1, 1),
        progress_id=None,
        raw={"ts": asked.ts, "team": "T0HOME"},
    )


def nothing() -> None:
    """End well."""


def fails() -> None:
    """End with an error of the run."""
    raise RuntimeError


def is_overtaken() -> None:
    """End because somebody else answers."""
    raise OvertakenError


@pytest.fixture
def runs(slack: FakeSlack) -> Runs:
    """A workspace and its runs; no post of ours takes a status away by itself."""
    slack.workspace.knobs.status_lingers = True
    return Runs(slack)


async def test_the_status_is_set_and_gone(runs: Runs) -> None:
    """What the tests below rest on: without the last call it would be left."""
    await runs.run(runs.asked(), ends=nothing)
    told = [one.args["status"] for one in runs.slack.journal.of("assistant.threads.setStatus")]
    assert told[0]
    assert told[-1] == ""
    assert len(runs.slack.journal.entries) <= CALLS
    runs.slack.checks.status_cleared()
    runs.slack.faults.always("assistant.threads.setStatus", error("internal_error"))
    runs.slack.faults.next("assistant.threads.setStatus", None)
    await runs.run(runs.asked(), ends=nothing)
    with pytest.raises(AssertionError):
        runs.slack.checks.status_cleared()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("ends", [nothing, fails, is_overtaken])
async def test_whichever_call_goes_wrong(runs: Runs, fault: str, ends: Callable[[], None]) -> None:
    """Each one in turn, the last one too; the run ends as it does without."""
    for number in range(1, CALLS + 1):
        runs.slack.faults.at_call(number, FAULTS[fault])
        try:
            await runs.run(runs.asked(), ends=ends)
        except (RuntimeError, OvertakenError):
            assert ends is not nothing
        runs.slack.checks.status_cleared()


@pytest.mark.parametrize("times", [1, 2])
async def test_wherever_it_is_cancelled(runs: Runs, times: int) -> None:
    """While each call is under way, and once more while the run winds up."""
    for number in range(1, AT_WORK + 1):
        runs.slack.faults.at_call(number, slow(0.2))
        before = len(runs.slack.journal.entries)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(runs.run(runs.asked()))
            await runs.slack.until(
                lambda seen=before, at=number: len(runs.slack.journal.entries) >= seen + at,
                timeout_s=15,
            )
            for _ in range(times):
                running.cancel()
                await asyncio.sleep(0.02)
        runs.slack.checks.status_cleared()


async def test_too_many_calls_leave_no_status(runs: Runs) -> None:
    """Slack lets the first through and limits the rest, but for the last."""
    faults: list[Fault | None] = [None, *[too_many(1)] * 3, None]
    runs.slack.faults.next("chat.appendStream", *faults)
    runs.slack.faults.next("chat.startStream", too_many(1))
    await runs.run(runs.asked(), ends=nothing)
    runs.slack.checks.status_cleared()
