"""What is due is found by one process at a time, at once, and whatever became of the others."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.queue import work_queue
from core.adapters.postgres.queue.work_queue import POLLED_EVERY_S, SLOTS, PostgresWorkQueue
from core.domain.message import Accepted, Claimed, Waiting
from core.ports import Handler, Handlers
from tests.life import Deployment, deploy, message
from tests.life_history import broken_promises

CLAIMED = (
    "SELECT FROM citebound.conversations FOR NO KEY UPDATE",
    "UPDATE citebound.inbox SET state = 'running', lease_token = gen_random_uuid(),"
    " lease_until = now() + interval '1 min' WHERE NOT is_ahead",
)
"""What a process does that claims, and has not committed yet."""
SILENT = "DROP TRIGGER inbox_due ON citebound.inbox"
KILL_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
LISTENING = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
)


async def change(engine: AsyncEngine, *statements: str) -> None:
    """Run statements."""
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))


async def put(deployment: Deployment, words: str, **more: str) -> str:
    """Accept a message and return its conversation."""
    result = await deployment.intake.accept(message(words, **({"thread": words} | more)))  # pyright: ignore[reportArgumentType]
    assert isinstance(result, Accepted)
    return result.conversation_id


async def nothing(_conversation: str) -> None:
    """Leave what is due."""


@asynccontextmanager
async def queue_of(
    engine: AsyncEngine, *, answer: Handler = nothing, deliver: Handler = nothing
) -> AsyncGenerator["asyncio.Task[None]"]:
    """Run a queue until the block ends."""
    async with asyncio.TaskGroup() as group:
        running = group.create_task(
            PostgresWorkQueue(engine).run(Handlers(answer=answer, deliver=deliver))
        )
        yield running
        running.cancel()


async def test_a_new_message_is_begun_when_it_is_committed(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not when the process looks again by itself, which it does here in an hour."""
    monkeypatch.setattr(work_queue, "POLLED_EVERY_S", 3_600.0)
    begun = asyncio.Event()

    async def begin(_conversation: str) -> None:
        begun.set()

    async with queue_of(deployment.engine, answer=begin):
        async with asyncio.timeout(60):
            await deployment.until(LISTENING)
            await asyncio.sleep(0.2)
            await put(deployment, "a gift")
            await begun.wait()


async def test_what_nobody_was_notified_of_is_found(deployment: Deployment) -> None:
    """Losing every notification loses nothing."""
    await change(deployment.engine, SILENT)
    async with deployment.working():
        await asyncio.sleep(0.3)
        for n in range(3):
            await put(deployment, f"m{n}")
        await deployment.quiet()
    assert await broken_promises(deployment, accepted=3) == []


