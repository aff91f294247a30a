"""A space of Confluence over HTTP: what is listed, fetched, and who may read it."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

import pytest

from core.adapters.sources.confluence import connector as listing
from core.adapters.sources.confluence.access import ConfluenceAccess
from core.adapters.sources.confluence.cloud import CloudSpace, rules_of
from core.adapters.sources.confluence.connector import ConfluenceConnector
from core.adapters.sources.confluence.opening import opened
from core.adapters.sources.credentials import FixedCredentials
from core.adapters.sources.http import ServiceHttp, open_session
from core.adapters.sources.locations import checked_location
from core.config.settings import Settings
from core.domain.errors import ConfigError, DocumentError, TransientError
from core.sources.connector import (
    ChangePage,
    ItemReaders,
    ListingEnd,
    PolicySource,
    ReadersPage,
    SourceItem,
    SourceKind,
    UnreadReaders,
    Withdrawing,
)
from tests.servers.confluence import ACCOUNT, AUTHORIZATION, TOKEN, Page, Wiki, confluence

NOBODY: frozenset[str] = frozenset()
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def wiki() -> Wiki:
    """A space of two policies below a folder, one at the top, and pages that are none of it."""
    held = Wiki()
    held.add(
        Page(id="10", title="Policies"),
        Page(id="20", title="Travel & Expenses", parent="folder:30"),
        Page(id="30", title="In force", kind="folder", parent="10"),
        Page(id="40", title="Gifts 50/50", parent="20"),
        Page(id="50", title="Elsewhere", space="8"),
        Page(id="60", title="Old", status="archived"),
        Page(id="70", title="Gone", status="trashed"),
    )
    return held


@asynccontextmanager
async def reading(
    wiki: Wiki, *, key: str = "HR", everyone: frozenset[str] = frozenset()
) -> AsyncGenerator[ConfluenceConnector]:
    """Connect to a wiki; nobody waits."""

    async def sleep(_: float) -> None:
        await asyncio.sleep(0)

    with confluence(wiki) as site:
        async with open_session() as session:
            http = ServiceHttp(
                session,
                base=site,
                credentials=FixedCredentials(AUTHORIZATION),
                rules=rules_of("Confluence", check="check the token"),
                sleep=sleep,
            )
            space = CloudSpace(http, site=site, api=site, key=key)
            yield ConfluenceConnector(space, everyone=everyone)


async def listed(
    connector: ConfluenceConnector, *, since: str | None = None, cursor: str | None = None
) -> tuple[list[SourceItem], ListingEnd]:
    """Return what a listing says."""
    items: list[SourceItem] = []
    async for part in connector.changes(since=since, cursor=cursor):
        if isinstance(part, ListingEnd):
            return items, part
        items += part.items
    raise AssertionError("a listing has an end")


def access_of(connector: ConfluenceConnector) -> ConfluenceAccess:
    """Return what says who may read."""
    assert connector.access is not None
    return connector.access


async def readers(
    connector: ConfluenceConnector, known: Sequence[str]
) -> dict[str, frozenset[str] | str | None]:
    """Return the groups of documents, or why they can't be read."""
    found: dict[str, frozenset[str] | str | None] = {}
    async for part in access_of(connector).changes(known=known, since=None, cursor=None):
        if isinstance(part, ReadersPage):
            for one in part.readers:
                found[one.item_id] = one.problem if isinstance(one, UnreadReaders) else one.groups
    return found


async def test_pages_of_a_space_are_documents(wiki: Wiki) -> None:
    """Current ones of the space: with path, title, address and version; the text as written."""
    wiki.most = 2
    async with reading(wiki) as connector:
        items, end = await listed(connector)
        assert end.is_whole
        assert [(one.item_id, one.path) for one in items] == [
            ("10", "Policies.html"),
            ("20", "Policies/In force/Travel & Expenses.html"),
            ("40", "Policies/In force/Travel & Expenses/Gifts 50-50.html"),
        ]
        last = items[-1]
        assert last.given.title == "Gifts 50/50"
        assert (last.given.url or "").endswith("/wiki/spaces/HR/pages/40/Gifts+50/50")
        assert b"Employees must ask first." in await connector.fetch(last)
        assert await connector.is_there("40")
        assert not await connector.is_there("50")
        assert not await connector.is_there("60")
        assert not await connector.is_there("99")
        assert "Human Resources" in await connector.check()


@pytest.mark.parametrize(
    "title", ["x" * 8000, "../../etc", "a\nb\x00", "\ud800", "\u202e.exe", "...", "", " "]
)
async def test_titles_are_text_that_can_be_kept(wiki: Wiki, title: str) -> None:
    """A path is short, on one line and below the space, whatever a page is called."""
    wiki.pages["10"].title = title
    async with reading(wiki) as connector:
        items, _ = await listed(connector)
        await connector.fetch(items[0])
    for one in items:
        assert one.path.encode().decode().isprintable()
        assert ".." not in PurePosixPath(one.path).parts
        assert all(0 < len(part) <= 130 for part in one.path.split("/"))
        assert (one.given.title or "").encode().decode().isprintable()


