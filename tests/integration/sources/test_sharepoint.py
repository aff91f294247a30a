"""A document library and the corpus: what comes, changes and goes, and who may read it."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.sources.connect import connecting
from core.adapters.sources.locations import checked_location
from core.config.settings import Settings
from core.domain.errors import CredentialError, TransientError
from core.service_access.refusals import Note, unnoted
from core.sources.connector import Connector, PolicySource, SourceItem, SourceKind
from core.sources.store import ItemState
from tests.integration.sources.desk import (
    Desk,
    an_hour_passes,
    desk_on,
    in_force,
    policy,
    source_of,
)
from tests.servers.sharepoint import (
    APP,
    SECRET,
    SITE,
    TENANT,
    FakeSharePoint,
    group,
    sharepoint_server,
)

FINANCE = "5f0e3c1a-9d8b-4c7a-a6f5-e4d3c2b1a098"
ALL_STAFF = {
    "roles": ["read"],
    "grantedToV2": {"siteUser": {"loginName": f"c:0-.f|rolemanager|spo-grid-all-users/{TENANT}"}},
}


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Generator[FakeSharePoint]:
    """A library that all staff may read."""
    monkeypatch.setenv("CITEBOUND_SOURCE_HOUSE_TOKEN", SECRET)
    with sharepoint_server() as server:
        server.share("root", ALL_STAFF)
        yield server


class Interruption(Exception):  # noqa: N818  # stands for a kill
    """Ends a synchronisation where it is."""


def following(
    engine: AsyncEngine,
    office: FakeSharePoint,
    tmp_path: Path,
    *,
    breaks_at: list[str],
    note: Note = unnoted,
) -> tuple[Desk, PolicySource]:
    """Compose the product; fetching what `breaks_at` names fails, once each."""
    settings = Settings(graph_url=office.url, teams_login_url=office.url, home=tmp_path)
    connect = connecting(settings, note=note)

    @asynccontextmanager
    async def breaking(source: PolicySource, /) -> AsyncGenerator[Connector]:
        async with connect(source) as connector:
            fetch = connector.fetch

            async def fetched(item: SourceItem, /) -> bytes:
                if item.path in breaks_at:
                    breaks_at.remove(item.path)
                    raise Interruption
                return await fetch(item)

            connector.fetch = fetched  # pyright: ignore[reportAttributeAccessIssue]
            yield connector

    given = {"where": SITE, "tenant": TENANT, "app": APP}
    where = checked_location(SourceKind.SHAREPOINT, given, settings=settings)
    source = source_of(
        tmp_path, kind=SourceKind.SHAREPOINT, location=where, groups={f"entra:{FINANCE}": "finance"}
    )
    return desk_on(engine, breaking), source


async def test_a_library_is_followed(
    engine: AsyncEngine, office: FakeSharePoint, tmp_path: Path
) -> None:
    """Through a kill, a renamed folder, a move, a deletion, and changes that Graph forgot."""
    names = ("gifts", "travel", "remote", "leave", "records")
    ids = {name: office.add(f"HR/{name}.md", policy(name.title())) for name in names}
    office.share(ids["travel"], group(FINANCE))
    office.page_size = 3
    desk, source = following(engine, office, tmp_path, breaks_at=["HR/leave.md"])
    await desk.store.add(source)
    with pytest.raises(Interruption):
        await desk.sync.sync("house")
    first = await desk.sync.sync("house")
    assert (first.added, first.failed, first.withdrawn) == (2, 0, ())
    assert office.count("/content") == len(names)
    assert set(await in_force(engine)) == {"gifts", "remote", "leave", "records"}
    assert "travel" in await in_force(engine, "finance")

    office.change(ids["gifts"], policy("Gifts", 70))
    second = await desk.sync.sync("house")
    assert (second.added, second.revised, second.unchanged) == (0, 1, 0)

    folder = next(one for one in office.entries.values() if one.name == "HR")
    office.move(folder.entry_id, name="People")
    office.move(ids["remote"], to="root")
    office.delete(ids["records"])
    third = await desk.sync.sync("house")
    assert (third.added, third.revised, third.withdrawn) == (0, 0, ("records",))
    paths = {one.path for one in await desk.store.items("house") if one.state is ItemState.STORED}
    assert paths == {"People/gifts.md", "People/travel.md", "People/leave.md", "remote.md"}
    assert set(await in_force(engine, "finance")) == {"gifts", "travel", "remote", "leave"}

    office.forget_changes()
    office.entries[ids["records"]].is_deleted = False
    fourth = await desk.sync.sync("house")
    assert (fourth.unchanged, fourth.withdrawn) == (4, ())
    assert "records" in await in_force(engine)


async def test_permissions_take_force(
    engine: AsyncEngine, office: FakeSharePoint, tmp_path: Path
) -> None:
    """Of a file, of a folder, and when they can't be read: then nobody reads who could not."""
    gifts, _ = (office.add(f"HR/{one}.md", policy(one.title())) for one in ("gifts", "travel"))
    desk, source = following(engine, office, tmp_path, breaks_at=[])
    await desk.store.add(source)
    await desk.sync.sync("house")
    await desk.access.refresh("house")
    assert set(await in_force(engine)) == {"gifts", "travel"}

    office.share(gifts, group(FINANCE))
    await an_hour_passes(engine)
    assert (await desk.access.refresh("house")).changed == ("gifts",)
    assert set(await in_force(engine)) == {"travel"}
    assert set(await in_force(engine, "finance")) == {"gifts", "travel"}

    folder = next(one for one in office.entries.values() if one.name == "HR")
    office.share(folder.entry_id, {"roles": ["read"], "grantedToV2": {"user": {"id": "anna"}}})
    office.share(gifts, ALL_STAFF)
    office.refuse(f"{gifts}/permissions", 403)
    await an_hour_passes(engine)
    assert (await desk.access.refresh("house")).changed == ("travel",)
    assert set(await in_force(engine, "finance")) == {"gifts"}
    assert await in_force(engine) == {}

    await an_hour_passes(engine)
    await desk.access.refresh("house")
    assert set(await in_force(engine)) == {"gifts"}
    office.refuse("/root/delta", 503, Retry_After="4000")
    office.entries[gifts].permissions = []
    await an_hour_passes(engine)
    with pytest.raises(TransientError, match="fails"):
        await desk.access.refresh("house")
    assert set(await in_force(engine)) == {"gifts"}


