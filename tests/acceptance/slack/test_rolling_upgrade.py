"""Processes are exchanged for those of the next release, and back, while people ask.

The next release is this one with one migration more, which says what it suits. Where the history of
the repository is there, a release before this one is taken from it as well.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for, server_facts
from core.adapters.postgres.engine.schema import MIGRATIONS, newest_revision
from tests.kills import balance, quiet
from tests.servers.slack import FakeSlack
from tests.servers.slack.deeds import Said
from tests.slack_processes import ROOT, Forks, Running, forks

QUESTION = "What is the limit for gifts that employees accept from business partners?"
NEXT = "9999_next"
MIGRATION = """
from alembic import op

revision, down_revision = "{revision}", "{before}"


def upgrade() -> None:
    op.execute("ALTER TABLE citebound.inbox ADD COLUMN of_the_next_release text")
    op.execute("INSERT INTO citebound.schema_compatibility VALUES ('{revision}', '{oldest}')")


def downgrade() -> None:
    op.execute("DELETE FROM citebound.schema_compatibility WHERE revision = '{revision}'")
    op.execute("ALTER TABLE citebound.inbox DROP COLUMN of_the_next_release")
"""
PHASES = 4
EVERY_S = 0.2
READY_WITHIN_S, SETTLED_WITHIN_S = 60.0, 600.0
LOOKED_FOR_S = 2.0
"""Twice as long as the queue takes to look again."""


def next_release(folder: Path, *, oldest: str) -> Path:
    """Make a checkout of the next release, whose schema suits releases from `oldest` on."""
    for name in ("bot", "core", "tests", "samples"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(MIGRATIONS, folder / "migrations")
    words = MIGRATION.format(revision=NEXT, before=newest_revision(), oldest=oldest)
    (folder / "migrations" / "versions" / f"{NEXT}.py").write_text(words)
    return folder


def release_before(folder: Path) -> Path:
    """Take the last commit that does not know our newest migration from the history."""
    newest = f"migrations/versions/{newest_revision()}.py"
    git = ["git", "-C", str(ROOT)]
    asked = [*git, "log", "--diff-filter=A", "--format=%H", "-1", "--", newest]
    added = subprocess.run(asked, check=False, capture_output=True, text=True)  # noqa: S603
    if not added.stdout.strip():
        pytest.skip("history absent: take a whole clone to test against the release before")
    packed = subprocess.run(  # noqa: S603  # our own words
        [*git, "archive", f"{added.stdout.strip()}^"], check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], check=True, input=packed.stdout)  # noqa: S603, S607
    return folder


async def migrated(root: Path, url: str, *, by: str = "migrate") -> tuple[int | None, str]:
    """Run a command of a release that migrates; return its exit code and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *by.split()),
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "DATABASE_URL": url},  # noqa: TID251
        stdout=PIPE,
        stderr=PIPE,
    )
    told, warned = await process.communicate()
    return process.returncode, told.decode() + warned.decode()


@pytest.fixture
async def tables(slack_database: str) -> AsyncIterator[AsyncEngine]:
    """To look at what is left."""
    engine = engine_for(slack_database, pooled=False)
    yield engine
    await engine.dispose()


def two_of(release: Forks, slack: FakeSlack, url: str, **more: Any) -> list[Running]:
    """Start two processes of a release."""
    return [release.start(slack, url, **more) for _ in range(2)]


async def ready(running: list[Running]) -> None:
    """Wait until all are."""
    for one in running:
        await one.ready(within_s=READY_WITHIN_S)


async def says(running: Running, status: int, words: str) -> None:
    """Wait until it says that of its readiness."""
    async with asyncio.timeout(READY_WITHIN_S):
        while True:
            with suppress(ClientError):
                told = await running.told("readyz")
                if told[0] == status and words in told[1]:
                    return
            await asyncio.sleep(0.05)


async def asked(slack: FakeSlack, running: list[Running], count: int, people: str) -> list[Said]:
    """Let different people ask, each directly; processes take them by turns."""
    asking: list[asyncio.Task[Said]] = []
    async with asyncio.TaskGroup() as group:
        for n in range(count):
            slack.app_url = f"http://127.0.0.1:{running[n % len(running)].port}/slack/events"
            person = slack.workspace.user(f"{people}{n}")
            asking.append(group.create_task(slack.people.ask(person, QUESTION)))
            await asyncio.sleep(EVERY_S)
    return [one.result() for one in asking]


async def answered_by(running: list[Running]) -> int:
    """Return how many questions they have answered."""
    told = [(await one.told("metrics"))[1].splitlines() for one in running]
    counts = (line for lines in told for line in lines if "outcomes_total{" in line)
    return sum(int(float(line.rpartition(" ")[2])) for line in counts)


