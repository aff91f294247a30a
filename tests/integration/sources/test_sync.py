"""Sources and the corpus: what comes, changes, moves and goes; interruptions; two at once."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.source_schedule import SourceSchedule
from core.adapters.sources.connect import connecting
from core.config.settings import Settings, inherited
from core.domain.errors import ConfigError, OccupiedError, OvertakenError, TransientError
from core.ingest.prepare import Overrides
from core.sources.connector import (
    ChangePage,
    Connect,
    ListingEnd,
    SourceItem,
    SourceKind,
    Withdrawing,
)
from core.sources.store import ItemState
from core.sources.sync import SyncStep
from tests.integration.sources.desk import (
    Desk,
    an_hour_passes,
    connecting_to,
    desk_on,
    in_force,
    policy,
    source_of,
    tags,
)


@pytest.fixture
def desk_of(engine: AsyncEngine) -> Callable[[Connect], Desk]:
    """Compose the product's parts on the test's own database."""

    return lambda connect: desk_on(engine, connect)


@pytest.fixture
def desk(desk_of: Callable[[Connect], Desk], tmp_path: Path) -> Desk:
    """The product's connectors."""
    return desk_of(connecting(Settings(home=tmp_path / "home")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three policies."""
    found = tmp_path / "policies"
    found.mkdir()
    for name in ("gifts", "travel", "remote"):
        (found / f"{name}.md").write_text(policy(name.title()))
    return found


async def test_a_folder_is_followed(desk: Desk, engine: AsyncEngine, folder: Path) -> None:
    """What is new is added, what changed is revised, and nothing is done twice."""
    await desk.store.add(source_of(folder))
    first = await desk.sync.sync("house")
    assert (first.added, first.failed) == (3, 0)
    assert set(await in_force(engine)) == {"gifts", "travel", "remote"}

    (folder / "gifts.md").write_text(policy("Gifts", 70))
    (folder / "scan.md").write_bytes(b"")
    steps: list[SyncStep] = []
    second = await desk.sync.sync("house", on_step=steps.append)
    assert (second.added, second.revised, second.unchanged, second.failed) == (0, 1, 2, 1)
    assert {(one.path, one.word) for one in steps} == {
        ("gifts.md", "revised"),
        ("scan.md", "failed"),
    }

    steps.clear()
    third = await desk.sync.sync("house", on_step=steps.append)
    assert (third.unchanged, third.failed, steps) == (3, 1, [])
    assert await tags(engine) == ["source:added", "source:synced", "source:synced"]
    (status,) = await desk.store.all()
    assert status.items == {ItemState.STORED: 3, ItemState.FAILED: 1}


async def test_a_file_that_moves_stays_its_policy(
    desk: Desk, engine: AsyncEngine, folder: Path
) -> None:
    """A moved file is neither a new policy nor a withdrawal."""
    await desk.store.add(source_of(folder))
    await desk.sync.sync("house")
    (folder / "deep").mkdir()
    shutil.move(folder / "gifts.md", folder / "deep" / "gifts.md")
    report = await desk.sync.sync("house")
    assert report.withdrawn == report.held_back == ()
    assert set(await in_force(engine)) == {"gifts", "travel", "remote"}
    states = {one.path: one.state for one in await desk.store.items("house")}
    assert states["deep/gifts.md"] is ItemState.STORED
    assert states["gifts.md"] is ItemState.WITHDRAWN


async def test_equal_names_are_different_policies(
    desk: Desk, engine: AsyncEngine, folder: Path
) -> None:
    """Where two documents would have one key, the second has that of its path, and keeps it."""
    (folder / "uk").mkdir()
    (folder / "uk" / "gifts.md").write_text(policy("Gifts in Britain"))
    await desk.store.add(source_of(folder))
    for _ in range(2):
        await desk.sync.sync("house")
        found = await in_force(engine)
        assert found["gifts"] == "Gifts"
        assert found["house-uk-gifts"] == "Gifts in Britain"
    (folder / "uk" / "gifts.md").write_text(policy("Gifts in Britain", 80))
    assert (await desk.sync.sync("house")).revised == 1
    assert len(await in_force(engine)) == 4


async def test_what_is_gone_is_withdrawn(desk: Desk, engine: AsyncEngine, folder: Path) -> None:
    """One policy may always go; once its document is back, so is the policy."""
    await desk.store.add(source_of(folder))
    await desk.sync.sync("house")
    (folder / "gifts.md").unlink()
    assert (await desk.sync.sync("house")).withdrawn == ("gifts",)
    assert set(await in_force(engine)) == {"travel", "remote"}
    (folder / "gifts.md").write_text(policy("Gifts"))
    await desk.sync.sync("house")
    assert set(await in_force(engine)) == {"gifts", "travel", "remote"}


async def test_a_broken_mount_withdraws_nothing(
    desk: Desk, engine: AsyncEngine, folder: Path
) -> None:
    """A folder that is empty, or not there, holds back what it would withdraw."""
    await desk.store.add(source_of(folder))
    await desk.sync.sync("house")
    for name in ("gifts", "travel", "remote"):
        (folder / f"{name}.md").unlink()
    report = await desk.sync.sync("house")
    assert report.withdrawn == ()
    assert report.held_back == ("gifts", "remote", "travel")
    shutil.rmtree(folder)
    with pytest.raises(ConfigError, match="there is no folder"):
        await desk.sync.sync("house")
    assert len(await in_force(engine)) == 3
    (status,) = await desk.store.all()
    assert status.error is not None


async def test_a_source_that_asks_withdraws_nothing(
    desk: Desk, engine: AsyncEngine, folder: Path
) -> None:
    """What is gone stays in force, and stays listed, until somebody withdraws it."""
    await desk.store.add(source_of(folder, withdrawing=Withdrawing.ASK))
    await desk.sync.sync("house")
    (folder / "gifts.md").unlink()
    for _ in range(2):
        assert (await desk.sync.sync("house")).held_back == ("gifts",)
    assert "gifts" in await in_force(engine)
    (folder / "gifts.md").write_text(policy("Gifts"))
    assert (await desk.sync.sync("house")).held_back == ()


async def test_the_audience_of_a_source_holds(
    desk: Desk, engine: AsyncEngine, folder: Path
) -> None:
    """What says nothing of its readers is for those of the source alone."""
    (folder / "citebound.toml").write_text(
        '[[policy]]\nfile = "travel.md"\naudience = ["finance"]\n'
    )
    await desk.store.add(source_of(folder, audience=frozenset({"board"})))
    await desk.sync.sync("house")
    assert await in_force(engine) == {}
    assert set(await in_force(engine, "board")) == {"gifts", "remote"}
    assert set(await in_force(engine, "finance")) == {"travel"}
    (folder / "citebound.toml").write_text('[[policy]]\nfile = "travel.md"\naudience = ["board"]\n')
    await desk.sync.sync("house")
    assert await in_force(engine, "finance") == {}


async def test_a_failure_is_recorded_once(desk: Desk, engine: AsyncEngine, folder: Path) -> None:
    """A source that goes on failing is recorded when it begins to, and is due at its next turn."""
    await desk.store.add(source_of(folder.with_name("none")))
    assert await desk.store.due() == ("house",)
    for _ in range(2):
        with pytest.raises(ConfigError):
            await desk.sync.sync("house")
    assert await desk.store.due() == ()
    assert await tags(engine) == ["source:added", "source:failed"]
    shutil.move(folder, folder.with_name("none"))
    await an_hour_passes(engine)
    assert await desk.store.due() == ("house",)
    await desk.sync.sync("house")
    (status,) = await desk.store.all()
    assert status.error is None


class PagedConnector:
    """Lists five documents a page each; ends where it is told to."""

    def __init__(self) -> None:
        self.fetched: list[str] = []
        self.begun_from: list[str | None] = []
        self.breaks_at: int | None = None
        self.deleted: tuple[str, ...] = ()
        self.access = None

    async def check(self) -> str:
        return "fine"

    async def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """List what is behind the cursor; with a token, what was deleted alone."""
        self.begun_from.append(cursor or since)
        if since is None:
            for number in range(int(cursor or 0), 5):
                if number == self.breaks_at:
                    raise TransientError("the source fails")
                item = SourceItem(
                    item_id=f"id-{number}",
                    path=f"{number}.md",
                    version="1",
                    given=Overrides(title=f"Policy {number}"),
                )
                yield ChangePage(items=(item,), cursor=str(number + 1))
        yield ChangePage(gone=self.deleted)
        yield ListingEnd(token="t-1", is_whole=since is None)  # noqa: S106

    async def fetch(self, item: SourceItem, /) -> bytes:
        self.fetched.append(item.item_id)
        return policy(item.path).encode()

    async def is_there(self, item_id: str, /) -> bool:
        return item_id not in self.deleted


@pytest.fixture
def paged(desk_of: Callable[[Connect], Desk]) -> tuple[Desk, PagedConnector]:
    """A source that lists in pages."""
    connector = PagedConnector()

    return desk_of(connecting_to(connector)), connector


async def test_an_interrupted_listing_goes_on(
    paged: tuple[Desk, PagedConnector], engine: AsyncEngine, tmp_path: Path
) -> None:
    """Pages that were worked through are neither listed nor fetched again."""
    desk, connector = paged
    await desk.store.add(source_of(tmp_path))
    connector.breaks_at = 3
    with pytest.raises(TransientError):
        await desk.sync.sync("house")
    assert len(await in_force(engine)) == 3
    connector.breaks_at = None
    report = await desk.sync.sync("house")
    assert connector.fetched == [f"id-{number}" for number in range(5)]
    assert connector.begun_from == [None, "3"]
    assert (report.added, report.withdrawn, report.held_back) == (2, (), ())
    assert len(await in_force(engine)) == 5


async def test_a_token_lists_changes_alone(
    paged: tuple[Desk, PagedConnector], engine: AsyncEngine, tmp_path: Path
) -> None:
    """What a listing of changes does not name is still there; what it calls deleted is gone."""
    desk, connector = paged
    await desk.store.add(source_of(tmp_path))
    await desk.sync.sync("house")
    connector.deleted = ("id-2",)
    report = await desk.sync.sync("house")
    assert connector.begun_from == [None, "t-1"]
    assert report.withdrawn == ("2",)
    assert set(await in_force(engine)) == {"0", "1", "3", "4"}


async def test_one_process_at_a_time(desk: Desk, engine: AsyncEngine, folder: Path) -> None:
    """A second one is told to wait; one that stood still too long may write nothing any more."""
    await desk.store.add(source_of(folder))
    lease = await desk.store.lease("house")
    with pytest.raises(OccupiedError):
        await desk.sync.sync("house")
    await an_hour_passes(engine)
    other = await desk.store.lease("house")
    assert other.run == lease.run
    with pytest.raises(OvertakenError):
        await desk.store.keep(lease, items=())
    await desk.store.keep(other, items=())


async def test_a_cancelled_one_gives_its_right_back(
    paged: tuple[Desk, PagedConnector], tmp_path: Path
) -> None:
    """Whoever presses Ctrl-C waits for nobody, and nothing is recorded as a failure."""
    desk, connector = paged
    await desk.store.add(source_of(tmp_path))
    begun = asyncio.Event()

    async def hang(item: SourceItem, /) -> bytes:
        begun.set()
        await asyncio.sleep(60)
        return item.path.encode()

    connector.fetch = hang  # pyright: ignore[reportAttributeAccessIssue]
    async with asyncio.TaskGroup() as group:
        task = group.create_task(desk.sync.sync("house"))
        await begun.wait()
        task.cancel()
    (status,) = await desk.store.all()
    assert status.error is None
    await desk.store.lease("house")


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository with the policies of the folder."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> None:
    """Run `git`, apart from its user's configuration."""
    subprocess.run(  # noqa: S603
        ["git", "-c", "user.name=Tester", "-c", "user.email=tester@example.com", *words],  # noqa: S607
        cwd=folder,
        check=True,
        capture_output=True,
        env={
            **inherited("PATH", "HOME"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        },
    )


def commit(folder: Path) -> None:
    """Commit all that is there."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Change.")


async def test_a_repository_is_followed(desk: Desk, engine: AsyncEngine, repository: Path) -> None:
    """Commits add, revise and withdraw; without a new one nothing is read."""
    where = {"url": repository.as_uri(), "branch": "main", "folder": ""}
    await desk.store.add(source_of(repository, kind=SourceKind.GIT, location=where))
    assert (await desk.sync.sync("house")).added == 3
    steps: list[SyncStep] = []
    assert not (await desk.sync.sync("house", on_step=steps.append)).changes
    (repository / "gifts.md").write_text(policy("Gifts", 70))
    (repository / "travel.md").unlink()
    commit(repository)
    report = await desk.sync.sync("house", on_step=steps.append)
    assert (report.revised, report.withdrawn) == (1, ("travel",))
    assert {one.path for one in steps} == {"gifts.md"}
    assert set(await in_force(engine)) == {"gifts", "remote"}


async def test_a_link_in_a_repository_leads_nowhere(
    desk: Desk, engine: AsyncEngine, repository: Path, tmp_path: Path
) -> None:
    """Whoever may commit can't read files of the machine that follows the repository."""
    secret = tmp_path / "secret.md"
    secret.write_text(policy("Secret of the machine"))
    (repository / "link.md").symlink_to(secret)
    commit(repository)
    where = {"url": repository.as_uri(), "branch": "main", "folder": ""}
    await desk.store.add(source_of(repository, kind=SourceKind.GIT, location=where))
    await desk.sync.sync("house")
    assert "Secret of the machine" not in (await in_force(engine)).values()


async def test_a_repository_that_is_not_there(desk: Desk, tmp_path: Path) -> None:
    """The message says what to check."""
    where = {"url": (tmp_path / "none").as_uri(), "branch": "main", "folder": ""}
    await desk.store.add(source_of(tmp_path, kind=SourceKind.GIT, location=where))
    with pytest.raises(ConfigError, match="check address, branch and access"):
        await desk.sync.sync("house")


async def test_the_schedule_goes_on_past_a_failure(
    desk: Desk, engine: AsyncEngine, folder: Path
) -> None:
    """A source that fails keeps no other one waiting, and each waits for its next turn."""
    await desk.store.add(source_of(folder.with_name("none"), name="broken"))
    await desk.store.add(source_of(folder))
    schedule = SourceSchedule(store=desk.store, sync=desk.sync)
    await schedule.once()
    assert len(await in_force(engine)) == 3
    assert await desk.store.due() == ()
    assert [bool(one.error) for one in await desk.store.all()] == [True, False]


async def test_a_source_is_checked_before_it_is_read(
    folder: Path, repository: Path, tmp_path: Path
) -> None:
    """A check says what was found, or what is missing, and fetches nothing."""
    connect = connecting(Settings(home=tmp_path / "home"))
    async with connect(source_of(folder)) as connector:
        assert connector.access is None
        assert await connector.check() == "3 documents can be read"
    where = {"url": repository.as_uri(), "branch": "main", "folder": ""}
    async with connect(source_of(folder, kind=SourceKind.GIT, location=where)) as connector:
        assert "branch main is at" in await connector.check()
    nowhere = where | {"branch": "none"}
    async with connect(source_of(folder, kind=SourceKind.GIT, location=nowhere)) as connector:
        with pytest.raises(ConfigError, match="has no branch none"):
            await connector.check()
