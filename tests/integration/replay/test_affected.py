"""A publication finds the answers that rest on what it changed, each once."""

import asyncio
from datetime import date
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.record.affected import PostgresAffectedAnswers
from core.bootstrap import Service
from tests.integration.replay.conftest import GIFTS, Ask, Publish


@pytest.fixture
def listed(engine: AsyncEngine) -> Any:
    """Read the officers' view."""

    async def run() -> list[Any]:
        query = "SELECT * FROM audit.v_answers_affected_by_change ORDER BY answered_at, section"
        async with engine.connect() as connection:
            return list((await connection.execute(text(query))).all())

    return run


async def compare(service: Service, day: date | None = None) -> int:
    """Compare past answers with what holds now."""
    return await service.affected.compare(on_day=day or service.clock.now().date())


LIMIT = "May employees accept a gift worth EUR 40?"


async def test_changed_words(service: Service, ask: Ask, publish: Publish, listed: Any) -> None:
    """An answer whose quote has other words now is affected, once."""
    reply = await ask(LIMIT)
    assert reply.answer.citations
    await ask("When must I report a gift?", thread="berta")
    await publish(GIFTS.replace("up to EUR 50", "up to EUR 30"))

    assert await compare(service) >= 1
    assert await compare(service) == 0
    (row,) = [one for one in await listed() if one.change == "changed"]

    assert str(row.record_id) == reply.receipt.record_id
    assert (row.edition, row.policy, row.section) == (2, "gifts", "2.1")
    assert (row.old_version, row.new_version) == ("1", "2")
    assert not row.still_holds
    assert row.notified_at is None


async def test_moved_section(service: Service, ask: Ask, publish: Publish, listed: Any) -> None:
    """A section that only moved, or is numbered anew, affects nothing."""
    await ask(LIMIT)
    await publish(
        GIFTS.replace("## 1 Scope", "## 1 Purpose\n\n1.1 We are fair.\n\n## 2 Scope")
        .replace("1.1 This", "2.1 This")
        .replace("## 2 Limits", "## 3 Limits")
        .replace("2.1 Employees may", "3.1 Employees may")
        .replace("2.2 Emp", "3.2 Emp")
        .replace("2.3 Con", "3.3 Con")
        .replace("## 3 Cash", "## 4 Cash")
        .replace("3.1 Employees must not", "4.1 Employees must not")
    )

    assert await compare(service) == 0
    assert await listed() == []


async def test_added_exception(service: Service, ask: Ask, publish: Publish, listed: Any) -> None:
    """An answer is affected where an exception was added beside what it quotes."""
    await ask(LIMIT)
    await publish(
        GIFTS.replace(
            "2.3 Contractors",
            "2.3 Paragraph 2.1 does not apply to gifts from public officials.\n\n2.4 Contractors",
        )
    )

    assert await compare(service) == 1
    (row, *_) = await listed()
    assert (row.change, row.still_holds) == ("amended", True)


async def test_withdrawn(service: Service, ask: Ask, listed: Any) -> None:
    """An answer is affected from the day on which its policy is withdrawn."""
    await ask(LIMIT)
    today = service.clock.now().date()
    later = date(today.year + 1, 1, 1)
    await service.withdrawals.withdraw("gifts", since=later, reason="replaced")

    assert await compare(service) == 0
    assert await compare(service, later) == 1
    (row, *_) = await listed()
    assert (row.change, row.new_version, row.still_holds) == ("withdrawn", None, False)


async def test_a_kill_repeats_nothing_and_leaves_nothing_out(
    service: Service, ask: Ask, publish: Publish, listed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on does so behind the last batch that was committed; two at once are one."""
    monkeypatch.setattr("core.adapters.postgres.record.affected.BATCH", 1)
    for thread in "abcd":
        await ask(LIMIT, thread=thread)
    await publish(GIFTS.replace("up to EUR 50", "up to EUR 30"))
    record, begun = PostgresAffectedAnswers._record, 0  # pyright: ignore[reportPrivateUsage]

    async def dies(*given: Any) -> None:
        nonlocal begun
        begun += 1
        await record(*given)
        if begun == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(PostgresAffectedAnswers, "_record", dies)
    with pytest.raises(KeyboardInterrupt):
        await compare(service)
    assert len({row.record_id for row in await listed()}) == 2
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(compare(service))
    rows = [row for row in await listed() if row.change == "changed"]
    assert len(rows) == len({row.record_id for row in rows}) == 4


async def test_whoever_only_looks_ends_no_comparison(
    *,
    service: Service,
    ask: Ask,
    publish: Publish,
    listed: Any,
    engine: AsyncEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else both would leave the rest to each other."""
    monkeypatch.setattr("core.adapters.postgres.record.affected.BATCH", 1)
    for thread in "abc":
        await ask(LIMIT, thread=thread)
    await publish(GIFTS.replace("up to EUR 50", "up to EUR 30"))
    record = PostgresAffectedAnswers._record  # pyright: ignore[reportPrivateUsage]
    begun = False

    async def looks() -> None:
        async with engine.begin() as connection:
            await connection.execute(text("SELECT FROM citebound.comparisons FOR UPDATE"))
            await asyncio.sleep(0.3)

    async def records(*given: Any) -> None:
        nonlocal begun
        await record(*given)
        if not begun:
            begun = True
            group.create_task(looks())
            await asyncio.sleep(0.3)  # the other one stands in line now

    monkeypatch.setattr(PostgresAffectedAnswers, "_record", records)
    async with asyncio.TaskGroup() as group:
        assert await compare(service) == 3
    assert len({row.record_id for row in await listed()}) == 3
