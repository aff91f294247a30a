"""Killed at any step, with `kill -9`: nothing is lost, and nothing is answered twice."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from core.adapters.postgres.engine.database import engine_for
from tests.life import Deployment, deploy, prepare
from tests.life_history import broken_promises

ROOT = Path(__file__).parents[3]
WORDS = [[f"m{n}", str(n % 2)] for n in range(4)]
"""Messages of two threads."""
CALLS = 2 * len(WORDS)
KILLS = 1
IN_FLIGHT = 2
"""One call in each thread may be paid for and not yet kept."""
KILLED = -signal.SIGKILL

Trial = Callable[..., int]


@pytest.fixture(scope="module")
def trial() -> Iterator[Trial]:
    """Fork a process that accepts or works until it is done or killed; its exit code."""
    process = subprocess.Popen(  # our own module
        [sys.executable, "-m", "tests.acceptance.life.harness"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def run(**order: object) -> int:
        stdin.write(json.dumps({"failpoint": None, "words": WORDS, **order}) + "\n")
        stdin.flush()
        return int(stdout.readline())

    yield run
    stdin.close()
    process.wait(timeout=10)
    stdout.close()


@pytest.fixture
async def deployment(database_url: str) -> AsyncIterator[Deployment]:
    """To look at what is left; nothing of it runs."""
    engine = engine_for(database_url, pooled=False)
    await prepare(engine)
    yield deploy(engine)
    await engine.dispose()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("failpoint", "stored"), [("F1", 0), ("F2", 0), ("F3", 1)])
async def test_killed_before_the_acknowledgement(
    deployment: Deployment, database_url: str, trial: Trial, failpoint: str, stored: int
) -> None:
    """The platform was told nothing, and delivers again: one row, whatever was committed."""
    killed = await asyncio.to_thread(trial, url=database_url, do="accept", failpoint=failpoint)
    assert killed == KILLED
    assert len(await deployment.rows("SELECT 1 FROM citebound.inbox")) == stored
    for _ in range(2):
        assert await asyncio.to_thread(trial, url=database_url, do="accept") == 0
    assert await asyncio.to_thread(trial, url=database_url, do="work") == 0
    assert await broken_promises(deployment, accepted=len(WORDS)) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("failpoint", ["F4", "F5", "F6", "F7", "F8", "F9"])
async def test_killed_while_working(
    deployment: Deployment, database_url: str, trial: Trial, failpoint: str
) -> None:
    """Another process ends the work, and pays again for no model call but those in flight."""
    assert await asyncio.to_thread(trial, url=database_url, do="accept") == 0
    for _ in range(KILLS):
        killed = await asyncio.to_thread(trial, url=database_url, do="work", failpoint=failpoint)
        assert killed == KILLED
    assert await asyncio.to_thread(trial, url=database_url, do="work") == 0
    assert await broken_promises(deployment, accepted=len(WORDS)) == []
    paid = await deployment.rows("SELECT question FROM paid")
    assert len(paid) <= CALLS + KILLS * IN_FLIGHT
