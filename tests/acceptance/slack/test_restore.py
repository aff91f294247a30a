"""A database is restored to a moment: all that was recorded until then is there and intact.

What an anchor knows of later records is found: sealing and verification say what was lost.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.roles import DatabaseRole
from tests.databases import UnrecordedReader, role_of
from tests.kills import balance, quiet
from tests.running import Ended, command
from tests.servers.postgres_pair import Backup, Node, postgres_with_backup
from tests.servers.slack import FakeSlack
from tests.servers.slack.deeds import Said
from tests.slack_processes import Forks, Running, forks

pytestmark = pytest.mark.nightly

QUESTION = "What is the limit for gifts that employees accept from business partners?"
BEFORE, LATER, AFTER = 8, 6, 4
"""Questions until the moment, from then to the loss, and after the restore."""
RECORDS_EACH = 3
"""Of a question at least: received, answered, posted."""
APART_S = 0.5
READY_WITHIN_S, RESTORED_WITHIN_S, SETTLED_WITHIN_S = 60.0, 60.0, 60.0


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
def backup(slack_database: str) -> Iterator[Backup]:
    """A server with the policies, and what restores it."""
    with postgres_with_backup(slack_database) as running:
        yield running


@pytest.fixture
async def tables(backup: Backup) -> AsyncIterator[AsyncEngine]:
    """To look at what the server holds."""
    engine = engine_for(backup.primary.url(), pooled=False)
    yield engine
    await engine.dispose()


async def started(serving: Forks, slack: FakeSlack, server: Node) -> Running:
    """Start a process that Slack knows."""
    running = serving.start(slack, server.url(role=DatabaseRole.APP))
    await running.ready(within_s=READY_WITHIN_S)
    slack.app_url = f"http://127.0.0.1:{running.port}/slack/events"
    return running


async def asked(slack: FakeSlack, engine: AsyncEngine, count: int, people: str) -> list[Said]:
    """Let people ask, each directly, and wait until all is answered."""
    users = [slack.workspace.user(f"{people}{n}") for n in range(count)]
    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(slack.people.ask(one, QUESTION)) for one in users]
    await quiet(engine, within_s=SETTLED_WITHIN_S)
    return [one.result() for one in asking]


async def audit(server: Node, home: Path, *words: str) -> Ended:
    """Run a command of the ledger as its login, with an anchor beside the database."""
    return await command(
        "audit",
        *words,
        home=home,
        DATABASE_URL=server.url(role=role_of(("audit", *words))),
        CITEBOUND_LEDGER_ANCHORS=str(home / "anchor"),
        CITEBOUND_OPERATIONS_PORT="0",
    )


async def sealed(server: Node, home: Path) -> int:
    """Seal what there is, and return how many records are sealed."""
    ended = await audit(server, home, "seal", "--once")
    assert ended.code == 0, ended
    return int(ended.told.split()[0])


async def problems(server: Node, home: Path) -> set[str]:
    """Verify, and return the classes of the problems."""
    ended = await audit(server, home, "verify", "--json")
    found = {one["class"] for one in json.loads(ended.told)["problems"]}
    assert ended.code == (1 if found else 0), ended
    return found


async def intact(url: str) -> int:
    """Assert that every record hashes to what was recorded of it; return how many there are."""
    engine = engine_for(url, pooled=False)
    records = UnrecordedReader(engine)
    lines = await records.list(limit=1_000, outcome=None)
    for line in lines:
        record = await records.show(line.record_id)
        assert record is not None
        assert record.problems == ()
    await engine.dispose()
    return len(lines)


async def restored(backup: Backup, moment: str) -> Node:
    """Restore to a moment, and wait until writes are taken."""
    server = await asyncio.to_thread(backup.restored, moment)
    engine = engine_for(server.url(), pooled=False)
    async with asyncio.timeout(RESTORED_WITHIN_S):
        recovers = text("SELECT pg_is_in_recovery()")
        async with engine.connect() as connection:
            while await connection.scalar(recovers):  # noqa: ASYNC110  # the server's
                await asyncio.sleep(0.05)
    await engine.dispose()
    return server


async def test_the_state_of_a_moment_is_restored(
    serving: Forks, slack: FakeSlack, backup: Backup, tables: AsyncEngine, tmp_path: Path
) -> None:
    """What came later is gone; processes start on it and answer. The ledger goes on once an
    operator says why, and tells of the loss for ever.
    """
    running = await started(serving, slack, backup.primary)
    said = await asked(slack, tables, BEFORE, "before")
    at_first = await sealed(backup.primary, tmp_path)
    assert at_first >= RECORDS_EACH * BEFORE
    async with tables.connect() as connection:
        moment = str(await connection.scalar(text("SELECT clock_timestamp()")))
    await asyncio.sleep(APART_S)
    said += await asked(slack, tables, LATER, "later")
    assert await sealed(backup.primary, tmp_path) >= at_first + RECORDS_EACH * LATER
    assert await problems(backup.primary, tmp_path) == set()
    assert await intact(backup.primary.url()) == BEFORE + LATER
    running.signal(15)
    assert await running.ended() == 0
    await asyncio.to_thread(backup.primary.shut_down)

    server = await restored(backup, moment)
    engine = engine_for(server.url(), pooled=False)
    assert set((await balance(engine)).values()) == {BEFORE}
    assert await intact(server.url()) == BEFORE
    running = await started(serving, slack, server)
    said += await asked(slack, engine, AFTER, "after")
    for words in (("seal",), ("seal", "--once")):
        refused = await audit(server, tmp_path, *words)
        assert (refused.code, "an older backup was restored" in refused.told) == (3, True), refused
    assert await problems(server, tmp_path) == {"anchor-ahead"}
    goes_on = await audit(server, tmp_path, "rebase", "--reason", "restored to before the loss")
    assert (goes_on.code, "The ledger continues" in goes_on.told) == (0, True), goes_on
    said += await asked(slack, engine, LATER, "at-last")
    await sealed(server, tmp_path)
    assert await problems(server, tmp_path) == {"anchor-differs"}
    for one in said:
        slack.checks.one_answer(one.message)
    slack.checks.nothing_twice()
    assert set((await balance(engine)).values()) == {BEFORE + AFTER + LATER}
    assert await intact(server.url()) == BEFORE + AFTER + LATER
    await engine.dispose()
    running.signal(15)
    assert await running.ended() == 0
