"""A stop waits for what goes on after Slack was answered."""

import asyncio

from bot.slack.web.background_tasks import Underway


async def test_what_has_begun_ends_first() -> None:
    """Also what was begun in the same moment, and has not taken its first step."""
    underway, done = Underway(), list[str]()

    async def work() -> None:
        with underway.held(), underway.held():
            await asyncio.sleep(0.01)
            done.append("done")

    async with asyncio.TaskGroup() as group:
        group.create_task(work())
        await underway.ended()
        assert done == ["done"]


async def test_what_takes_too_long_is_cancelled_and_closes_what_it_holds() -> None:
    """Nothing is left that would use a closed database."""
    underway, closed = Underway(), list[str]()

    async def work() -> None:
        with underway.held():
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.01)
                closed.append("closed")

    async with asyncio.TaskGroup() as group:
        group.create_task(work())
        await underway.ended(within_s=0.01)
        assert closed == ["closed"]


async def test_nothing_has_begun() -> None:
    """Nothing is waited for."""
    await Underway().ended()
