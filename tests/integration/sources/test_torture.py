"""Sources that misbehave: killed in the middle, two at once, changed while read, begun anew."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.sources.checks import check_sources
from bot.doctor_check import Status
from core.domain.errors import ConfigError, OccupiedError, TransientError
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
