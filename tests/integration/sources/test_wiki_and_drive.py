"""A wiki and a drive and the corpus: what comes, changes, moves and goes, and who may read it."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.sources.connect import connecting
from core.adapters.sources.locations import checked_location
from core.config.settings import Settings
from core.domain.errors import ConfigError, TransientError
from core.sources.connector import SourceKind
from core.sources.store import ItemState
from tests.integration.sources.desk import (
    Desk,
    an_hour_passes,
    desk_on,
    in_force,
    policy,
    source_of,
)
from tests.servers.confluence import ACCOUNT, TOKEN, Page, Wiki, confluence
from tests.servers.drive import FOLDER, ROOT, Drive, File, google_drive, key_file

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def page(limit: int = 50) -> str:
    """Return the text of a page."""
    return f"<h2>1 Limits</h2><p>1.1 Employees may spend up to&nbsp;EUR {limit} on this.</p>"


@pytest.fixture
def wiki(monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[Wiki, str]]:
    """A space with three policies, and its address."""
    monkeypatch.setenv("CITEBOUND_SOURCE_HOUSE_TOKEN", f"{ACCOUNT}:{TOKEN}")
    held = Wiki()
    held.add(
        Page(id="10", title="Gifts", storage=page()),
        Page(id="20", title="Travel", storage=page(), parent="10"),
        Page(id="30", title="Remote", storage=page(), groups=["g-legal"]),
    )
    with confluence(held) as site:
        yield held, site


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[Drive, str]]:
    """A folder with three policies, one of them in a folder of its own, and its address."""
    held = Drive()
    held.put(
        File(id="file-00001", name="gifts.md", content=policy("Gifts").encode()),
        File(id="folder-001", name="UK", kind=FOLDER),
        File(
            id="file-00002",
            name="travel.md",
            parent="folder-001",
            content=policy("Travel").encode(),
        ),
        File(
            id="file-00003",
            name="remote.md",
            content=policy("Remote").encode(),
            shared_with=("p-legal", "p-ann"),
        ),
    )
    with google_drive(held) as url:
        monkeypatch.setenv("CITEBOUND_SOURCE_HOUSE_TOKEN", key_file(url))
        yield held, url


async def follow(engine: AsyncEngine, settings: Settings, kind: SourceKind, **given: str) -> Desk:
    """Begin to follow a service, whose group of legal is one of ours."""
    where = checked_location(kind, given, settings=settings)
    groups = {"confluence:g-legal": "legal", "google:legal@example.com": "legal"}
    desk = desk_on(engine, connecting(settings))
    await desk.store.add(source_of(settings.home, kind=kind, location=where, groups=groups))
    return desk


async def paths(desk: Desk) -> set[str]:
    """Return where the documents stand that are policies."""
    return {one.path for one in await desk.store.items("house") if one.state is ItemState.STORED}


async def test_a_space_is_followed(
    engine: AsyncEngine, wiki: tuple[Wiki, str], tmp_path: Path
) -> None:
    """Through an interruption, a new version, a move, an archived page, and a restriction."""
    held, site = wiki
    settings = Settings(home=tmp_path)
    desk = await follow(
        engine, settings, SourceKind.CONFLUENCE, where=site, space="HR", everyone="g-all"
    )
    held.stalls = "/pages/30"
    with pytest.raises(TransientError):
        await desk.sync.sync("house")
    held.stalls = "nothing"
    assert (await desk.sync.sync("house")).added == 1
    assert await in_force(engine) == {"gifts": "Gifts", "travel": "Travel"}
    assert "remote" in await in_force(engine, "legal")

    held.write("10", page(70), at=NOW)
    held.pages["20"].parent = "30"
    held.pages["20"].title = "Travel and Meals"
    report = await desk.sync.sync("house")
    assert (report.added, report.revised, report.withdrawn) == (0, 2, ())
    assert await paths(desk) == {"Gifts.html", "Remote/Travel and Meals.html", "Remote.html"}
    assert await in_force(engine) == {"gifts": "Gifts"}
    assert (await in_force(engine, "legal"))["travel"] == "Travel and Meals"

    held.pages["10"].people = ["5b10"]
    await an_hour_passes(engine)
    assert (await desk.access.refresh("house")).changed == ("gifts",)
    assert set(await in_force(engine, "legal")) == {"travel", "remote"}

    held.pages["20"].status = "archived"
    assert (await desk.sync.sync("house")).withdrawn == ("travel",)
    held.pages["20"].status = "current"
    await desk.sync.sync("house")
    assert "travel" in await in_force(engine, "legal")
    held.authorization = "Basic of-another-token"
    with pytest.raises(ConfigError, match="CITEBOUND_SOURCE_HOUSE_TOKEN"):
        await desk.sync.sync("house")
    assert set(await in_force(engine, "legal")) == {"travel", "remote"}


async def test_a_drive_is_followed(
    engine: AsyncEngine, drive: tuple[Drive, str], tmp_path: Path
) -> None:
    """Through an interruption, changes, a folder that leaves and returns, and new sharing."""
    held, url = drive
    settings = Settings(home=tmp_path, drive_url=url)
    desk = await follow(engine, settings, SourceKind.DRIVE, where=ROOT, everyone="all@example.com")
    held.stalls = "/file-00003"
    with pytest.raises(TransientError):
        await desk.sync.sync("house")
    held.stalls = "nothing"
    assert (await desk.sync.sync("house")).added == 1
    assert set(await in_force(engine)) == {"gifts", "travel"}
    assert "remote" in await in_force(engine, "legal")

    held.change("file-00001", content=policy("Gifts", 70).encode())
    held.asked.clear()
    assert (await desk.sync.sync("house")).revised == 1
    assert held.asked["startPageToken"] == 0

    held.change("folder-001", parent="elsewhere-1")
    assert (await desk.sync.sync("house")).withdrawn == ("travel",)
    held.change("file-00002", content=policy("Travel", 80).encode())
    assert not (await desk.sync.sync("house")).changes
    held.change("folder-001", parent=ROOT, name="United Kingdom")
    await desk.sync.sync("house")
    assert await paths(desk) == {"gifts.md", "United Kingdom/travel.md", "remote.md"}
    assert "travel" in await in_force(engine)

    held.change("file-00001", shared_with=("p-ann",))
    held.change("file-00003", shared_with=("p-all",))
    await an_hour_passes(engine)
    assert set((await desk.access.refresh("house")).changed) == {"gifts", "remote"}
    assert set(await in_force(engine)) == {"travel", "remote"}
    held.tells_sharing = False
    held.change("file-00001", shared_with=("p-all",))
    await an_hour_passes(engine)
    await desk.access.refresh("house")
    assert set(await in_force(engine)) == {"travel", "remote"}
