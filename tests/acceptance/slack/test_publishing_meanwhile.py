"""A policy is published while the bot runs: nobody has to stop it for that."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.databases import login_variables
from tests.kills import quiet
from tests.servers.slack import FakeSlack
from tests.slack_processes import Forks, forks

ROOT = Path(__file__).parents[3]
POLICY = """# Parking Policy

## 1. Spaces

Visitors must park on level 2. Employees may park on level 3 after 18:00.
"""


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
async def tables(slack_database: str) -> AsyncIterator[AsyncEngine]:
    """To look at what is left."""
    engine = engine_for(slack_database, pooled=False)
    yield engine
    await engine.dispose()


async def ingested(database_url: str, policy: Path) -> tuple[int, str]:
    """Run the command; return its exit code and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "ingest", str(policy)),
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],  # noqa: TID251  # of the test's own process
            "HOME": str(policy.parent),
            "PYTHONPATH": str(ROOT),
            **login_variables(database_url),
        },
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        async with asyncio.timeout(60):
            told, warned = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, told.decode() + warned.decode()


async def test_ingest_waits_for_no_process_that_runs(
    serving: Forks, slack: FakeSlack, slack_database: str, tables: AsyncEngine, tmp_path: Path
) -> None:
    """Beside `serve`, of which one rescues, and `work`; what was published is answered from."""
    first = serving.start(slack, slack_database)
    second = serving.start(slack, slack_database, roles={"serves": False})
    await first.ready()
    slack.app_url = f"http://127.0.0.1:{first.port}/slack/events"
    policy = tmp_path / "parking.md"
    policy.write_text(POLICY)
    code, told = await ingested(slack_database, policy)
    assert code == 0, told
    assert "1 added" in told
    assert "waiting" not in told
    said = await slack.people.ask(slack.workspace.user("anna"), "Where must visitors park?")
    await quiet(tables, within_s=60.0)
    assert "level 2" in str(slack.checks.one_answer(said.message).blocks)
    for running in (first, second):
        running.signal(9)
        await running.ended()