async def test_a_conversation_is_begun_when_its_first_row_becomes_due(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither earlier nor at the next look: the process waits for that moment."""
    monkeypatch.setattr(work_queue, "POLLED_EVERY_S", 3_600.0)
    await put(deployment, "later")
    await change(deployment.engine, SILENT)
    await change(
        deployment.engine, "UPDATE citebound.inbox SET next_at = now() + interval '700 ms'"
    )
    begun = asyncio.Event()

    async def begin(_conversation: str) -> None:
        begun.set()

    async with queue_of(deployment.engine, answer=begin):
        async with asyncio.timeout(60):
            await begun.wait()
        (row,) = await deployment.rows("SELECT next_at <= now() AS is_due FROM citebound.inbox")
        assert row["is_due"]


async def test_the_work_of_a_killed_process_is_taken_over(deployment: Deployment) -> None:
    """When its lease ends; until then nobody touches the conversation."""
    quick = deploy(deployment.engine, lease_s=1.0)
    thread = await put(quick, "a gift")
    assert isinstance(await quick.backlog.claim(thread), Claimed)
    async with quick.working():
        await asyncio.sleep(0.4)
        assert await quick.rows("SELECT 1 FROM paid") == []
        await quick.quiet()
    assert await broken_promises(quick, accepted=1) == []
    (row,) = await quick.rows("SELECT attempt FROM citebound.inbox")
    assert row["attempt"] == 2


async def test_two_processes_answer_one_conversation_one_after_the_other(
    deployment: Deployment,
) -> None:
    """Also when a report overtakes what is being answered there."""
    threads = {await put(deployment, "m0", thread="t")}
    deployment.reasoner.goes_on.clear()
    async with deployment.working(), deployment.working():
        await deployment.until("SELECT 1 FROM paid")
        report = "My manager takes cash from hauliers."
        threads.add(await put(deployment, report, thread="t"))
        assert len(threads) == 1
        await asyncio.sleep(1.5)
        rows = await deployment.rows("SELECT state, attempt FROM citebound.inbox ORDER BY id")
        assert [tuple(row.values()) for row in rows] == [("running", 1), ("received", 0)]
        deployment.reasoner.goes_on.set()
        await deployment.quiet()


async def test_of_two_claims_at_once_one_waits(deployment: Deployment) -> None:
    """Though there is a row that nobody has leased: a report came between."""
    thread = await put(deployment, "m0", thread="t")
    await put(deployment, "My manager takes cash from hauliers.", thread="t")
    async with asyncio.TaskGroup() as group, deployment.engine.begin() as first:
        for claimed in CLAIMED:
            await first.execute(text(claimed))
        second = group.create_task(deployment.backlog.claim(thread))
        await asyncio.sleep(0.5)
        assert not second.done()
    assert isinstance(second.result(), Waiting)


async def test_an_idle_process_asks_no_more_than_it_must(deployment: Deployment) -> None:
    """Nor does one whose conversations are worked on elsewhere ask for them again and again."""
    for n in range(4):
        thread = await put(deployment, f"m{n}")
        assert isinstance(await deployment.backlog.claim(thread), Claimed)
    seconds = 3.0
    begun: list[str] = []

    async def begin(conversation: str) -> None:
        begun.append(conversation)

    asked = 0
    original = PostgresWorkQueue._begin_due  # pyright: ignore[reportPrivateUsage]

    async def counting(*given: object) -> float:
        nonlocal asked
        asked += 1
        return await original(*given)  # pyright: ignore[reportArgumentType]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PostgresWorkQueue, "_begin_due", counting)
        async with queue_of(deployment.engine, answer=begin):
            await asyncio.sleep(seconds)
    assert begun == []
    assert asked <= 2 * (seconds / POLLED_EVERY_S + 3)


async def test_a_handler_that_raises_is_called_again_later(
    deployment: Deployment, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others go on meanwhile, and what it says is not logged."""
    monkeypatch.setattr(work_queue, "RESTED_S", 0.5)
    broken = await put(deployment, "broken")
    calls: list[str] = []
    again = asyncio.Event()

    async def begin(conversation: str) -> None:
        calls.append(conversation)
        if calls.count(broken) == 2:
            again.set()
        if conversation == broken:
            raise RuntimeError("a gift of 400 euros")
        await deployment.worker.answer(conversation)

    async with queue_of(deployment.engine, answer=begin):
        async with asyncio.timeout(60):
            await put(deployment, "whole")
            await deployment.until("SELECT 1 FROM citebound.inbox WHERE state = 'done'")
            await again.wait()
    assert calls.count(broken) == 2
    assert "answer of a conversation: RuntimeError at test_work_queue.py:" in caplog.text
    assert "400" not in caplog.text


async def test_notifications_are_heard_again_after_the_database_was_lost(
    deployment: Deployment, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections end, the one that listens among them; the process looks, and listens anew."""
    monkeypatch.setattr(work_queue, "RESTARTED_AFTER_S", 0.1)
    killer = engine_for(database_url, pooled=False)
    async with deployment.working():
        await deployment.until(LISTENING)
        for n in range(3):
            await asyncio.sleep(0.2)
            await change(killer, KILL_ALL)
            await put(deployment, f"m{n}")
        await deployment.until(LISTENING)
        await deployment.quiet()
    assert await broken_promises(deployment, accepted=3) == []
    await killer.dispose()


async def test_a_shutdown_lets_what_has_begun_end(deployment: Deployment) -> None:
    """And begins nothing else, however much is due."""
    for n in range(SLOTS["answer"] + 3):
        await put(deployment, f"m{n}")
    deployment.reasoner.goes_on.clear()
    async with deployment.working():
        await deployment.until(
            f"SELECT 1 FROM paid HAVING count(*) = {SLOTS['answer']}"  # noqa: S608  # a constant
        )
        asyncio.get_running_loop().call_later(0.5, deployment.reasoner.goes_on.set)
    rows = await deployment.rows("SELECT state FROM citebound.inbox ORDER BY id")
    states = [row["state"] for row in rows]
    assert states == ["done"] * SLOTS["answer"] + ["received"] * 3


async def test_a_shutdown_does_not_wait_for_ever(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes too long is given back, to be begun again at once."""
    monkeypatch.setattr(work_queue, "DRAINED_WITHIN_S", 0.3)
    await put(deployment, "slow")
    deployment.reasoner.goes_on.clear()
    async with deployment.working():
        await deployment.until("SELECT 1 FROM paid")
    (row,) = await deployment.rows("SELECT state, attempt, lease_until FROM citebound.inbox")
    assert tuple(row.values()) == ("received", 0, None)


async def test_what_is_due_is_found_among_all_that_is_settled(deployment: Deployment) -> None:
    """By an index of what is unfinished: settled rows are not read, however many there are."""
    thread = await put(deployment, "a gift")
    await change(
        deployment.engine,
        "INSERT INTO citebound.inbox (dedupe_key, conversation_id, kind, sent_at, raw, run_salt,"
        " question_id, person, asker, mode, text, state, outcome)"
        " SELECT 'old' || n, conversation_id, kind, sent_at, raw, run_salt, gen_random_uuid(),"
        " person, asker, mode, text, 'done', 'refused'"
        " FROM citebound.inbox, generate_series(1, 5000) AS n",
        "INSERT INTO citebound.outbox (cause, part, conversation_id, reply, person, mode, state,"
        " settled_at) SELECT 'old' || n, 0, conversation_id, '{}', person, mode, 'posted', now()"
        " FROM citebound.inbox, generate_series(1, 5000) AS n WHERE state = 'received'",
        "ANALYZE citebound.inbox",
        "ANALYZE citebound.outbox",
    )
    assert thread
    for query in work_queue._DUE.values():  # pyright: ignore[reportPrivateUsage]
        async with deployment.engine.connect() as connection:
            plan = await connection.execute(
                text(f"EXPLAIN {query.text}"), {"excluded": "{}", "limit": 8}
            )
            lines = "\n".join(plan.scalars())
        assert "Seq Scan on inbox" not in lines, lines
        assert "Seq Scan on outbox" not in lines, lines


HUNG = (
    "INSERT INTO citebound.leases VALUES"
    " ('housekeeping', 'hung', clock_timestamp() + make_interval(secs => :s))"
)
HOLDER = "SELECT holder FROM citebound.leases"
TOLD = "SELECT 1 FROM posts WHERE body = 'notice:busy'"


async def long_waiting(deployment: Deployment) -> Deployment:
    """Store a message that has waited for long, of which housekeeping tells its asker."""
    quick = deploy(deployment.engine, housekeeping_lease_s=0.5)
    await put(quick, "long")
    await change(
        quick.engine,
        "UPDATE citebound.inbox SET received_at = now() - interval '1 h',"
        " next_at = now() + interval '1 h'",
    )
    return quick


async def hold(engine: AsyncEngine, *, seconds: float) -> None:
    """Let somebody hold the lease who doesn't prolong it."""
    async with engine.begin() as connection:
        await connection.execute(text(HUNG), {"s": seconds})


async def test_a_lease_that_nobody_prolongs_is_taken_over(deployment: Deployment) -> None:
    """Its holder stands still, with its connections open: another process goes on."""
    quick = await long_waiting(deployment)
    await hold(quick.engine, seconds=1.0)
    async with quick.working():
        await quick.until(TOLD)
        (row,) = await quick.rows(HOLDER)
        assert row["holder"] != "hung"


async def test_while_it_holds_others_leave_it_to_it(deployment: Deployment) -> None:
    """Not each process looks through the tables."""
    quick = await long_waiting(deployment)
    await hold(quick.engine, seconds=3_600.0)
    async with quick.working():
        await asyncio.sleep(1.5)
        assert await quick.rows(HOLDER) == [{"holder": "hung"}]
        assert await quick.rows("SELECT 1 FROM citebound.outbox") == []
        await change(quick.engine, "UPDATE citebound.leases SET until = now()")
        await quick.until(TOLD)


async def test_it_is_prolonged_while_the_holder_lives(deployment: Deployment) -> None:
    """Of two processes the same one goes on; told to stop, it leaves the lease to the other."""
    quick = deploy(deployment.engine, housekeeping_lease_s=0.5)
    async with quick.working():
        await quick.until(HOLDER)
        (first,) = await quick.rows(HOLDER)
        other = deploy(deployment.engine, housekeeping_lease_s=0.5)
        async with other.working():
            for _ in range(10):
                await asyncio.sleep(0.15)
                assert await quick.rows(HOLDER) == [first]
    assert await quick.rows(HOLDER) == []
