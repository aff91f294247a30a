"""A folder of Google Drive over HTTP: what is listed, fetched, and who may read it."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

import pytest

from core.adapters.sources.credentials import TokenCredentials
from core.adapters.sources.drive import connector as listing
from core.adapters.sources.drive.connector import DriveConnector
from core.adapters.sources.drive.files import DriveFiles, rules_of
from core.adapters.sources.drive.opening import signed_request
from core.adapters.sources.http import ServiceHttp, open_session
from core.domain.errors import ConfigError, DocumentError, TransientError
from core.service_access.tokens import FetchedToken
from core.sources.connector import (
    ChangePage,
    ItemReaders,
    ListingEnd,
    ReadersPage,
    SourceItem,
    UnreadReaders,
)
from tests.servers.drive import DOCUMENT, FOLDER, ROOT, SHEET, Drive, File, google_drive, key_file

SHORTCUT = "application/vnd.google-apps.shortcut"


@pytest.fixture
def drive() -> Drive:
    """A folder with two files, one of them below another folder, and files elsewhere."""
    held = Drive()
    held.put(
        File(id="file-00001", name="gifts.md"),
        File(id="folder-001", name="United/Kingdom", kind=FOLDER),
        File(id="file-00002", name="Travel Policy", kind=DOCUMENT, parent="folder-001"),
        File(id="file-00003", name="elsewhere.md", parent="elsewhere-1"),
    )
    return held


@asynccontextmanager
async def reading(drive: Drive, **options: Any) -> AsyncGenerator[DriveConnector]:
    """Connect to a drive; nobody waits."""

    async def sleep(_: float) -> None:
        await asyncio.sleep(0)

    with google_drive(drive) as url:
        async with open_session() as session:
            request = signed_request(key_file(url), variable="X")
            http = ServiceHttp(
                session,
                base=f"{url}/drive/v3",
                credentials=TokenCredentials(
                    token=FetchedToken(session, request, now=time.time), check="check X"
                ),
                rules=rules_of("Google Drive", check="check the sharing"),
                sleep=sleep,
            )
            yield DriveConnector(DriveFiles(http), folder=ROOT, **options)


@asynccontextmanager
async def followed(drive: Drive) -> AsyncGenerator[tuple[DriveConnector, str]]:
    """Connect to a drive that was listed once; give the token."""
    async with reading(drive) as connector:
        _, _, end = await listed(connector)
        yield connector, end.token or ""


async def listed(
    connector: DriveConnector, *, since: str | None = None, cursor: str | None = None
) -> tuple[list[SourceItem], list[str], ListingEnd]:
    """Return what a listing says: documents, those that are gone, its end."""
    items: list[SourceItem] = []
    gone: list[str] = []
    async for part in connector.changes(since=since, cursor=cursor):
        if isinstance(part, ListingEnd):
            return items, gone, part
        items += part.items
        gone += part.gone
    raise AssertionError("a listing has an end")


async def readers(connector: DriveConnector, *known: str) -> dict[str, frozenset[str] | str | None]:
    """Return the groups of documents, or why they can't be read."""
    assert connector.access is not None
    found: dict[str, frozenset[str] | str | None] = {}
    async for part in connector.access.changes(known=sorted(known), since=None, cursor=None):
        if isinstance(part, ReadersPage):
            for one in part.readers:
                found[one.item_id] = one.problem if isinstance(one, UnreadReaders) else one.groups
    return found


@pytest.mark.parametrize("shared", [None, "shared-drive-1"])
async def test_files_of_a_folder_are_documents(drive: Drive, shared: str | None) -> None:
    """With path, address and version; a document of Google's own is read as Word's."""
    drive.drive, drive.most = shared, 1
    async with reading(drive) as connector:
        items, gone, end = await listed(connector)
        assert (gone, end.is_whole) == ([], True)
        assert [(one.item_id, one.path, one.given.url) for one in items] == [
            ("file-00001", "gifts.md", "https://drive.google.com/file/d/file-00001/view"),
            (
                "file-00002",
                "United-Kingdom/Travel Policy.docx",
                "https://docs.google.com/document/d/file-00002/edit",
            ),
        ]
        assert [await connector.fetch(one) for one in items] == [
            drive.files[one.item_id].content for one in items
        ]
        there = ["file-00001", "file-00002", "file-00003", "folder-009"]
        assert [await connector.is_there(one) for one in there] == [True, True, False, False]
        assert await connector.check() == "the folder 'Policies' can be read"


