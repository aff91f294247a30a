"""What a run of `ingest` changes is noted with it, and forgotten when it is told: once, and all."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import date
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus import ingest_runs
from core.adapters.postgres.corpus.corpus_changes import PostgresCorpusChanges
from core.adapters.postgres.corpus.ingest_runs import PostgresIngestRuns
from core.adapters.postgres.corpus.withdrawals import PostgresWithdrawals
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.domain.errors import TransientError
from core.domain.officers import Account, Officer, Officers
from core.ingest.changes import CorpusChanges
from core.ingest.prepare import Overrides
from core.ingest.publish import Ingestor
from core.ports.corpus import IngestRunId

ADA = Officer(
    login="ada", name="Ada", accounts=(Account(platform="slack", tenant="T1", person="UADA"),)
)
CHANNEL = Account(platform="slack", tenant="T1", person="C0CASES")
OFFICERS = Officers(all=(ADA,), channel=CHANNEL)
INTERRUPTED = "ingested by console before the run was interrupted"
LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test")
Publish = Callable[..., Any]


def runs_on(
    engine: AsyncEngine, *, by: str = "console", officers: Officers = OFFICERS
) -> PostgresIngestRuns:
    """Return the runs as a process opens them, which somebody runs."""
    changes = PostgresCorpusChanges(engine, ledger=LEDGER, operator=by, officers=officers)
    return PostgresIngestRuns(engine, changes=changes, officers=officers, ids=LEDGER.ids)


@pytest.fixture
def runs(engine: AsyncEngine) -> PostgresIngestRuns:
    """Runs of this process."""
    return runs_on(engine)


@pytest.fixture
async def others(database_url: str) -> AsyncIterator[PostgresIngestRuns]:
    """Runs as another process has them."""
    engine = engine_for(database_url)
    yield runs_on(engine, by="adam")
    await engine.dispose()


@pytest.fixture
def withdrawals(engine: AsyncEngine) -> PostgresWithdrawals:
    """Policies out of force."""
    return PostgresWithdrawals(engine, ledger=LEDGER, operator="console")


@pytest.fixture
def publish(ingestor: Ingestor) -> Publish:
    """Publish policies in a run, or in none."""

    async def publish(run: IngestRunId | None, *names: str) -> None:
        publishing = ingestor if run is None else ingestor.told_by(run)
        for name in names:
            await publishing.ingest(
                f"# {name}\n\n## 1 Rules\n\n1.1 Staff must report {name}.\n".encode(),
                source_name=f"{name}.md",
                given=Overrides(),
                with_chunks=False,
            )

    return publish


async def rows(engine: AsyncEngine, query: str) -> list[Any]:
    async with engine.connect() as connection:
        return list((await connection.execute(text(query))).all())


async def told(engine: AsyncEngine) -> list[tuple[str, str]]:
    """Return the messages: their first lines, and the policies that they name."""
    notices = await rows(engine, "SELECT reply->>'subject' FROM citebound.outbox ORDER BY id")
    records = await rows(
        engine,
        "SELECT actor, doc FROM audit.record WHERE tag = 'corpus:changed' ORDER BY at, id",
    )
    said: list[tuple[str, str]] = []
    for (subject,), record in zip(notices, records, strict=True):
        first, *lines = subject.splitlines()
        keys = [line.split("(")[1].split(")")[0] for line in lines]
        assert [one["policy"] for one in record.doc["policies"]] == keys
        assert record.actor == "console"
        said.append((first, " ".join(keys)))
    return said


async def noted(engine: AsyncEngine) -> int:
    return len(await rows(engine, "SELECT FROM citebound.untold_editions"))


async def test_a_run_tells_once_of_all_that_it_did(
    engine: AsyncEngine,
    runs: PostgresIngestRuns,
    others: PostgresIngestRuns,
    withdrawals: PostgresWithdrawals,
    publish: Publish,
) -> None:
    """In one message; what is published in no run, as by a source, is told by whoever did that."""
    await publish(None, "aside", "old")
    assert await noted(engine) == 0
    async with runs.begun() as run:
        await publish(run, "first", "second")
        await withdrawals.withdraw("old", since=date(2026, 2, 1), reason="gone", run=run)
        await withdrawals.withdraw("aside", since=date(2026, 2, 1), reason="gone")
        assert await noted(engine) == 3
        changes = await runs.tell(run)
        assert [(one.key, one.became) for one in changes.policies] == [
            ("first", "added"),
            ("old", "withdrawn"),
            ("second", "added"),
        ]
        assert (await runs.tell(run)).policies == ()
    assert await others.tell_of_interrupted() == 0
    assert await told(engine) == [("ingested by console", "first old second")]
    assert await noted(engine) == 0


async def test_a_note_is_of_the_transaction_that_changes_something(
    engine: AsyncEngine,
    runs: PostgresIngestRuns,
    withdrawals: PostgresWithdrawals,
    publish: Publish,
) -> None:
    """There is no moment at which one is there without the other."""
    async with runs.begun() as run:
        await publish(run, "first")
        await withdrawals.withdraw("first", since=date(2026, 2, 1), reason="gone", run=run)
    together = await rows(
        engine,
        "SELECT u.xmin = coalesce(v.xmin, w.xmin) AS is_one FROM citebound.untold_editions u"
        " LEFT JOIN citebound.policy_versions v ON v.edition_from = u.edition"
        " LEFT JOIN citebound.withdrawals w ON w.edition = u.edition",
    )
    assert [row.is_one for row in together] == [True, True]


async def test_what_was_interrupted_is_told_by_another(
    engine: AsyncEngine, runs: PostgresIngestRuns, others: PostgresIngestRuns, publish: Publish
) -> None:
    """Not while it goes on; then once, in the name of who ran it, a message a run."""
    async with runs.begun() as run, others.begun() as own:
        await publish(run, "first", "second")
        await publish(own, "third")
        assert await others.tell_of_interrupted() == await runs.tell_of_interrupted() == 0
    assert await told(engine) == []
    assert await others.tell_of_interrupted() == 3
    both = [(INTERRUPTED, "first second"), (INTERRUPTED, "third")]
    assert await told(engine) == both
    assert await others.tell_of_interrupted() == await runs.tell_of_interrupted() == 0
    assert await told(engine) == both


async def test_who_knows_no_officers_leaves_it_to_others(
    engine: AsyncEngine, runs: PostgresIngestRuns, publish: Publish
) -> None:
    """As on a machine where they are not set: nobody would hear of it."""
    async with runs.begun() as run:
        await publish(run, "first")
    assert await runs_on(engine, officers=Officers(all=())).tell_of_interrupted() == 0
    assert await runs.tell_of_interrupted() == 1
    assert await told(engine) == [(INTERRUPTED, "first")]


async def test_a_run_goes_on_though_nothing_came_of_it_for_long(
    engine: AsyncEngine,
    runs: PostgresIngestRuns,
    others: PostgresIngestRuns,
    publish: Publish,
    database_url: str,
) -> None:
    """The server's patience with transactions that idle does not end it."""
    name = database_url.rpartition("/")[2].partition("?")[0]
    async with engine.begin() as connection:
        limit = f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '100ms'"
        await connection.execute(text(limit))
    await engine.dispose()  # it holds for new connections
    async with runs.begun() as run:
        await publish(run, "first")
        await asyncio.sleep(0.5)
        assert await others.tell_of_interrupted() == 0
        assert len((await runs.tell(run)).policies) == 1


