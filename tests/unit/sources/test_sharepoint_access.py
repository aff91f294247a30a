"""Who may read a file, by its permissions in SharePoint: groups alone, and never more people."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.adapters.sources.credentials import FixedCredentials
from core.adapters.sources.http import ServiceHttp, open_session
from core.adapters.sources.sharepoint.access import SharePointAccess, readers_of
from core.adapters.sources.sharepoint.connector import graph_rules
from core.adapters.sources.sharepoint.library import DocumentLibrary, LibraryAddress
from core.domain.errors import ConfigError, DocumentError
from core.sources.connector import (
    ItemReaders,
    ListingEnd,
    ReadersPage,
    SourceItem,
    UnreadReaders,
)
from tests.servers.sharepoint import SITE, TENANT, FakeSharePoint, group, sharepoint_server

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
FINANCE = "5f0e3c1a-9d8b-4c7a-a6f5-e4d3c2b1a098"
HERE = f"c:0-.f|rolemanager|spo-grid-all-users/{TENANT}"
ELSEWHERE = "c:0-.f|rolemanager|spo-grid-all-users/00000000-0000-4000-8000-000000000000"
VISITORS = {"siteGroup": {"id": "5", "displayName": "Policies Visitors"}}
ANNA = {"user": {"id": "9c5d", "displayName": "Anna"}, "siteUser": {"loginName": "i:0#.f|anna"}}
SITE_KEY = "contoso.sharepoint.example/sites/policies"
NOBODY = frozenset[str]()


def login(name: str) -> dict[str, Any]:
    return {"siteUser": {"loginName": name}}


def granted(to: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"roles": ["read"], "grantedToV2": to, **more}


def link(scope: str, *to: dict[str, Any]) -> dict[str, Any]:
    return {"roles": ["read"], "link": {"scope": scope}, "grantedToIdentitiesV2": list(to)}


@pytest.mark.parametrize(
    ("permission", "readers"),
    [
        (group(FINANCE.upper()), {f"entra:{FINANCE}"}),
        (group(FINANCE, role="write"), {f"entra:{FINANCE}"}),
        (group(FINANCE, login=f"c:0t.c|tenant|{FINANCE}"), {f"entra:{FINANCE}"}),
        (
            group(FINANCE, login=f"c:0o.c|federateddirectoryclaimprovider|{FINANCE}"),
            {f"entra:{FINANCE}"},
        ),
        # Owners of a group are only some of it.
        (group(FINANCE, login=f"c:0o.c|federateddirectoryclaimprovider|{FINANCE}_o"), NOBODY),
        (group(FINANCE, login=f"c:0t.c|tenant|{TENANT}"), NOBODY),
        (group("Finance"), NOBODY),
        (granted(VISITORS), {f"sharepoint:{SITE_KEY}:5"}),
        (granted({"siteGroup": {"id": "5/../6"}}), NOBODY),
        (granted(login(HERE)), None),
        (granted(login("c:0(.s|true")), None),
        (granted(login(ELSEWHERE)), NOBODY),
        (granted(ANNA), NOBODY),
        (granted({"application": {"id": FINANCE}}), NOBODY),
        (group(FINANCE, role="sp.restrictedView"), NOBODY),
        ({"grantedToV2": {"group": {"id": FINANCE}}}, NOBODY),
        ({"roles": "read", "grantedToV2": {"group": {"id": FINANCE}}}, NOBODY),
        (granted({"group": {"id": FINANCE}}, hasPassword=True), NOBODY),
        (granted({"group": {"id": FINANCE}}, expirationDateTime="2026-11-24T11:00:00Z"), NOBODY),
        (granted({"group": {"id": FINANCE}}, expirationDateTime="soon"), NOBODY),
        (
            granted({"group": {"id": FINANCE}}, expirationDateTime="0001-01-01T00:00:00Z"),
            {f"entra:{FINANCE}"},
        ),
        (link("users", {"group": {"id": FINANCE}}, ANNA), {f"entra:{FINANCE}"}),
        (link("organization"), NOBODY),
        (link("anonymous", {"group": {"id": FINANCE}}), NOBODY),
        (link("existingAccess"), NOBODY),
        ({}, NOBODY),
        ({"roles": ["read"], "grantedToV2": None, "grantedToIdentitiesV2": "x"}, NOBODY),
    ],
)
def test_readers_of(permission: dict[str, Any], readers: set[str] | None) -> None:
    """Whoever can't be expressed by groups does not read here."""
    found = readers_of(permission, site=SITE_KEY, tenant=TENANT, takes_links=False, now=NOW)
    assert found == readers


def test_links_may_be_taken_at_their_word() -> None:
    """Where the source was told so, and only links for all of the organisation."""
    for scope, readers in (("organization", None), ("anonymous", None), ("users", NOBODY)):
        found = readers_of(link(scope), site=SITE_KEY, tenant=TENANT, takes_links=True, now=NOW)
        assert found == readers


class Hours:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> datetime:
        return self.at


@asynccontextmanager
async def reading(
    server: FakeSharePoint, hours: Hours, *, few: int = 0
) -> AsyncGenerator[SharePointAccess]:
    server.good_tokens.add("t")
    async with open_session() as session:
        http = ServiceHttp(
            session,
            base=f"{server.url}/v1.0",
            credentials=FixedCredentials("Bearer t"),
            rules=graph_rules("check it"),
            sleep=_at_once,
        )
        address = LibraryAddress(site=SITE, library="", folder="")
        yield SharePointAccess(
            DocumentLibrary(http, address), tenant=TENANT, takes_links=False, now=hours.now, few=few
        )