async def stopped(running: list[Running]) -> None:
    """Tell all to stop, and wait until they have given back what they had begun."""
    for one in running:
        one.signal(signal.SIGTERM)
    for one in running:
        assert await one.ended(within_s=READY_WITHIN_S) == 0


async def each_answered_once(slack: FakeSlack, tables: AsyncEngine, said: list[Said]) -> None:
    """Assert that every question was taken, and has one answer and one of each row."""
    await quiet(tables, within_s=SETTLED_WITHIN_S)
    assert all(one.acknowledged for one in said)
    for one in said:
        slack.checks.one_answer(one.message)
    slack.checks.nothing_twice()
    assert set((await balance(tables)).values()) == {len(said)}


@pytest.mark.parametrize(
    "count", [20, pytest.param(200, marks=[pytest.mark.nightly, pytest.mark.timeout(1_800)])]
)
async def test_there_and_back(
    slack: FakeSlack, slack_database: str, tables: AsyncEngine, tmp_path: Path, count: int
) -> None:
    """New processes wait for the schema, both work beside each other, old ones start again."""
    root, part = next_release(tmp_path, oldest=newest_revision()), count // PHASES
    with forks() as ours, forks(root) as theirs:
        old = two_of(ours, slack, slack_database, migrate="never")
        await ready(old)
        async with asyncio.TaskGroup() as group:
            asking = [group.create_task(asked(slack, old, part, "first"))]
            new = two_of(theirs, slack, slack_database, migrate="never")
            await says(new[0], 503, "waiting for `citebound migrate`")
            assert (await migrated(root, slack_database))[0] == 0
            await ready(new)
        said = asking[0].result() + await asked(slack, [*old, *new], part, "second")
        await quiet(tables, within_s=SETTLED_WITHIN_S)
        assert await answered_by(old) > 0
        assert await answered_by(new) > 0
        async with asyncio.TaskGroup() as group:
            asking = [group.create_task(asked(slack, new, part, "third"))]
            await stopped(old)
            back = two_of(ours, slack, slack_database, migrate="never")
            await ready(back)
        async with asyncio.TaskGroup() as group:
            asking.append(group.create_task(asked(slack, back, part, "fourth")))
            await stopped(new)
        said += [one for task in asking for one in task.result()]
        await each_answered_once(slack, tables, said)
        await stopped(back)


async def test_an_older_release_begins_nothing_in_a_schema_that_does_not_suit_it(
    slack: FakeSlack, slack_database: str, tables: AsyncEngine, tmp_path: Path
) -> None:
    """It is not ready and does not start; what it had taken is answered by the newer one."""
    root = next_release(tmp_path, oldest=NEXT)
    with forks() as ours, forks(root) as theirs:
        old = two_of(ours, slack, slack_database)
        await ready(old)
        assert (await migrated(root, slack_database))[0] == 0
        await says(old[0], 503, f"the database is at migration {NEXT}")
        said = await asked(slack, old, 2, "person")
        await asyncio.sleep(LOOKED_FOR_S)
        async with tables.connect() as connection:
            found = await connection.execute(text("SELECT state, attempt FROM citebound.inbox"))
            assert {tuple(row) for row in found} == {("received", 0)}
        code, told = await migrated(ROOT, slack_database)
        assert (code, "does not know: upgrade Citebound" in told) == (3, True), told
        again = ours.start(slack, slack_database)
        assert await again.ended() == 1
        new = two_of(theirs, slack, slack_database)
        await ready(new)
        await each_answered_once(slack, tables, said)
        await stopped([*old, *new])


@pytest.mark.nightly
async def test_the_release_before_works_beside_this_one_or_refuses(
    slack: FakeSlack, slack_database: str, tables: AsyncEngine, tmp_path: Path
) -> None:
    """As our newest migration says; it is the code of then, not ours."""
    root = release_before(tmp_path)
    before = max(path.stem for path in (root / "migrations" / "versions").glob("[0-9]*.py"))
    facts = await server_facts(tables)
    if facts.oldest_release is None or facts.oldest_release > before:
        code, told = await migrated(root, slack_database, by="corpus summary")
        assert (code, "upgrade Citebound" in told) == (3, True), told
        return
    with forks(root) as theirs, forks() as ours:
        running = [*two_of(theirs, slack, slack_database), *two_of(ours, slack, slack_database)]
        await ready(running)
        said = await asked(slack, running, 40, "person")
        await each_answered_once(slack, tables, said)
        assert await answered_by(running[:2]) > 0
        await stopped(running)
