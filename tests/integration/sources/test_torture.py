"""Sources that misbehave: killed in the middle, two at once, changed while read, begun anew."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.sources.checks import check_sources
from bot.doctor_check import Status
from core.adapters.system import SystemClock
from core.domain.errors import (
    BusyError,
    ConfigError,
    OccupiedError,
    OvertakenError,
    TransientError,
)
from core.sources import sync
from core.sources.connector import ChangePage, ListingEnd, SourceItem
from tests.integration.sources.desk import (
    Desk,
    ScriptedSource,
    an_hour_passes,
    connecting_to,
    desk_on,
    in_force,
    policy,
    source_of,
    tags,
)

NAMES = [f"p{number:02}" for number in range(12)]


class Odd(ScriptedSource):
    """Does something while a document is fetched, or lists nothing for a token."""

    on_fetch: Any = None
    is_lister_of_changes = False

    async def fetch(self, item: SourceItem, /) -> bytes:
        """Do it, and return the document."""
        if self.on_fetch is not None:
            await self.on_fetch(item)
        return await super().fetch(item)

    async def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """List all without a token; with one, nothing, until it has expired."""
        if since == "fresh":
            yield ListingEnd(token="fresh", is_whole=False)  # noqa: S106
            return
        async for part in super().changes(since=since, cursor=cursor):
            token = "fresh" if self.is_lister_of_changes else None
            yield ListingEnd(token=token, is_whole=True) if isinstance(part, ListingEnd) else part


@pytest.fixture
async def odd(engine: AsyncEngine, tmp_path: Any) -> tuple[Desk, Odd]:
    """A source of a dozen policies, all for everyone."""
    script = Odd(texts={name: policy(name.title()) for name in NAMES}, readers=dict.fromkeys(NAMES))
    desk = desk_on(engine, connecting_to(script))
    await desk.store.add(source_of(tmp_path))
    return desk, script


async def versions(engine: AsyncEngine) -> int:
    """Count all versions that were ever published."""
    async with engine.connect() as connection:
        query = text("SELECT count(*) FROM citebound.policy_versions")
        return int(await connection.scalar(query) or 0)


async def killed_in(method: str, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Synchronise in a process that is killed in a method of the store, and gives nothing back."""

    async def dies(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    async def nothing(*_: Any, **__: Any) -> None:
        pass

    with monkeypatch.context() as patched:
        patched.setattr(desk.store, method, dies)
        patched.setattr(desk.store, "release", nothing)
        with pytest.raises(KeyboardInterrupt):
            await desk.sync.sync("house")


async def test_killed_in_the_middle(
    odd: tuple[Desk, Odd], engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on once the lease is over reads each document once, and tells of all."""
    desk, script = odd

    async def dies(item: SourceItem) -> None:
        if item.item_id == "p06":
            raise KeyboardInterrupt

    async def nothing(*_: Any, **__: Any) -> None:
        """A killed process gives nothing back."""

    script.on_fetch = dies
    monkeypatch.setattr(desk.store, "release", nothing)
    with pytest.raises(KeyboardInterrupt):
        await desk.sync.sync("house")
    script.on_fetch = None
    with pytest.raises(OccupiedError):
        await desk.sync.sync("house")
    assert len(await in_force(engine)) == 6
    await an_hour_passes(engine)
    report = await desk.sync.sync("house")
    assert script.fetched == NAMES
    assert await versions(engine) == 12
    assert len(report.compared.policies) == 12


async def test_two_at_once(odd: tuple[Desk, Odd], engine: AsyncEngine) -> None:
    """One of them does it, the other one is told to wait."""
    desk, script = odd
    async with asyncio.TaskGroup() as group:

        async def one() -> str:
            try:
                return str((await desk.sync.sync("house")).added)
            except OccupiedError:
                return "occupied"

        both = [group.create_task(one()) for _ in range(2)]
    assert sorted(task.result() for task in both) == ["12", "occupied"]
    assert (script.fetched, await versions(engine)) == (NAMES, 12)


async def test_a_document_that_changes_while_it_is_read(
    odd: tuple[Desk, Odd], engine: AsyncEngine
) -> None:
    """The newer text is stored under the older version, and once only."""
    desk, script = odd

    async def changes(item: SourceItem) -> None:
        if item.item_id == "p03":
            script.texts["p03"] = policy("P03", 99)

    script.on_fetch = changes
    await desk.sync.sync("house")
    report = await desk.sync.sync("house")
    assert (report.revised, report.failed) == (0, 0)
    assert await versions(engine) == 12


async def test_all_gone_or_a_token_that_has_expired(
    odd: tuple[Desk, Odd], engine: AsyncEngine
) -> None:
    """A listing from the beginning reads nothing twice; one of nothing withdraws nothing."""
    desk, script = odd
    script.is_lister_of_changes = True
    await desk.sync.sync("house")
    assert (await desk.sync.sync("house")).unchanged == 0
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.sources SET token = 'expired'"))
    assert (await desk.sync.sync("house")).unchanged == 12
    assert script.fetched == NAMES

    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.sources SET token = 'expired'"))
    kept, script.texts = script.texts, {}
    report = await desk.sync.sync("house")
    assert (report.withdrawn, len(report.held_back)) == ((), 12)
    script.texts = kept
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.sources SET token = 'expired'"))
    assert (await desk.sync.sync("house")).held_back == ()
    assert len(await in_force(engine)) == 12


async def test_doctor_tries_each_source(odd: tuple[Desk, Odd]) -> None:
    """Cause and cure in a line; without `--live`, what the last attempt came to."""
    desk, script = odd

    async def found(*, is_live: bool) -> tuple[Status, str, str]:
        connect = connecting_to(script)
        (one,) = [one async for one in check_sources(desk.store, connect, is_live=is_live)]
        return one.health, one.found, one.cure

    assert (await found(is_live=False))[0] is Status.MISSING
    await desk.sync.sync("house")
    assert (await found(is_live=False))[0] is Status.FINE
    assert (await found(is_live=True))[:2] == (Status.FINE, "folder: scripted")
    script.fails = ConfigError("the token has ended: set a new one")
    assert await found(is_live=True) == (Status.BROKEN, "the token has ended", "set a new one")
    script.fails = TransientError("503")
    assert await found(is_live=True) == (Status.BROKEN, "503", "")
    with pytest.raises(TransientError):
        await desk.sync.sync("house")
    assert (await found(is_live=False))[0] is Status.BROKEN


async def test_a_lease_is_kept_while_a_long_document_is_read(
    odd: tuple[Desk, Odd], engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is renewed meanwhile; once another process has it, nothing more is done under it."""
    desk, script = odd
    monkeypatch.setattr(sync, "LEASE_RENEWED_EVERY_S", 0.02)
    left_s = text("SELECT extract(epoch FROM leased_until - now()) FROM citebound.sources")
    ends = text("UPDATE citebound.sources SET leased_until = now() + interval '5 s'")
    lost = text("UPDATE citebound.sources SET lease = gen_random_uuid()")

    async def is_long(item: SourceItem) -> None:
        async with engine.begin() as connection:
            await connection.execute(ends if item.item_id == "p00" else lost)
        for _ in range(500):
            async with engine.connect() as connection:
                if (await connection.scalar(left_s) or 0) > 60 and item.item_id == "p00":
                    return
            await asyncio.sleep(0.01)

    script.on_fetch = is_long
    with pytest.raises(OvertakenError):
        await desk.sync.sync("house")
    assert script.fetched == ["p00"]


class Ahead(SystemClock):
    """The clock of a machine that is as fast as the record allows."""

    def now(self) -> datetime:
        """Return the time, and most of a minute."""
        return super().now() + timedelta(seconds=50)


async def test_clocks_that_differ(
    odd: tuple[Desk, Odd], engine: AsyncEngine, tmp_path: Any
) -> None:
    """A process whose clock is fast takes no lease over, and what it read is not the newest."""
    desk, script = odd
    fast = desk_on(engine, connecting_to(script), clock=Ahead())
    lease = await desk.store.lease("house")
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.sources SET leased_until = now() + interval '30 s'")
        )
    with pytest.raises(OccupiedError):
        await fast.sync.sync("house")
    await desk.store.release(lease)
    await fast.sync.sync("house")
    script.readers = dict.fromkeys(NAMES, frozenset({"google:board@example.com"}))
    script.is_whole = True
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.sources SET access_token = NULL"))
    await desk.access.refresh("house")
    assert await in_force(engine) == {}


async def test_the_last_policy_is_never_withdrawn_unasked(
    engine: AsyncEngine, tmp_path: Any
) -> None:
    """A source of one document that lists nothing is held to be broken, as a larger one is."""
    script = ScriptedSource(texts={"one": policy("One")}, readers={"one": None})
    desk = desk_on(engine, connecting_to(script))
    await desk.store.add(source_of(tmp_path))
    await desk.sync.sync("house")
    script.texts = {}
    assert (await desk.sync.sync("house")).held_back == ("one",)
    assert "one" in await in_force(engine)


@pytest.mark.parametrize(("gone", "is_withdrawn"), [(2, True), (3, False)])
async def test_a_tenth_is_withdrawn_and_no_more(
    engine: AsyncEngine, tmp_path: Any, gone: int, *, is_withdrawn: bool
) -> None:
    """Of twenty policies two are withdrawn unasked, and of three none."""
    names = [f"p{number:02}" for number in range(20)]
    script = ScriptedSource(
        texts={name: policy(name.title()) for name in names}, readers=dict.fromkeys(names)
    )
    desk = desk_on(engine, connecting_to(script))
    await desk.store.add(source_of(tmp_path))
    await desk.sync.sync("house")
    for name in names[:gone]:
        del script.texts[name]
    report = await desk.sync.sync("house")
    assert (len(report.withdrawn), len(report.held_back)) == (
        (gone, 0) if is_withdrawn else (0, gone)
    )


async def test_killed_between_publication_and_memory(
    odd: tuple[Desk, Odd], engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on finds the document in force already, and tells of it all the same, once."""
    desk, script = odd

    await killed_in("keep", desk, monkeypatch)
    (first,) = await in_force(engine)
    await an_hour_passes(engine)
    report = await desk.sync.sync("house")
    assert (report.added, report.unchanged) == (11, 1)
    assert first in {one.key for one in report.compared.policies}
    assert (len(report.compared.policies), await versions(engine)) == (12, 12)
    script.texts[first] += "\n\n## 9 More\n\n9.1 Employees must ask twice.\n"
    assert len((await desk.sync.sync("house")).compared.policies) == 1


async def test_killed_between_withdrawal_and_token(
    odd: tuple[Desk, Odd], engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was withdrawn is told of once whoever goes on ends, and withdrawn once."""
    desk, script = odd
    await desk.sync.sync("house")
    del script.texts["p03"]

    await killed_in("finish", desk, monkeypatch)
    assert "p03" not in await in_force(engine)
    await an_hour_passes(engine)
    report = await desk.sync.sync("house")
    assert [one.became for one in report.compared.policies] == ["withdrawn"]
    assert len(await in_force(engine)) == 11
    async with engine.connect() as connection:
        query = text("SELECT count(*) FROM citebound.withdrawals")
        assert await connection.scalar(query) == 1


async def test_a_service_that_asks_for_years_is_tried_tomorrow(
    odd: tuple[Desk, Odd], engine: AsyncEngine
) -> None:
    """A pause that was asked for holds, up to a day; it is told once, and so is its end."""
    desk, script = odd
    pause = text("SELECT extract(epoch FROM due_at - now()) FROM citebound.sources")
    for asked, least, most in ((3600, 3500, 3700), (1e308, 86_000, 86_500)):
        script.fails = BusyError("the service asks us to wait (429)", after_s=asked)
        with pytest.raises(BusyError):
            await desk.sync.sync("house")
        async with engine.connect() as connection:
            assert least < (await connection.scalar(pause) or 0) < most
    script.fails = None
    await desk.sync.sync("house")
    assert await tags(engine) == [
        "source:added",
        "source:failed",
        "source:restored",
        "source:synced",
    ]