async def test_what_is_not_read_is_said(drive: Drive) -> None:
    """Shortcuts, sheets, pictures, what is too large or may not be downloaded."""
    drive.put(
        File(id="file-00010", name="link", kind=SHORTCUT),
        File(id="file-00011", name="Rates", kind=SHEET),
        File(id="file-00020", name="Site", kind="application/vnd.google-apps.site"),
        File(id="file-00012", name="logo.png", kind="image/png"),
        File(id="file-00017", name="Scan of Monday", kind="image/jpeg"),
        File(id="file-00018", name="Map", kind="application/vnd.google-apps.drawing"),
        File(id="file-00019", name="old.doc", kind="application/msword"),
        File(id="file-00013", name="huge.pdf", kind="application/pdf", size=1 << 40),
        File(id="file-00014", name="Sealed", kind="application/pdf", may_download=False),
        File(id="file-00015", name="~$draft.docx"),
        File(id="file-00016", name="Named by its type", kind="application/pdf"),
    )
    async with reading(drive) as connector:
        items, _, _ = await listed(connector)
        pages = [
            one
            async for one in connector.changes(since=None, cursor=None)
            if isinstance(one, ChangePage)
        ]
    assert {one.path for page in pages for one in page.others} == {
        *("logo.png", "Scan of Monday", "Map")
    }
    problems = {one.path: one.problem or "" for one in items}
    assert "~$draft.docx" not in problems
    assert problems.pop("Named by its type.pdf") == problems.pop("Rates.xlsx") == ""
    for path, said in {
        "link": "shortcut",
        "Site": "a Google site is not read",
        "old.doc": "named .doc",
        "huge.pdf": "over the limit",
        "Sealed.pdf": "switched off",
    }.items():
        assert said in problems[path]


@pytest.mark.parametrize(
    "name", ["x" * 8000 + ".md", "../../etc.md", "a\nb\x00.md", "\ud800.md", "\u202e.md", "..", ""]
)
async def test_names_are_text_that_can_be_kept(drive: Drive, name: str) -> None:
    """A path is short, on one line and below the folder, whatever a file is called."""
    drive.change("file-00001", name=name, kind="text/markdown")
    drive.change("folder-001", name=name)
    async with reading(drive) as connector:
        items, _, _ = await listed(connector)
    for one in items:
        assert one.path.encode().decode().isprintable()
        assert ".." not in PurePosixPath(one.path).parts
        assert all(0 < len(part) <= 130 for part in one.path.split("/"))


async def test_changes_alone_are_listed(drive: Drive) -> None:
    """New, changed, moved in and out, into the bin: as the service's list of changes has them."""
    async with followed(drive) as (connector, token):
        assert (await listed(connector, since=token))[:2] == ([], [])
        drive.asked.clear()
        drive.put(File(id="file-00004", name="new.md", parent="folder-001"))
        drive.change("file-00001", content=b"# Gifts\n\n1.1 None.\n")
        drive.change("file-00001", content=b"# Gifts\n\n1.1 Some.\n")
        drive.change("file-00003", parent="folder-001")
        drive.change("file-00002", is_trashed=True)
        drive.most = 2
        items, gone, end = await listed(connector, since=token)
        assert {one.item_id: one.path for one in items} == {
            "file-00004": "United-Kingdom/new.md",
            "file-00001": "gifts.md",
            "file-00003": "United-Kingdom/elsewhere.md",
        }
        assert (gone, end.is_whole) == (["file-00002"], False)
        drive.change("file-00003", parent="elsewhere-1")
        again, gone, _ = await listed(connector, since=end.token)
        assert (again, gone) == ([], ["file-00003"])


