"""A stop waits for what goes on after Slack was answered."""

import asyncio

from bot.background_tasks import ForeignTasks


async def test_what_has_begun_ends_first() -> None:
    """Also what was begun in the same moment, and has not taken its first step."""
    tasks, done = ForeignTasks(), list[str]()

    async def work() -> None:
        with tasks.held(), tasks.held():
            await asyncio.sleep(0.01)
            done.append("done")

    async with asyncio.TaskGroup() as group:
        group.create_task(work())
        await tasks.ended()
        assert done == ["done"]


async def test_what_takes_too_long_is_cancelled_and_closes_what_it_holds() -> None:
    """Nothing is left that would use a closed database."""
    tasks, closed = ForeignTasks(), list[str]()

    async def work() -> None:
        with tasks.held():
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.01)
                closed.append("closed")

    async with asyncio.TaskGroup() as group:
        group.create_task(work())
        await tasks.ended(within_s=0.01)
        assert closed == ["closed"]


async def test_nothing_has_begun() -> None:
    """Nothing is waited for."""
    await ForeignTasks().ended()
