"""What is told to end ends: on Python 3.11 a wait that is over may swallow that."""

import asyncio
from contextlib import suppress

import pytest

from core.domain.errors import OvertakenError
from core.leases import renewed
from tests.life import Deployment


@pytest.mark.parametrize("fails_too", [False, True])
async def test_a_lease_lets_itself_be_cancelled(*, fails_too: bool) -> None:
    """Also where it is lost at that very moment: a shutdown must not be forgotten."""

    async def renew() -> None:
        if fails_too:
            raise OvertakenError

    async def work() -> None:
        look = asyncio.Event()
        async with renewed(renew, look=look):
            inside.set()
            try:
                await asyncio.sleep(30)
            finally:
                look.set()
                await asyncio.sleep(0.01)

    inside = asyncio.Event()
    task = asyncio.ensure_future(work())  # noqa: TID251  # cancelled below
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_lease_ends_whose_renewal_swallows_that_it_is_to_end() -> None:
    """Else it would be renewed for ever, and the conversation never answered."""
    renewing = asyncio.Event()
    look = asyncio.Event()
    look.set()

    async def renew() -> None:
        renewing.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(30)

    async with asyncio.timeout(60), renewed(renew, look=look):
        await renewing.wait()


async def test_a_worker_that_has_just_begun_can_be_stopped(deployment: Deployment) -> None:
    """At any moment: while it connects, while it looks for what to rescue."""
    for delay_s in (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2):
        async with asyncio.timeout(60), deployment.working():
            await asyncio.sleep(delay_s)
        # A pool that was left half open would keep the process from ending.
        assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("pool-")]