async def test_many_that_look_at_once_tell_once(
    engine: AsyncEngine, runs: PostgresIngestRuns, others: PostgresIngestRuns, publish: Publish
) -> None:
    """Whoever comes first."""
    async with runs.begun() as run:
        await publish(run, "first")
    async with asyncio.TaskGroup() as group:
        for each in (runs, others, runs, others):
            group.create_task(each.tell_of_interrupted())
    assert await told(engine) == [(INTERRUPTED, "first")]


async def test_a_run_that_lost_its_lock_tells_nothing_twice(
    engine: AsyncEngine,
    runs: PostgresIngestRuns,
    others: PostgresIngestRuns,
    publish: Publish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another one may tell of it meanwhile, even between its comparison and its message."""
    compare = PostgresCorpusChanges.between
    meanwhile = [others]

    async def overtaken(self: PostgresCorpusChanges, *given: Any) -> CorpusChanges:
        changes = await compare(self, *given)
        if meanwhile:
            assert await meanwhile.pop().tell_of_interrupted() == 1
            await publish(run, "second")
        return changes

    async with runs.begun() as run:
        await publish(run, "first")
        await rows(
            engine,
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        )
        monkeypatch.setattr(PostgresCorpusChanges, "between", overtaken)
        changes = await runs.tell(run)
    assert [one.key for one in changes.policies] == ["second"]
    assert await told(engine) == [(INTERRUPTED, "first"), ("ingested by console", "second")]


async def test_what_could_not_be_told_is_told_later(
    engine: AsyncEngine,
    runs: PostgresIngestRuns,
    publish: Publish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Record, message and note are of one transaction: all of it is done, or nothing."""
    settle = PostgresCorpusChanges.settle

    async def lost(self: PostgresCorpusChanges, *given: Any, **more: Any) -> None:
        await settle(self, *given, **more)
        raise TransientError("the database failed: the connection was lost")

    async with runs.begun() as run:
        await publish(run, "first")
        with monkeypatch.context() as failing:
            failing.setattr(PostgresCorpusChanges, "settle", lost)
            with pytest.raises(TransientError):
                await runs.tell(run)
    assert (await told(engine), await noted(engine)) == ([], 1)
    assert await runs.tell_of_interrupted() == 1
    assert (await told(engine), await noted(engine)) == ([(INTERRUPTED, "first")], 0)


async def test_without_its_lock_a_run_is_told_of_by_others(
    engine: AsyncEngine,
    runs: PostgresIngestRuns,
    others: PostgresIngestRuns,
    publish: Publish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the tests above rely on: the lock alone keeps others from it."""
    held = ingest_runs.held_if_free

    def of_nobody(engine: AsyncEngine, lock: Any, *, name: str) -> Any:
        return held(engine, lock, name=f"{name}:{LEDGER.ids.new()}")

    monkeypatch.setattr(ingest_runs, "held_if_free", of_nobody)
    async with runs.begun() as run:
        await publish(run, "first")
        assert await others.tell_of_interrupted() == 1
