"""A document library: what its feed of changes lists, and where its documents lie."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from core.adapters.sources.locations import checked_location
from core.adapters.sources.sharepoint.connector import SharePointConnector, opened
from core.config.settings import Settings
from core.domain.errors import ConfigError, DocumentError, TransientError, UsageError
from core.ingest.load import MAX_BYTES
from core.sources.connector import (
    ChangePage,
    ListingEnd,
    PolicySource,
    SourceItem,
    SourceKind,
    Withdrawing,
)
from tests.servers.sharepoint import (
    APP,
    SECRET,
    SITE,
    TENANT,
    FakeSharePoint,
    certificate_file,
    sharepoint_server,
)


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Generator[FakeSharePoint]:
    """A library of three policies and a picture."""
    monkeypatch.setenv("CITEBOUND_SOURCE_HR_TOKEN", SECRET)
    with sharepoint_server() as server:
        server.add("HR/gifts.md", "# Gifts")
        server.add("HR/Travel/travel.docx", "# Travel")
        server.add("IT/remote.pdf", "# Remote")
        server.add("HR/logo.png", "a picture")
        yield server


def source_at(server: FakeSharePoint, **changed: str) -> tuple[PolicySource, Settings]:
    """Return a source in the library, with settings that lead to the local server."""
    settings = Settings(graph_url=server.url, teams_login_url=server.url)
    given = {"where": SITE, "tenant": TENANT, "app": APP, "readers": "audience", **changed}
    source = PolicySource(
        name="hr",
        kind=SourceKind.SHAREPOINT,
        location=checked_location(SourceKind.SHAREPOINT, given, settings=settings),
        key_prefix=None,
        audience=None,
        withdrawing=Withdrawing.ASK,
        every_s=3600,
    )
    return source, settings


@asynccontextmanager
async def library(server: FakeSharePoint, **changed: str) -> AsyncGenerator[SharePointConnector]:
    """Connect as the product does."""
    source, settings = source_at(server, **changed)
    async with opened(source, settings) as connector:
        yield connector


@dataclass
class Listed:
    """What a listing came to."""

    items: dict[str, SourceItem] = field(default_factory=dict[str, SourceItem])
    gone: set[str] = field(default_factory=set[str])
    others: set[str] = field(default_factory=set[str])
    pages: list[ChangePage] = field(default_factory=list[ChangePage])
    end: ListingEnd | None = None

    @property
    def paths(self) -> list[str]:
        return sorted(one.path for one in self.items.values())

    @property
    def token(self) -> str:
        assert self.end is not None
        assert self.end.token is not None
        return self.end.token


async def listed(
    connector: SharePointConnector,
    *,
    since: str | None = None,
    cursor: str | None = None,
    pages: int | None = None,
) -> Listed:
    """Take a listing in, as a synchronisation does; break it off after some pages."""
    found = Listed()
    async for part in connector.changes(since=since, cursor=cursor):
        if isinstance(part, ListingEnd):
            found.end = part
            break
        found.pages.append(part)
        found.items |= {one.item_id: one for one in part.items}
        found.gone |= set(part.gone)
        found.others |= {one.path for one in part.others}
        if len(found.pages) == pages:
            break
    return found


async def test_a_library_is_listed_and_read(office: FakeSharePoint) -> None:
    """Documents that are no policies are left out; a download gets no token of ours."""
    async with library(office) as connector:
        assert await connector.check() == "the library 'Documents' can be read"
        found = await listed(connector)
        assert found.paths == ["HR/Travel/travel.docx", "HR/gifts.md", "IT/remote.pdf"]
        assert found.end is not None
        assert found.end.is_whole
        gifts = next(one for one in found.items.values() if one.path == "HR/gifts.md")
        assert gifts.given.url == f"{SITE}/Documents/gifts.md"
        assert await connector.fetch(gifts) == b"# Gifts"
        assert await connector.is_there(gifts.item_id)
        assert office.count("/token") == 1


async def test_changes_alone_are_listed(office: FakeSharePoint) -> None:
    """New, changed, renamed and deleted ones; and what became a file that is no policy."""
    async with library(office) as connector:
        first = await listed(connector)
        by_path = {one.path: one for one in first.items.values()}
        gifts, travel, remote = (
            by_path[one].item_id
            for one in ("HR/gifts.md", "HR/Travel/travel.docx", "IT/remote.pdf")
        )
        assert (await listed(connector, since=first.token)).items == {}
        office.change(gifts, "# Gifts, revised")
        office.move(travel, name="business travel.docx", to="root")
        office.move(remote, name="remote.zip")
        new = office.add("HR/leave.md", "# Leave")
        gone = office.add("HR/draft.md", "# Draft")
        office.delete(gone)
        office.repeats = gifts
        second = await listed(connector, since=first.token)
        assert second.end is not None
        assert not second.end.is_whole
        assert {one: second.items[one].path for one in second.items} == {
            gifts: "HR/gifts.md",
            travel: "business travel.docx",
            new: "HR/leave.md",
        }
        assert second.gone == {gone}
        assert second.others == {"IT/remote.zip"}
        assert second.items[gifts].version != by_path["HR/gifts.md"].version
        with pytest.raises(DocumentError, match="deleted in the meantime"):
            await connector.fetch(SourceItem(item_id=gone, path="-", version="1"))
        assert not await connector.is_there(gone)


async def test_what_a_renamed_folder_holds_is_listed_again(office: FakeSharePoint) -> None:
    """The feed says nothing of it: it has new paths all the same, and none of it is gone."""
    async with library(office) as connector:
        first = await listed(connector)
        folder = next(one for one in office.entries.values() if one.name == "HR")
        office.move(folder.entry_id, name="People")
        second = await listed(connector, since=first.token)
        assert second.paths == ["IT/remote.pdf", "People/Travel/travel.docx", "People/gifts.md"]
        assert second.items.keys() == first.items.keys()
        assert second.end is not None
        assert second.end.is_whole
        assert second.gone.isdisjoint(first.items)
        office.add("Legal/archive.md", "# Archive")
        assert "Legal/archive.md" in (await listed(connector, since=second.token)).paths
        office.delete(folder.entry_id, is_told=False)
        third = await listed(connector, since=second.token)
        assert third.paths == ["IT/remote.pdf", "Legal/archive.md"]
        office.restore(folder.entry_id)
        fourth = await listed(connector, since=third.token)
        assert fourth.items.keys() >= first.items.keys()
        assert third.end is not None
        assert third.end.is_whole


async def test_a_part_of_a_library(office: FakeSharePoint) -> None:
    """What lies in another folder is not listed; what was moved there is gone."""
    async with library(office, folder="HR") as connector:
        assert await connector.check() == "folder 'HR' of the library 'Documents' can be read"
        first = await listed(connector)
        assert first.paths == ["Travel/travel.docx", "gifts.md"]
        gifts = next(one for one, item in first.items.items() if item.path == "gifts.md")
        other = next(one for one in office.entries.values() if one.name == "IT")
        office.move(gifts, to=other.entry_id)
        second = await listed(connector, since=first.token)
        assert (second.paths, second.gone) == ([], {gifts})
        assert not await connector.is_there(gifts)
    for names, why in (
        ({"folder": "Legal"}, "there is no folder 'Legal'"),
        ({"folder": "HR/logo.png"}, "is a file"),
        ({"library": "Minutes"}, "it has 'Documents', 'Contracts'"),
        ({"where": f"{SITE}-old"}, "there is no site"),
    ):
        async with library(office, **names) as connector:
            with pytest.raises(ConfigError, match=why):
                await connector.check()


async def test_a_listing_goes_on_where_it_was(office: FakeSharePoint) -> None:
    """Pages that were worked through are not asked for again, also in a process of its own."""
    office.page_size = 2
    async with library(office) as connector:
        first = await listed(connector, pages=2)
    cursor = first.pages[-1].cursor
    asked = office.count("/root/delta")
    async with library(office) as connector:
        second = await listed(connector, cursor=cursor)
    assert second.end is not None
    assert second.end.is_whole
    assert len(second.pages) == 2
    assert office.count("/root/delta") == asked + 2
    assert sorted(first.paths + second.paths) == [
        "HR/Travel/travel.docx",
        "HR/gifts.md",
        "IT/remote.pdf",
    ]


async def test_a_feed_that_can_not_go_on_begins_anew(office: FakeSharePoint) -> None:
    """Whether Graph has forgotten the changes, never knew the link, or the folder is another."""
    async with library(office) as connector:
        first = await listed(connector)
        office.forget_changes()
        second = await listed(connector, since=first.token)
        assert second.paths == first.paths
        assert second.end is not None
        assert second.end.is_whole
        damaged = second.token.replace("token=feed", "token=fed")
        for token in (damaged, "{}", "[" * 9_000, '{"folders": 1}', "\0" * 8_000):
            assert (await listed(connector, since=token)).paths == first.paths
    async with library(office, folder="HR") as connector:
        third = await listed(connector, since=second.token)
        assert third.end is not None
        assert third.end.is_whole


async def test_our_token_goes_to_graph_alone(office: FakeSharePoint) -> None:
    """A feed that leads elsewhere is not followed; what was kept of another Graph is dropped."""
    office.page_size = 2
    async with library(office) as connector:
        first = await listed(connector)
        for host in ("https://graph.example.com", f"{office.url}@graph.example.com"):
            elsewhere = first.token.replace(office.url, host)
            assert (await listed(connector, since=elsewhere)).paths == first.paths
            office.leads_to = host
            with pytest.raises(TransientError, match="leads to another host"):
                await listed(connector)
            office.leads_to = ""


async def test_graph_in_trouble(office: FakeSharePoint) -> None:
    """It may ask to wait, let tokens end, break off, and refuse; nothing is taken for deleted."""
    async with library(office) as connector:
        first = await listed(connector)
        office.expire_tokens()
        office.refuse("/root/delta", 429, Retry_After="0")
        office.refuse("/root/delta", 503, Retry_After="0")
        assert (await listed(connector)).paths == first.paths
        assert office.count("/token") == 2
        office.refuse("/root/delta", 403)
        with pytest.raises(ConfigError, match=r"refuses us .403.: check the registration"):
            await listed(connector)
    source, settings = source_at(office, app=TENANT)
    async with opened(source, settings) as connector:
        with pytest.raises(ConfigError, match=r"invalid_client .AADSTS7000215."):
            await connector.check()


async def test_what_can_not_be_read_is_said(office: FakeSharePoint) -> None:
    """A file that is too large, or holds malware, is not fetched."""
    big = office.add("HR/big.pdf", "-", size=MAX_BYTES + 1)
    bad = office.add("HR/bad.pdf", "-", malware={"description": "EICAR"})
    link = office.add("HR/link.pdf", "-", webUrl="javascript:alert(1)")
    old = office.add("HR/old.doc", "-")
    office.add("HR/~$gifts.docx", "-")
    async with library(office) as connector:
        found = await listed(connector)
        assert "over the limit of 50 MB" in str(found.items[big].problem)
        assert "malware" in str(found.items[bad].problem)
        assert found.items[link].given.url is None
        assert "named .doc are not read" in str(found.items[old].problem)
        assert found.others == {"HR/logo.png"}
        assert not any("~$" in one for one in found.paths)


async def test_names_are_bounded_by_nothing_but_what_can_be_stored(office: FakeSharePoint) -> None:
    """Control characters, halves of characters, thousands of characters: a line of text."""
    hostile = {
        "\0\n\x1b[31m": "\ufffd\ufffd\ufffd[31m",
        "\ud800": "\ufffd",
        "x" * 8_000: "x" * 8_000,
    }
    ids = [office.add(f"HR/{name}.md", "# Text") for name in hostile]
    office.entries[ids[0]].more = {"eTag": "\0" * 8_000, "webUrl": "https://\n"}
    async with library(office) as connector:
        found = await listed(connector)
        assert [found.items[one].path for one in ids] == [
            f"HR/{one}.md" for one in hostile.values()
        ]
        assert "\0" not in found.items[ids[0]].version
        assert (await listed(connector, since=found.token)).items == {}


async def test_folders_in_a_ring_lead_nowhere(office: FakeSharePoint) -> None:
    """A path is bounded, whatever Graph says of parents."""
    office.add("A/B/ring.md", "# Ring")
    upper = next(one for one in office.entries.values() if one.name == "A")
    lower = next(one for one in office.entries.values() if one.name == "B")
    async with library(office) as connector:
        upper.parent = lower.entry_id
        async with asyncio.timeout(30):
            assert "ring.md" not in "".join((await listed(connector)).paths)


@pytest.mark.parametrize(
    ("where", "more", "why"),
    [
        ("http://contoso.sharepoint.com/sites/HR", {}, "expected the address of a site"),
        ("https://u:p@contoso.sharepoint.com/sites/HR", {}, "an address with a name"),
        (f"{SITE}/Documents/Forms/AllItems.aspx", {}, "the library by --library"),
        ("https://contoso.sharepoint.com/:f:/s/HR/Eabc", {}, "expected the address of a site"),
        (SITE, {"folder": "../x"}, "expected a folder in the library"),
        (SITE, {"tenant": "contoso"}, "--tenant, the id of the directory"),
        (SITE, {"app": ""}, "--app, the id of the application"),
        (SITE, {"branch": "main"}, "--branch is for git, not for sharepoint"),
    ],
)
def test_where_it_can_not_be(where: str, more: dict[str, str], why: str) -> None:
    """What is missing or wrong is named as it is typed."""
    given = {"where": where, "tenant": TENANT, "app": APP} | more
    with pytest.raises(UsageError, match=why):
        checked_location(SourceKind.SHAREPOINT, given, settings=Settings())


async def test_a_secret_goes_to_microsoft_alone(
    monkeypatch: pytest.MonkeyPatch, office: FakeSharePoint
) -> None:
    """In production addresses that only tests have are refused; without a secret, nothing is."""
    source, settings = source_at(office)
    for more in ({"graph_url": office.url}, {"teams_login_url": office.url}):
        where = {"graph_url": "https://graph.microsoft.com", "teams_login_url": None} | more
        real = Settings(environment="production", **where)  # pyright: ignore[reportArgumentType]
        with pytest.raises(ConfigError, match="in production"):
            async with opened(source, real):
                pass
    monkeypatch.delenv("CITEBOUND_SOURCE_HR_TOKEN")
    with pytest.raises(ConfigError, match="CITEBOUND_SOURCE_HR_TOKEN"):
        async with opened(source, settings):
            pass


async def test_a_certificate_in_place_of_a_secret(
    office: FakeSharePoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It signs each request for a token; half of it, or another key, is refused by name."""
    pem = certificate_file()
    key, certificate = pem[: pem.index("-----BEGIN CERT")], pem[pem.index("-----BEGIN CERT") :]
    monkeypatch.setenv("CITEBOUND_SOURCE_HR_TOKEN", pem)
    async with library(office) as connector:
        assert "can be read" in await connector.check()
        office.expire_tokens()
        assert "can be read" in await connector.check()
    assert office.count("/token") == 2
    broken = key.replace("\nMII", "\nMIX")
    for given in (key, certificate, f"{broken}{certificate}", "-----BEGIN " + "x" * 8_000):
        monkeypatch.setenv("CITEBOUND_SOURCE_HR_TOKEN", given)
        with pytest.raises(ConfigError, match="a certificate and its RSA private key") as refused:
            async with library(office):
                pass
        assert "BEGIN" not in str(refused.value)


@pytest.mark.nightly
async def test_ten_thousand_files(office: FakeSharePoint) -> None:
    """A large library takes a request for 200 files, its next changes one; a kill costs a page."""
    office.page_size = 200
    ids = [office.add(f"Area {n % 500}/Part {n % 7}/{n:05}.md", "# Text") for n in range(10_000)]
    async with library(office) as connector:
        office.asked.clear()
        first = await listed(connector, pages=40)
        second = await listed(connector, cursor=first.pages[-1].cursor)
        assert len(first.items | second.items) == len(ids) + 3
        assert office.count("/root/delta") == len(first.pages) + len(second.pages)
        assert office.count("/items/") == 0
        office.change(ids[7_777], "# Other text")
        office.asked.clear()
        third = await listed(connector, since=second.token)
        assert third.paths == ["Area 277/Part 0/07777.md"]
        assert len(office.asked) == 1
        assert len(third.token) < 1_000_000