@pytest.mark.parametrize("what", ["moved", "renamed", "binned", "deleted", "hidden", "drive"])
async def test_a_change_of_folders_lists_all(drive: Drive, what: str) -> None:
    """The service says nothing of what lies in a folder."""
    async with followed(drive) as (connector, token):
        if what == "moved":
            drive.change("folder-001", parent="elsewhere-1")
        elif what == "renamed":
            drive.change("folder-001", name="UK")
        elif what == "binned":
            drive.change("folder-001", is_trashed=True)
        elif what == "deleted":
            drive.remove("folder-001")
        elif what == "hidden":
            drive.change("folder-001", is_hidden=True)
        else:
            drive.log.append("")
        items, _, end = await listed(connector, since=token)
    assert end.is_whole
    paths = {one.path for one in items}
    kept = {"renamed": {"UK/Travel Policy.docx"}, "drive": {"United-Kingdom/Travel Policy.docx"}}
    assert paths == {"gifts.md"} | kept.get(what, set())


async def test_once_a_day_and_when_tokens_end_all_is_listed(drive: Drive) -> None:
    """Whatever the list of changes did not say is known then."""
    async with followed(drive) as (connector, token):
        told = json.loads(token)
        told["whole"] = (datetime.fromtimestamp(time.time(), UTC) - timedelta(days=2)).isoformat()
        assert (await listed(connector, since=json.dumps(told)))[2].is_whole
        assert (await listed(connector, since="of an older release"))[2].is_whole
        drive.forgets = True
        assert (await listed(connector, since=token))[2].is_whole