async def test_a_document_that_comes_back_in_the_same_listing(
    engine: AsyncEngine, office: FakeSharePoint, tmp_path: Path
) -> None:
    """The last word of a feed counts: what it deletes and lists again is not gone."""
    gifts = office.add("gifts.md", policy("Gifts"))
    others = [office.add(f"{n}.md", policy(f"Policy {n}")) for n in range(3)]
    desk, source = following(engine, office, tmp_path, breaks_at=[])
    await desk.store.add(source)
    await desk.sync.sync("house")
    office.page_size = 2
    office.delete(gifts)
    for one in others:
        office.change(one, policy("Other", 90))
    office.repeats = gifts
    report = await desk.sync.sync("house")
    assert (report.withdrawn, report.held_back) == ((), ())
    states = {one.item_id: one.state for one in await desk.store.items("house")}
    assert states[gifts] is ItemState.STORED
    assert (await desk.sync.sync("house")).held_back == ()


async def test_documents_that_wander(
    engine: AsyncEngine, office: FakeSharePoint, tmp_path: Path
) -> None:
    """Out of the folder and back, to another kind and back, one name in two folders, and empty."""
    names = [f"p{number:02}" for number in range(20)]
    ids = {name: office.add(f"HR/{name}.md", policy(name.title())) for name in names}
    twin = office.add("IT/p00.md", policy("Twin"))
    empty = office.add("HR/empty.md", "")
    desk, source = following(engine, office, tmp_path, breaks_at=[])
    await desk.store.add(source)
    first = await desk.sync.sync("house")
    assert (first.added, first.failed) == (21, 1)
    states = {one.item_id: one for one in await desk.store.items("house")}
    assert states[empty].state is ItemState.FAILED
    assert (states[ids["p00"]].policy, states[twin].policy) == ("p00", "house-it-p00")

    bin_id = office.add("Bin")
    office.move(ids["p01"], name="p01.zip")
    office.delete(ids["p02"])
    second = await desk.sync.sync("house")
    assert (second.withdrawn, second.others) == (("p01", "p02"), 1)
    office.move(ids["p01"], name="p01.md")
    office.entries[ids["p02"]].is_deleted = False
    office.move(ids["p02"], to=bin_id)
    third = await desk.sync.sync("house")
    assert (third.added, third.others) == (0, 0)
    assert len(await in_force(engine)) == 21
    states = {one.item_id: one for one in await desk.store.items("house")}
    assert states[ids["p02"]].policy == "p02"
    office.move(ids["p03"], name="p03.doc")
    assert (await desk.sync.sync("house")).failed == 1
    assert "p03" in await in_force(engine)


async def test_whether_the_credential_is_taken_is_noted(
    engine: AsyncEngine, office: FakeSharePoint, tmp_path: Path
) -> None:
    """A refusal by the name of the source; the next synchronisation ends it."""
    noted: list[tuple[str, str | None]] = []
    desk, source = following(
        engine, office, tmp_path, breaks_at=[], note=lambda name, cause: noted.append((name, cause))
    )
    await desk.store.add(source)
    office.refuse("/root/delta", 403)
    with pytest.raises(CredentialError, match="403"):
        await desk.sync.sync("house")
    await an_hour_passes(engine)
    await desk.sync.sync("house")
    assert noted == [("source/house", "403"), ("source/house", None)]