async def test_a_small_space_is_listed_whole_each_time(wiki: Wiki) -> None:
    """So what moved, and what left the space, is known at once."""
    async with reading(wiki) as connector:
        before, end = await listed(connector)
        wiki.pages["40"].parent = "10"
        wiki.pages["20"].space = "8"
        after, again = await listed(connector, since=end.token)
    assert again.is_whole
    assert [one.path for one in after] == ["Policies.html", "Policies/Gifts 50-50.html"]
    assert after[1].version == before[2].version


async def test_of_a_large_space_the_search_says_what_changed(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the account's time zone; the page itself says what it is, not the search."""
    monkeypatch.setattr(listing, "WHOLE_UP_TO", 2)
    for hours in (-12, 0, 14):
        wiki.time_zone = timedelta(hours=hours)
        async with reading(wiki) as connector:
            _, end = await listed(connector)
            wiki.write("40", "<p>New.</p>", at=datetime.fromtimestamp(time.time(), UTC))
            wiki.pages["50"].changed_at = wiki.pages["40"].changed_at
            wiki.asked.clear()
            items, again = await listed(connector, since=end.token)
        assert ([one.item_id for one in items], again.is_whole) == (["40"], False)
        assert wiki.asked["/wiki/api/v2/spaces/#/pages"] == 0
        assert json.loads(again.token or "")["count"] == 3
        wiki.pages["40"].changed_at = wiki.pages["50"].changed_at = LONG_AGO


async def test_now_and_then_a_large_one_is_listed_whole(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the search does not tell is known after some hours."""
    monkeypatch.setattr(listing, "WHOLE_UP_TO", 2)
    async with reading(wiki) as connector:
        _, end = await listed(connector)
        told = json.loads(end.token or "")
        _, soon = await listed(connector, since=end.token)
        told["whole"] = (datetime.fromtimestamp(time.time(), UTC) - timedelta(hours=7)).isoformat()
        _, late = await listed(connector, since=json.dumps(told))
        _, unknown = await listed(connector, since="what an older release wrote")
    assert (soon.is_whole, late.is_whole, unknown.is_whole) == (False, True, True)


async def test_an_interrupted_listing_goes_on(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the last page that was worked through; changes since its beginning are not lost."""
    monkeypatch.setattr(listing, "A_PAGE", 1)
    async with reading(wiki) as connector:
        first = await anext(aiter(connector.changes(since=None, cursor=None)))
        assert isinstance(first, ChangePage)
        items, end = await listed(connector, cursor=first.cursor)
    assert [one.item_id for one in items] == ["20", "40"]
    assert end.is_whole
    assert json.loads(end.token or "")["began"] == json.loads(first.cursor or "")["began"]


@pytest.mark.parametrize(
    "link", ["https://elsewhere.example/wiki/api", "//elsewhere.example/wiki", "/admin", 7]
)
async def test_the_token_goes_to_the_site_alone(wiki: Wiki, link: str) -> None:
    """A next page elsewhere is not asked for."""
    wiki.most, wiki.next_link = 1, link
    async with reading(wiki) as connector:
        with pytest.raises((TransientError, ConfigError)):
            await listed(connector)


async def test_a_token_with_scopes_goes_to_the_gateway(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is read there, page by page; the site is asked for the id of its cloud, and linked to."""
    monkeypatch.setenv("CITEBOUND_SOURCE_HOUSE_TOKEN", f"{ACCOUNT}:{TOKEN}")
    wiki.is_token_scoped, wiki.most = True, 2
    with confluence(wiki) as site:
        settings = Settings(atlassian_url=site.removesuffix("/wiki"))
        given = {"where": site, "space": "HR", "api_token": "scoped"}
        where = checked_location(SourceKind.CONFLUENCE, given, settings=settings)
        source = PolicySource(
            name="house",
            kind=SourceKind.CONFLUENCE,
            location=where,
            key_prefix=None,
            audience=None,
            withdrawing=Withdrawing.ASK,
            every_s=3600,
        )
        async with opened(source, settings) as connector:
            assert isinstance(connector, ConfluenceConnector)
            items, _ = await listed(connector)
            assert [one.item_id for one in items] == ["10", "20", "40"]
            assert str(items[0].given.url).startswith(f"{site}/spaces/HR/pages/10/")
            assert await readers(connector, ["10"]) == {"10": {"confluence:g-all"}}
        wiki.is_token_scoped = False
        async with opened(source, settings) as connector:
            with pytest.raises(ConfigError, match=r"401.*that it has the scopes of docs"):
                await connector.check()
        for cloud in ("../../evil", "", "x" * 8_000):
            wiki.cloud = cloud
            with pytest.raises(ConfigError, match="no site of Confluence Cloud"):
                async with opened(source, settings):
                    pass
    away = Settings(atlassian_url="http://gateway.example")
    with pytest.raises((ConfigError, TransientError)):
        async with opened(source, away):
            pass
    assert not any(path.startswith("/wiki/api") for path in wiki.asked)


async def test_a_listing_that_leads_back_ends(wiki: Wiki) -> None:
    """A next page that was read already is no next page."""
    wiki.most, wiki.next_link = 1, "/wiki/api/v2/spaces/7/pages?limit=1"
    async with reading(wiki) as connector:
        with pytest.raises(TransientError, match="leads back to where it was"):
            await listed(connector)
    assert wiki.asked["/wiki/api/v2/spaces/#/pages"] == 2


async def test_waits_and_failures(wiki: Wiki) -> None:
    """What passes is repeated; a refusal says what to do; a page that is gone fails alone."""
    wiki.faults = [(429, {"Retry-After": "2"}), (503, {}), (200, {}), (500, {})]
    async with reading(wiki) as connector:
        with pytest.raises(TransientError):
            await listed(connector)
        items, _ = await listed(connector)
        assert len(items) == 3
        wiki.pages["40"].status, wiki.pages["40"].is_hidden = "trashed", True
        with pytest.raises(DocumentError, match="deleted in the meantime"):
            await connector.fetch(items[-1])
        wiki.pages["20"].storage = " "
        with pytest.raises(DocumentError, match="no text"):
            await connector.fetch(items[1])
        wiki.authorization = "Basic other"
        with pytest.raises(ConfigError, match="check the token"):
            await listed(connector)
    async with reading(Wiki(), key="NONE") as connector:
        with pytest.raises(ConfigError, match="no space 'NONE'"):
            await listed(connector)


async def test_readers_are_those_of_the_space_and_of_every_restriction(wiki: Wiki) -> None:
    """Restrictions hold for what stands below, also of folders; people alone are nobody."""
    wiki.groups = ["g-hr", "g-legal", "g-board"]
    async with reading(wiki) as connector:
        known = ["10", "20", "40"]
        everybody = frozenset({"confluence:g-hr", "confluence:g-legal", "confluence:g-board"})
        assert await readers(connector, known) == dict.fromkeys(known, everybody)
        wiki.pages["30"].groups = ["g-legal", "g-board", "g-outside"]
        wiki.pages["40"].groups = ["g-board"]
        found = await readers(connector, known)
        assert found["10"] == everybody
        assert found["20"] == {"confluence:g-legal", "confluence:g-board"}
        assert found["40"] == {"confluence:g-board"}
        wiki.pages["10"].people = ["5b10"]
        assert await readers(connector, known) == dict.fromkeys(known, NOBODY)
        item = SourceItem(item_id="40", path="x.html", version="1")
        assert await access_of(connector).of(item) == ItemReaders(item_id="40", groups=NOBODY)


async def test_the_group_of_everyone_is_everyone(wiki: Wiki) -> None:
    """A space for all is for all; a restriction to a group is for that group."""
    wiki.pages["20"].groups = ["g-legal"]
    wiki.searches_late = {"20"}
    async with reading(wiki, everyone=frozenset({"g-all"})) as connector:
        found = await readers(connector, ["10", "20", "40"])
    legal = frozenset({"confluence:g-legal"})
    assert found == {"10": None, "20": legal, "40": legal}


async def test_what_can_not_be_read_is_said(wiki: Wiki) -> None:
    """A page below one that we may not see has no readers that we know of."""
    wiki.pages["10"].is_hidden = True
    wiki.pages["50"].parent = None
    async with reading(wiki) as connector:
        found = await readers(connector, ["20", "50", "70"])
        assert list(found) == ["20"]
        assert "stands below" in str(found["20"])
        with pytest.raises(DocumentError, match="stands below"):
            await access_of(connector).of(SourceItem(item_id="20", path="x.html", version="1"))
        items, _ = await listed(connector)
        assert items[0].path == "Travel & Expenses.html"
    wiki.pages["10"].is_hidden, wiki.tells_people = False, False
    async with reading(wiki) as connector:
        assert "can't be read" in str((await readers(connector, ["40"]))["40"])
    wiki.tells_people = True
    wiki.pages["10"].parent = "40"
    async with reading(wiki) as connector:
        assert "more than 100" in str((await readers(connector, ["40"]))["40"])


@pytest.mark.nightly
async def test_ten_thousand_pages() -> None:
    """Forty requests list them, and as many again per hundred tell who may read."""
    held = Wiki()
    held.add(*(Page(id=str(number), title=f"Policy {number}") for number in range(1, 10_001)))
    async with reading(held) as connector:
        items, _ = await listed(connector)
        assert len(items) == 10_000
        assert held.asked["/wiki/api/v2/spaces/#/pages"] == 40
        found = await readers(connector, [one.item_id for one in items])
    assert set(found.values()) == {frozenset({"confluence:g-all"})}
    assert held.asked["/wiki/rest/api/content/search"] == 200
