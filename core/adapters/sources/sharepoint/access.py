"""`SharePointAccess`: who may read the files of a library, by their permissions.

Only groups count: those of Entra by their ids, those of the site by its address and theirs
(`sharepoint:contoso.sharepoint.com/sites/policies:5`), and the claim of everyone in the directory.
Single people, applications and guests who were invited count for nothing, nor do the owners of a
Microsoft 365 group, who are only some of it. A link opens a file to those who were sent it, and
that is nobody here unless the source was told to take links for the whole organisation at their
word. Whoever can't be expressed this way does not read: there are fewer readers, never more.

A library of some size is not read file by file each time: between two listings of all, the feed of
changes says whose permissions are news.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from core.adapters.sources.http import DELETED, Following
from core.adapters.sources.json_values import object_of, remembered
from core.adapters.sources.sharepoint.library import DocumentLibrary, values_of
from core.adapters.sources.sharepoint.tree import parent_of
from core.domain.codec import json_of
from core.domain.errors import ConfigError, DocumentError, TransientError
from core.sources.connector import (
    ItemReaders,
    ListingEnd,
    Readers,
    ReadersPage,
    SourceItem,
    UnreadReaders,
)

WHOLE_EVERY = timedelta(hours=6)
"""After this all permissions are read again, whatever the feed of changes said."""
FEW = 200
"""Up to so many documents, all permissions are read each time."""
A_PAGE = 20
"""Documents whose permissions are read before they are kept."""
MOST_PAGES = 10
"""Of the permissions of one file."""
MOST_FEED_PAGES = 2_000
PREFER = "deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges"
"""Lets the feed say what changed by its permissions alone."""
READING = frozenset({"read", "write", "owner", "sp.full control"})
"""Roles that may read; the others that there are see names, or a picture of the text."""
LINKS = frozenset({"organization", "anonymous"})
"""Links that open to everyone of the organisation who has them."""
FORBIDDEN, NOT_FOUND, GONE, BAD_REQUEST = 403, 404, 410, 400
OF_ONE_FILE = frozenset({BAD_REQUEST, FORBIDDEN, NOT_FOUND, 409, GONE, 423})
"""What Graph may answer of one file for reasons of its own."""
NO_READERS = (
    "the permissions can't be read: let the grant for the site be `fullcontrol`, or add the source"
    " with --readers audience, see docs/sources.md"
)
_GUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_GROUP = re.compile(rf"c:0[to]\.c\|(?:tenant|federateddirectoryclaimprovider)\|({_GUID})")
_ENTRA = re.compile(_GUID)
_EVERYONE = "c:0(.s|true"
_EVERYONE_HERE = "c:0-.f|rolemanager|spo-grid-all-users/"


@dataclass(frozen=True, slots=True)
class SharePointAccess:
    """See `SourceAccess`."""

    library: DocumentLibrary
    """Whose."""
    _: KW_ONLY
    tenant: str
    """The directory's id."""
    takes_links: bool
    """True: a link for the organisation lets all of it read."""
    now: Callable[[], datetime]
    """The present instant."""
    few: int = FEW
    """See `FEW`."""

    async def check(self) -> None:
        """Refuse a library whose permissions are not shown to us.

        Raises:
            ConfigError: They are not.
            TransientError: Graph fails at the moment.
        """
        found = await self._permissions((await self.library.ids()).scope)
        if isinstance(found, str) or not any(map(_names_somebody, found)):
            raise ConfigError(NO_READERS)

    async def of(self, item: SourceItem, /) -> ItemReaders:
        """See `SourceAccess.of`."""
        found = await self._readers(item.item_id)
        if isinstance(found, UnreadReaders):
            raise DocumentError(found.problem)
        return found

    async def changes(
        self, *, known: Sequence[str], since: str | None, cursor: str | None
    ) -> AsyncIterator[ReadersPage | ListingEnd]:
        """See `SourceAccess.changes`."""
        place = remembered(_Place, cursor) or await self._begin(known, since)
        ids = set(known) if place.ids is None else set(known) & set(place.ids)
        wanted = sorted(one for one in ids if one > place.after)
        for first in range(0, len(wanted), A_PAGE):
            some = wanted[first : first + A_PAGE]
            readers = [await self._readers(one) for one in some]
            place = place.further(some[-1])
            yield ReadersPage(readers=tuple(readers), cursor=place.text())
        yield ListingEnd(token=place.text(), is_whole=place.ids is None)

    async def _begin(self, known: Sequence[str], since: str | None) -> "_Place":
        """Say whose permissions are to be read, and where the next listing starts."""
        before = remembered(_Place, since)
        now = self.now()
        is_due = before is None or now - before.whole_at >= WHOLE_EVERY
        is_large = len(known) > self.few
        if before is not None and not is_due and is_large and self.library.has(before.link):
            told = await self._changed(before.link)
            if told is not None:
                return _Place(link=told.link, whole_at=before.whole_at, ids=tuple(told.ids))
        link = await self.library.delta(token="latest")  # noqa: S106
        told = await self._changed(link) or await self._changed(link, prefer="")
        if told is None:
            raise TransientError("Microsoft Graph does not say where changes begin")
        return _Place(link=told.link, whole_at=now, ids=None)

    async def _changed(self, link: str, *, prefer: str = PREFER) -> "_Changed | None":
        """Return what changed since a link; None: the feed can't say, or a folder changed."""
        items: dict[str, Mapping[str, Any]] = {}
        may = frozenset({BAD_REQUEST, FORBIDDEN, GONE})
        following_pages = Following("Microsoft Graph")
        for _ in range(MOST_FEED_PAGES):
            reply = await self.library.get(link, may=may, prefer=prefer)
            if reply.status in may:
                return None
            told = reply.json()
            items |= {str(one.get("id", "")): one for one in values_of(told)}
            following, end = told.get("@odata.nextLink"), told.get("@odata.deltaLink")
            if isinstance(following, str):
                link = following_pages.next(following)
            elif isinstance(end, str):
                if _names_changed_folder(items):
                    return None
                return _Changed(link=end, ids={one for one in items if "file" in items[one]})
            else:
                break
        raise TransientError("Microsoft Graph's list of changes breaks off")

    async def _readers(self, item_id: str) -> Readers:
        found = await self._permissions(item_id)
        if isinstance(found, str):
            return UnreadReaders(item_id=item_id, problem=found)
        groups: set[str] = set()
        for one in found:
            named = readers_of(
                one,
                site=self.library.address.site_key,
                tenant=self.tenant,
                takes_links=self.takes_links,
                now=self.now(),
            )
            if named is None:
                return ItemReaders(item_id=item_id, groups=None)
            groups |= named
        return ItemReaders(item_id=item_id, groups=frozenset(groups))

    async def _permissions(self, item_id: str) -> list[Mapping[str, Any]] | str:
        """Return the permissions of a file; or why they can't be read."""
        link: Any = await self.library.below(item_id, "/permissions")
        found: list[Mapping[str, Any]] = []
        for _ in range(MOST_PAGES):
            reply = await self.library.get(link, may=OF_ONE_FILE)
            if reply.status == FORBIDDEN:
                return NO_READERS
            if reply.status == NOT_FOUND:
                return DELETED
            if reply.status in OF_ONE_FILE:
                return f"Microsoft Graph does not tell its permissions ({reply.status})"
            told = reply.json()
            found += values_of(told)
            link = told.get("@odata.nextLink")
            if not isinstance(link, str):
                return found
        return "it has too many permissions of its own: let groups read it"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """What a feed of changes said."""

    link: str
    """Where the next changes are listed."""
    ids: set[str]
    """Files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """How far a listing of permissions is."""

    link: str
    """Where changes are listed that came after it began."""
    whole_at: datetime
    """When the last listing of everything began."""
    ids: tuple[str, ...] | None
    """What is listed, sorted; None: everything."""
    after: str = ""
    """The last one that was read."""

    def further(self, after: str) -> "_Place":
        """Return the same, further on."""
        return _Place(link=self.link, whole_at=self.whole_at, ids=self.ids, after=after)

    def text(self) -> str:
        """Return it as text."""
        return json.dumps(json_of(self))


def _names_changed_folder(items: Mapping[str, Mapping[str, Any]]) -> bool:
    """Say whether a folder is listed for itself, and not for what lies in it alone."""
    parents = {parent_of(one) for one in items.values()}
    return any(
        "folder" in one
        and "root" not in one
        and ("@microsoft.graph.sharedChanged" in one or item_id not in parents)
        for item_id, one in items.items()
    ) or any("root" in one and "@microsoft.graph.sharedChanged" in one for one in items.values())


def readers_of(
    permission: Mapping[str, Any], *, site: str, tenant: str, takes_links: bool, now: datetime
) -> frozenset[str] | None:
    """Return the groups that a permission lets read; None: everyone of the organisation.

    Args:
        permission: as Graph says it.
        site: see `LibraryAddress.site_key`.
        tenant: the directory's id.
        takes_links: see `SharePointAccess`.
        now: the present instant.
    """
    roles = permission.get("roles")
    named = cast("list[Any]", roles) if isinstance(roles, list) else []
    is_reading = not READING.isdisjoint(map(str, named))
    if not is_reading or permission.get("hasPassword") or _has_ended(permission, now):
        return frozenset()
    link = object_of(permission.get("link"))
    if takes_links and link.get("scope") in LINKS:
        return None
    if link and link.get("scope") != "users":
        return frozenset()
    found: set[str] = set()
    for one in _identities(permission):
        named = _group(one, site=site, tenant=tenant)
        if named is None:
            return None
        found |= named
    return frozenset(found)


def _group(identity: Mapping[str, Any], *, site: str, tenant: str) -> frozenset[str] | None:
    """Return the group that an identity is; empty: it is none that can be named; None: everyone."""
    login = str(object_of(identity.get("siteUser")).get("loginName", "")).lower()
    if login in {_EVERYONE, f"{_EVERYONE_HERE}{tenant}"}:
        return None
    of_site = object_of(identity.get("siteGroup")).get("id")
    if isinstance(of_site, str) and of_site.isascii() and of_site.isdecimal():
        return frozenset({f"sharepoint:{site}:{of_site}"})
    by_login = _GROUP.fullmatch(login)
    if login and not by_login:
        return frozenset()
    group_id = str(object_of(identity.get("group")).get("id", "")).lower()
    if by_login and group_id in {"", by_login[1]}:
        return frozenset({f"entra:{by_login[1]}"})
    is_group = not login and _ENTRA.fullmatch(group_id)
    return frozenset({f"entra:{group_id}"}) if is_group else frozenset()


def _has_ended(permission: Mapping[str, Any], now: datetime) -> bool:
    """Say whether a permission has ended; the year 1 stands for one that never does."""
    told = permission.get("expirationDateTime")
    if told is None or str(told).startswith("0001-"):
        return False
    try:
        ends = datetime.fromisoformat(str(told))
    except ValueError:
        return True
    return (ends if ends.tzinfo else ends.replace(tzinfo=UTC)) <= now


def _names_somebody(permission: Mapping[str, Any]) -> bool:
    """Say whether a permission is that of people, not of an application such as we are."""
    people = {"user", "group", "siteUser", "siteGroup"}
    return any(people & set(one) for one in _identities(permission))


def _identities(permission: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    several = permission.get("grantedToIdentitiesV2")
    named = cast("list[Any]", several) if isinstance(several, list) else []
    return [object_of(one) for one in (*named, permission.get("grantedToV2"))]