async def test_an_interrupted_listing_goes_on(
    drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last page; what changed since its beginning is listed next time."""
    monkeypatch.setattr(listing, "A_PAGE", 1)
    async with reading(drive) as connector:
        first = await anext(aiter(connector.changes(since=None, cursor=None)))
        assert isinstance(first, ChangePage)
        drive.change("file-00001", content=b"# Gifts\n\n1.1 None.\n")
        items, _, end = await listed(connector, cursor=first.cursor)
        assert [one.item_id for one in items] == ["file-00002"]
        items, _, _ = await listed(connector, since=end.token)
        assert [one.item_id for one in items] == ["file-00001"]


async def test_a_google_sheet_is_read_as_a_workbook(drive: Drive) -> None:
    """As Google makes one of it; its address is that of the sheet."""
    drive.put(File(id="file-00030", name="Rates", kind=SHEET, content=b"PK"))
    async with reading(drive) as connector:
        items, _, _ = await listed(connector)
        (rates,) = [item for item in items if item.path == "Rates.xlsx"]
        assert rates.given.url == "https://docs.google.com/spreadsheets/d/file-00030/edit"
        assert await connector.fetch(rates) == b"PK"


async def test_waits_tokens_and_failures(drive: Drive) -> None:
    """What passes is repeated, an expired token renewed; a refusal says what to do."""
    async with reading(drive) as connector:
        drive.faults = [
            (403, "userRateLimitExceeded", {}),
            (429, "rateLimitExceeded", {"Retry-After": "3"}),
            (503, "backendError", {}),
            (401, "authError", {}),
        ]
        items, _, _ = await listed(connector)
        assert (len(items), drive.tokens) == (2, 2)
        drive.change("file-00002", content=b"x" * (11 << 20))
        with pytest.raises(DocumentError, match="exportSizeLimitExceeded"):
            await connector.fetch(items[1])
        drive.remove("file-00001")
        with pytest.raises(DocumentError, match="deleted in the meantime"):
            await connector.fetch(items[0])
        drive.is_incomplete = True
        with pytest.raises(TransientError, match="everything"):
            await listed(connector)
        drive.change(ROOT, is_hidden=True)
    async with reading(drive) as connector:
        with pytest.raises(ConfigError, match="share it"):
            await listed(connector)


async def test_readers_are_the_groups_that_a_file_is_shared_with(drive: Drive) -> None:
    """People alone are nobody; a few requests tell of all files."""
    drive.change("file-00002", shared_with=("p-legal", "p-ann"))
    drive.put(File(id="file-00005", name="mine.md", shared_with=("p-ann",)))
    async with reading(drive) as connector:
        found = await readers(connector, "file-00001", "file-00002", "file-00003", "file-00005")
        assert found == {
            "file-00001": {"google:all@example.com"},
            "file-00002": {"google:legal@example.com"},
            "file-00005": frozenset(),
        }
        assert drive.asked["permissions"] == 2
        drive.change("file-00001", shared_with=("p-legal",))
        assert connector.access is not None
        assert await connector.access.of(
            SourceItem(item_id="file-00001", path="gifts.md", version="1")
        ) == ItemReaders(item_id="file-00001", groups=frozenset({"google:legal@example.com"}))


@pytest.mark.parametrize(
    ("shared_with", "options", "is_all"),
    [
        ("p-all", {}, False),
        ("p-all", {"everyone": {"all@example.com"}}, True),
        ("p-domain", {}, False),
        ("p-domain", {"everyone": {"Example.com"}}, True),
        ("p-domain", {"everyone": {"other.example"}}, False),
        ("p-link", {"everyone": {"example.com"}}, False),
        ("p-link", {"everyone": {"example.com"}, "links_count": True}, True),
        ("p-web", {}, True),
        ("p-ann", {"everyone": {"ann@example.com"}}, False),
    ],
)
async def test_who_is_everyone(
    drive: Drive, shared_with: str, options: dict[str, Any], is_all: bool
) -> None:
    """What an operator named so, and what is open to the world; a link if that was said."""
    drive.change("file-00001", shared_with=(shared_with,))
    async with reading(drive, **options) as connector:
        found = await readers(connector, "file-00001")
    assert (found["file-00001"] is None) == is_all


async def test_a_permission_is_what_it_is_on_each_file(drive: Drive) -> None:
    """Found by searching on one file and by a link on the next; or for a published copy alone."""
    for one in ("file-00001", "file-00002"):
        drive.change(one, shared_with=("p-domain", "p-legal"))
    drive.of_file = {
        ("file-00002", "p-domain"): {"allowFileDiscovery": False},
        ("file-00002", "p-legal"): {"view": "published"},
    }
    async with reading(drive, everyone=frozenset({"example.com"})) as connector:
        found = await readers(connector, "file-00001", "file-00002")
    assert found == {"file-00001": None, "file-00002": frozenset()}


async def test_sharing_that_can_not_be_read_is_said(drive: Drive) -> None:
    """Nobody is a reader because an account has too few rights."""
    drive.tells_sharing = False
    async with reading(drive) as connector:
        found = await readers(connector, "file-00001")
        assert "content manager" in str(found["file-00001"])
        assert "content manager" in await connector.check()
        assert connector.access is not None
        with pytest.raises(DocumentError):
            await connector.access.of(SourceItem(item_id="file-00001", path="x", version="1"))
        with pytest.raises(DocumentError):
            await connector.access.of(SourceItem(item_id="file-00009", path="x", version="1"))
    async with reading(drive, with_access=False) as connector:
        assert connector.access is None
        assert "but" not in await connector.check()


@pytest.mark.parametrize(
    "key",
    [
        "",
        "token",
        "[]",
        "{}",
        json.dumps({"private_key": "x", "client_email": "a", "token_uri": "https://x"}),
        key_file("http://elsewhere.example"),
    ],
)
def test_what_is_no_key_is_refused(key: str) -> None:
    """The message names the variable and nothing of the key."""
    with pytest.raises(ConfigError, match=r"^CITEBOUND_SOURCE_HR_TOKEN: expected the key") as error:
        signed_request(key, variable="CITEBOUND_SOURCE_HR_TOKEN")
    assert "PRIVATE" not in str(error.value)


@pytest.mark.nightly
async def test_ten_thousand_files() -> None:
    """A dozen requests list them, and as many tell who may read."""
    held = Drive()
    held.put(*(File(id=f"file-{number:05}", name=f"{number}.md") for number in range(10_000)))
    async with reading(held) as connector:
        items, _, _ = await listed(connector)
        assert len(items) == 10_000
        assert len(await readers(connector, *(one.item_id for one in items))) == 10_000
    assert held.asked["files"] < 30