async def _at_once(_: float) -> None:
    return


async def read(
    access: SharePointAccess,
    known: Sequence[str],
    *,
    since: str | None = None,
    cursor: str | None = None,
    pages: int | None = None,
) -> tuple[dict[str, ItemReaders | UnreadReaders], ListingEnd | ReadersPage]:
    """Take a listing of readers in; return them, and the end or the page it broke off after."""
    found: dict[str, ItemReaders | UnreadReaders] = {}
    count = 0
    async for part in access.changes(known=known, since=since, cursor=cursor):
        if isinstance(part, ListingEnd):
            return found, part
        found |= {one.item_id: one for one in part.readers}
        count += 1
        if count == pages:
            return found, part
    raise AssertionError


def whom(found: ItemReaders | UnreadReaders) -> frozenset[str] | None:
    assert isinstance(found, ItemReaders), found
    return found.groups


async def test_permissions_are_read_when_they_change() -> None:
    """Those of a file by the feed, those of a folder all anew, and all after some hours anyway."""
    hours = Hours()
    with sharepoint_server() as server:
        server.share("root", granted(VISITORS))
        ids = [server.add(f"HR/{number:02}.md", "# Text") for number in range(45)]
        async with reading(server, hours) as access:
            await access.check()
            found, end = await read(access, ids)
            assert {whom(one) for one in found.values()} == {
                frozenset({f"sharepoint:{SITE_KEY}:5"})
            }
            assert found.keys() == set(ids)
            assert isinstance(end, ListingEnd)
            assert end.is_whole

            server.share(ids[3], group(FINANCE))
            asked = server.count("/permissions")
            found, second = await read(access, ids, since=end.token)
            assert {one: whom(found[one]) for one in found} == {ids[3]: {f"entra:{FINANCE}"}}
            assert server.count("/permissions") == asked + 1
            assert isinstance(second, ListingEnd)
            assert not second.is_whole

            folder = next(one for one in server.entries.values() if one.name == "HR")
            server.share(folder.entry_id, group(FINANCE))
            found, third = await read(access, ids, since=second.token)
            assert {whom(one) for one in found.values()} == {frozenset({f"entra:{FINANCE}"})}
            assert isinstance(third, ListingEnd)
            assert third.is_whole

            server.entries["root"].permissions = []
            folder.permissions = None
            hours.at += timedelta(hours=5)
            assert (await read(access, ids, since=third.token))[0] == {}
            hours.at += timedelta(hours=2)
            found, fourth = await read(access, ids, since=third.token)
            assert whom(found[ids[0]]) == NOBODY
            assert whom(found[ids[3]]) == {f"entra:{FINANCE}"}
            assert isinstance(fourth, ListingEnd)
            assert fourth.is_whole
            server.forget_changes()
            found, _ = await read(access, ids, since=fourth.token)
            assert len(found) == len(ids)


async def test_a_reading_of_permissions_goes_on() -> None:
    """Where it was; a file that came meanwhile, and one that is gone, disturb nothing."""
    with sharepoint_server() as server:
        server.share("root", granted(VISITORS))
        ids = [server.add(f"{number:02}.md", "# Text") for number in range(50)]
        async with reading(server, Hours()) as access:
            first, page = await read(access, list(reversed(ids)), pages=1)
            assert isinstance(page, ReadersPage)
            server.delete(ids[-1])
            second, end = await read(access, ids, cursor=page.cursor)
            assert isinstance(end, ListingEnd)
            assert end.is_whole
            assert set(first) | set(second) == set(ids)
            assert not set(first) & set(second)
            assert isinstance(second[ids[-1]], UnreadReaders)


async def test_permissions_that_are_not_shown_let_nobody_read() -> None:
    """The check says what to grant; a file that is refused is not taken for open."""
    with sharepoint_server() as server:
        file = server.add("gifts.md", "# Gifts")
        server.share("root", granted({"application": {"id": FINANCE}}))
        async with reading(server, Hours()) as access:
            with pytest.raises(ConfigError, match="let the grant for the site be `fullcontrol`"):
                await access.check()
            item = SourceItem(item_id=file, path="gifts.md", version="1")
            assert await access.of(item) == ItemReaders(item_id=file, groups=NOBODY)
            server.refuse(f"{file}/permissions", 403)
            with pytest.raises(DocumentError, match="can't be read"):
                await access.of(item)


async def test_a_feed_without_permissions_is_read_whole() -> None:
    """Where Graph refuses what only more rights let it say, everything is read each time."""
    hours = Hours()
    with sharepoint_server() as server:
        server.share("root", granted(VISITORS))
        ids = [server.add("gifts.md", "# Gifts")]
        async with reading(server, hours) as access:
            server.refuse("token=latest", 403)
            _, end = await read(access, ids)
            assert isinstance(end, ListingEnd)
            server.refuse("/root/delta", 403)
            server.share(ids[0], group(FINANCE))
            found, second = await read(access, ids, since=end.token)
            assert whom(found[ids[0]]) == {f"entra:{FINANCE}"}
            assert isinstance(second, ListingEnd)
            assert second.is_whole
