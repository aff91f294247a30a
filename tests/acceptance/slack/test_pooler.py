"""By way of PgBouncer in transaction mode: each transaction may come to another session.

With as few sessions as there are, whatever was left in one would reach somebody else.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import SERVING, engine_for, goes_by_pooler, server_facts
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.engine.schema import newest_revision, open_database
from core.domain.errors import ConfigError
from core.ports import Handlers
from tests.databases import as_role
from tests.kills import LONGEST_LEASE_S, balance, quiet
from tests.life import deploy, message
from tests.running import command
from tests.servers.pgbouncer import PROGRAM, pgbouncer
from tests.servers.slack import FakeSlack
from tests.slack_processes import Forks, forks, let_pass

QUESTION = "What is the limit for gifts that employees accept from business partners?"
POLICY = """# Parking Policy

## 1. Spaces

Visitors must park on level 2. Employees may park on level 3 after 18:00.
"""
SESSIONS = 4
_numbers = count()


@pytest.fixture
def pooled_url(slack_database: str) -> Iterator[str]:
    """The database with policies, by way of few sessions."""
    if PROGRAM is None:
        pytest.skip("pgbouncer absent: install it to test what goes by way of it")
    as_app = as_role(slack_database, DatabaseRole.APP)
    with pgbouncer(as_app, sessions=SESSIONS) as url:
        yield url


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
async def tables(slack_database: str) -> AsyncIterator[AsyncEngine]:
    """To look at what is left, without the pooler."""
    engine = engine_for(slack_database, pooled=False)
    yield engine
    await engine.dispose()


async def test_a_process_serves_and_policies_are_published(
    serving: Forks, slack: FakeSlack, pooled_url: str, tables: AsyncEngine, tmp_path: Path
) -> None:
    """Twelve people ask at once, more than there are sessions; each is answered once."""
    running = serving.start(slack, pooled_url)
    await running.ready()
    slack.app_url = f"http://127.0.0.1:{running.port}/slack/events"
    async with asyncio.TaskGroup() as group:
        asking = [
            group.create_task(slack.people.ask(slack.workspace.user(f"person{n}"), QUESTION))
            for n in range(12)
        ]
    await quiet(tables, within_s=120.0)
    for one in asking:
        said = one.result().message
        assert "Gifts and Hospitality Policy" in str(slack.checks.one_answer(said).blocks)
    assert set((await balance(tables)).values()) == {12}
    policy = tmp_path / "parking.md"
    policy.write_text(POLICY)
    citebound = partial(command, home=tmp_path, DATABASE_URL=pooled_url)
    ended = await citebound("ingest", str(policy))
    assert (ended.code, "1 added" in ended.told) == (0, True), ended
    ended = await citebound("ask", "Where must visitors park?")
    assert (ended.code, "level 2" in ended.told) == (0, True), ended
    assert "by way of a pooler" in " ".join((await citebound("doctor")).told.split())
    running.signal(15)
    assert await running.ended() == 0


async def test_killed_at_work(
    serving: Forks, slack: FakeSlack, pooled_url: str, tables: AsyncEngine
) -> None:
    """Another process takes over: what it looks for is in the tables, not in a session."""
    running = serving.start(slack, pooled_url, failpoint="F6")
    await running.ready()
    slack.app_url = f"http://127.0.0.1:{running.port}/slack/events"
    said = await slack.people.ask(slack.workspace.user("anna"), QUESTION)
    assert await running.ended() == -9
    await let_pass(tables, seconds=LONGEST_LEASE_S)
    again = serving.start(slack, pooled_url)
    await quiet(tables, within_s=60.0)
    slack.checks.one_answer(said.message)
    assert set((await balance(tables)).values()) == {1}
    again.signal(9)
    await again.ended()


async def test_limits_hold_for_each_transaction_and_leave_nothing_behind(pooled_url: str) -> None:
    """A session is told nothing that the next client would inherit."""
    show = text("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')")
    async with open_database(pooled_url, limits=SERVING) as engine:
        assert goes_by_pooler(engine)
        for level, expected in (
            ("READ COMMITTED", ("10s", "2s")),
            ("REPEATABLE READ", ("10s", "2s")),
            ("AUTOCOMMIT", ("0", "0")),
        ):
            async with engine.execution_options(isolation_level=level).connect() as connection:
                for _ in range(10):
                    assert tuple((await connection.execute(show)).one()) == expected
    async with open_database(pooled_url) as engine, engine.connect() as connection:
        assert tuple((await connection.execute(show)).one()) == ("0", "0")


async def test_a_server_itself_is_no_pooler(slack_database: str) -> None:
    """There the limits are the session's, and workers are notified of new rows."""
    async with open_database(slack_database, limits=SERVING) as engine:
        assert not goes_by_pooler(engine)


async def test_an_empty_database_is_migrated(server_url: str) -> None:
    """Two starts at once; the schema is whole, and no setting of the migrations stays."""
    if PROGRAM is None:
        pytest.skip("pgbouncer absent: install it to test what goes by way of it")
    name = f"pooled_{os.getpid()}_{next(_numbers)}"
    admin = engine_for(server_url, pooled=False).execution_options(isolation_level="AUTOCOMMIT")
    async with admin.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
    direct = make_url(server_url).set(database=name).render_as_string(hide_password=False)

    async def start(url: str) -> None:
        async with open_database(url) as engine:
            assert (await server_facts(engine)).revision == newest_revision()
            async with engine.connect() as connection:
                assert await connection.scalar(text("SHOW client_min_messages")) == "notice"

    with pgbouncer(direct, sessions=SESSIONS) as url:
        async with asyncio.timeout(120), asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(start(url))
    async with admin.connect() as connection:
        await connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    await admin.dispose()


async def test_a_worker_is_not_notified_but_looks(pooled_url: str, tables: AsyncEngine) -> None:
    """Nobody listens by way of a pooler: the session would be another client's by then."""
    listening = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    found = asyncio.Event()

    async def begin(_conversation: str) -> None:
        found.set()

    async def idle(_conversation: str) -> None:
        raise AssertionError("nothing is to be posted")

    async with open_database(pooled_url, limits=SERVING) as engine:
        deployment = deploy(engine)
        async with asyncio.TaskGroup() as group:
            working = group.create_task(deployment.queue.run(Handlers(answer=begin, deliver=idle)))
            await asyncio.sleep(1.0)
            async with tables.connect() as connection:
                assert await connection.scalar(listening) == 0
            await deployment.intake.accept(message("a gift"))
            async with asyncio.timeout(20):
                await found.wait()
            working.cancel()


async def test_options_in_the_url_are_refused_in_one_line(pooled_url: str) -> None:
    """A pooler takes none; the message is its own."""
    with pytest.raises(ConfigError, match=r"can't be reached.*options") as caught:
        async with open_database(f"{pooled_url}?options=-csearch_path%3Dx"):
            pass
    assert "\n" not in str(caught.value)
