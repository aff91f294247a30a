"""How long a question waits whose process stands still: until another one has answered it.

    python -m tests.evals.bench_hung

Two processes of `citebound serve`, as in `bench_slack`, at the times of production. The one that
rescues takes a question, and then its event loop stands still, in each of three ways: in a call, in
Python, in a regular expression. Its connections stay open. Printed is also how long it took until
it ended itself.
"""

import argparse
import asyncio
import time

import psutil
from sqlalchemy import text

from bot.app.watchdog import EXIT_STILL
from tests.evals.bench_slack import World, world
from tests.evals.platform_bench import QUESTIONS, busy, end, postgres
from tests.slack_processes import Forks, Running, forks

WAYS = ("sleep", "loop", "regex")
TAKEN = "SELECT count(*) FROM citebound.inbox WHERE state = 'running'"
RESCUING = "SELECT count(*) FROM citebound.leases"
GIVEN_UP_AFTER_S = 300.0


async def measure(here: World, how: str) -> None:
    """Let one process hang, and print when its question was answered and when it had ended."""
    before = busy()
    async with here.tables.engine.begin() as connection:
        await connection.execute(text("DELETE FROM citebound.leases"))
    still = await here.start(failpoint="F4", stand_still=how)
    while not await here.tables.count(RESCUING):  # noqa: ASYNC110  # another process
        await asyncio.sleep(0.05)
    here.point_to(still)
    said = await here.slack.people.ask(here.slack.workspace.user(f"{how}er"), QUESTIONS[0])
    while not await here.tables.count(TAKEN):  # noqa: ASYNC110  # another process
        await asyncio.sleep(0.02)
    began = time.monotonic()
    other = await here.start()
    async with asyncio.TaskGroup() as group:
        ending = group.create_task(_ended(still, began))
        await here.tables.quiet(within_s=GIVEN_UP_AFTER_S)
        answered_s = time.monotonic() - began
    code = await still.ended()
    answers = len(here.slack.checks.replies(said.message))
    how_it_ended = "by itself" if code == EXIT_STILL else f"with {code}"
    print(
        f"stands still ({how}): answered by another process after {answered_s:.1f} s,"
        f" {answers} answer; ended {how_it_ended} after {ending.result():.1f} s; before: {before}"
    )
    await end(other)


async def _ended(running: Running, began: float) -> float:
    """Return after how many seconds a process had ended, for which nobody has waited yet."""
    async with asyncio.timeout(GIVEN_UP_AFTER_S):
        while psutil.Process(running.pid).status() != psutil.STATUS_ZOMBIE:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return time.monotonic() - began


async def run(serving: Forks, url: str) -> None:
    """Measure each way."""
    async with world(serving, url) as here:
        for how in WAYS:
            await measure(here, how)


def main() -> None:
    """Measure."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with forks() as serving, postgres() as url:
        asyncio.run(run(serving, url))


if __name__ == "__main__":
    main()
