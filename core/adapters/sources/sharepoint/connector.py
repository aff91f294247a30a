"""`SharePointConnector`: a document library, kept current by Microsoft Graph's feed of changes.

The feed names each item by an id that stays when it is moved or renamed. The same item may come
twice, then the last counts. Where the feed can't go on (410), or a folder is new, or was renamed,
moved or deleted, of whose documents the feed may say nothing, everything is listed anew: documents
that are as they were are not fetched again.
"""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from core.adapters.sources.credentials import TokenCredentials
from core.adapters.sources.http import (
    Following,
    ServiceHttp,
    ServiceReply,
    ServiceRules,
    open_session,
)
from core.adapters.sources.json_values import object_of, text_of
from core.adapters.sources.sharepoint.access import SharePointAccess
from core.adapters.sources.sharepoint.library import (
    A_PAGE,
    DocumentLibrary,
    LibraryAddress,
    values_of,
)
from core.adapters.sources.sharepoint.sign_in import graph_token
from core.adapters.sources.sharepoint.tree import DeltaState, FolderTree, read_state
from core.config.settings import Settings, source_variable
from core.domain.errors import TransientError
from core.domain.policy import ENDINGS
from core.ingest.file_kinds import FileKind, kind_of, unread_reason
from core.ingest.load import MAX_BYTES
from core.ingest.metadata import is_link
from core.ingest.prepare import Overrides
from core.sources.connector import (
    ChangePage,
    ListingEnd,
    OtherItem,
    PolicySource,
    SourceAccess,
    SourceItem,
)

BAD_REQUEST, GONE = 400, 410
"""What Graph answers to an address of a feed that it knows no more."""
MOST_PAGES = 50_000
"""A feed whose pages never end would be read for ever."""
_FIELDS = (
    "id,name,size,eTag,lastModifiedDateTime,webUrl,parentReference,file,folder,root,deleted,malware"
)


class _BeginAnew(Exception):  # noqa: N818  # no error: the listing goes on
    """Changes alone don't tell what is there."""


@dataclass(slots=True)
class _Feed:
    """A listing on its way."""

    state: DeltaState
    """Where it began."""
    tree: FolderTree
    """Folders as they are now."""
    scope: str
    """See `LibraryIds.scope`."""
    found: dict[str, SourceItem | OtherItem | None] = field(
        default_factory=dict[str, SourceItem | OtherItem | None]
    )
    """Files of the page by id; None: gone, or moved away."""


class SharePointConnector:
    """See `Connector`."""

    def __init__(self, library: DocumentLibrary, *, access: SharePointAccess | None) -> None:
        self._library = library
        self._access = access

    @property
    def access(self) -> SourceAccess | None:
        """See `Connector.access`."""
        return self._access

    async def check(self) -> str:
        """See `Connector.check`."""
        ids = await self._library.ids()
        await self._library.get(await self._library.delta(token="latest"))  # noqa: S106
        if self._access is not None:
            await self._access.check()
        folder = self._library.address.folder
        what = f"folder {folder!r} of the library" if folder else "the library"
        how = "" if self._access is None else ", with its permissions"
        return f"{what} {ids.name!r} can be read{how}"

    async def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """See `Connector.changes`."""
        ids = await self._library.ids()
        new = DeltaState.new(ids)
        kept = read_state(cursor, ids) or read_state(since, ids)
        state = kept if kept and self._library.has(kept.link) else new
        try:
            try:
                async for part in self._feed(state):
                    yield part
            except _BeginAnew:
                async for part in self._feed(new):
                    yield part
        except _BeginAnew as error:
            raise TransientError("Microsoft Graph's list of changes ends too early") from error

    async def _feed(self, state: DeltaState) -> AsyncGenerator[ChangePage | ListingEnd]:
        feed = _Feed(state=state, tree=FolderTree(dict(state.folders)), scope=state.scope)
        link = state.link or await self._library.delta(**{"$top": str(A_PAGE), "$select": _FIELDS})
        following_pages = Following("Microsoft Graph")
        for page in range(MOST_PAGES):
            told = await self._page(link, is_first=not (page or state.link))
            items = values_of(told)
            await self._read(feed, items)
            following, end = told.get("@odata.nextLink"), told.get("@odata.deltaLink")
            is_end = not isinstance(following, str)
            link = end if is_end else following
            if not isinstance(link, str):
                raise TransientError("Microsoft Graph's list of changes breaks off")
            following_pages.next(link)
            now = state.at(link, feed.tree, is_whole=state.is_whole and not is_end)
            yield ChangePage(
                items=tuple(one for one in feed.found.values() if isinstance(one, SourceItem)),
                others=tuple(one for one in feed.found.values() if isinstance(one, OtherItem)),
                gone=tuple(item for item, one in feed.found.items() if one is None),
                cursor=None if is_end else now.text(),
            )
            if is_end:
                yield ListingEnd(token=now.text(), is_whole=state.is_whole)
                return
        raise TransientError("Microsoft Graph's list of changes does not end")

    async def _page(self, link: str, *, is_first: bool) -> Mapping[str, Any]:
        """Return a page of the feed.

        Raises:
            _BeginAnew: Graph knows the address no more, or never did.
        """
        may = frozenset[int]() if is_first else frozenset({BAD_REQUEST, GONE})
        reply = await self._library.get(link, may=may)
        if reply.status in may:
            raise _BeginAnew
        return reply.json()

    async def _read(self, feed: _Feed, items: Sequence[Mapping[str, Any]]) -> None:
        """Sort what a page lists: folders first, since they say where its files lie."""
        feed.found.clear()
        latest = {text_of(one.get("id")): one for one in items if text_of(one.get("id"))}
        for item_id, one in latest.items():
            is_folder = "folder" in one or "root" in one or item_id in feed.tree.folders
            if not is_folder:
                continue
            if "deleted" in one:
                has_changed = feed.tree.folders.pop(item_id, None) is not None
            else:
                has_changed = feed.tree.put(one)
            if has_changed and not feed.state.is_whole:
                raise _BeginAnew
        for item_id, one in latest.items():
            if "file" in one or "deleted" in one:
                feed.found[item_id] = await self._file(feed, one)

    async def _file(self, feed: _Feed, item: Mapping[str, Any]) -> SourceItem | OtherItem | None:
        """Return a file; None: it is gone, lies elsewhere, or is no file of people's."""
        name, item_id = text_of(item.get("name")), text_of(item.get("id"))
        kind = kind_of(name)
        if "deleted" in item or kind is FileKind.ASIDE:
            return None
        path = await feed.tree.path(item, scope=feed.scope, look_up=self._library.item)
        if path is None:
            return None
        if kind is FileKind.OTHER:
            return OtherItem(item_id=item_id, path=path)
        link = text_of(item.get("webUrl"))
        return SourceItem(
            item_id=item_id,
            path=path,
            version=_version(item),
            given=Overrides(url=link if is_link(link) else None),
            problem=unread_reason(name) if kind is FileKind.UNREAD else _problem(item),
        )

    async def fetch(self, item: SourceItem, /) -> bytes:
        """See `Connector.fetch`."""
        is_page = ENDINGS.get(PurePosixPath(item.path.lower()).suffix) == "text/html"
        return await self._library.content(item.item_id, is_page=is_page)

    async def is_there(self, item_id: str, /) -> bool:
        """See `Connector.is_there`."""
        ids = await self._library.ids()
        item = await self._library.item(item_id)
        if item is None:
            return False
        tree = FolderTree()
        return await tree.path(item, scope=ids.scope, look_up=self._library.item) is not None


def _version(item: Mapping[str, Any]) -> str:
    """Return what changes with the content, or with what is known of it."""
    tag = text_of(item.get("eTag")).strip('"')
    return tag or f"{text_of(item.get('lastModifiedDateTime'))}:{item.get('size')}"


def _problem(item: Mapping[str, Any]) -> str | None:
    if "malware" in item:
        return "SharePoint found malware in it: have it looked at"
    size = item.get("size")
    if isinstance(size, int) and size > MAX_BYTES:
        return (
            f"{size >> 20} MB is over the limit of {MAX_BYTES >> 20} MB: split it or leave out"
            " images"
        )
    return None


def graph_rules(check: str) -> ServiceRules:
    """Return how Microsoft Graph is called."""
    return ServiceRules(name="Microsoft Graph", check=check, a_second=5.0, said=_said)


def _said(reply: ServiceReply) -> str:
    code = object_of(reply.json().get("error")).get("code")
    return code if isinstance(code, str) and code.isprintable() else ""


@asynccontextmanager
async def opened(source: PolicySource, settings: Settings) -> AsyncGenerator[SharePointConnector]:
    """Open the connector of a library until the block ends.

    Raises:
        ConfigError: There is no secret, or Graph's address is none of Microsoft's.
    """
    where = source.location
    check = "check the registration and its grant for the site, see docs/sources.md"
    async with open_session() as session:
        token = graph_token(source, settings, session)
        http = ServiceHttp(
            session,
            base=f"{settings.graph}/v1.0",
            credentials=TokenCredentials(
                token=token,
                check=f"check {source_variable(source.name)}, and tenant and app of the source",
            ),
            rules=graph_rules(check),
        )
        address = LibraryAddress(
            site=where["site"], library=where["library"], folder=where["folder"]
        )
        library = DocumentLibrary(http, address)
        access = SharePointAccess(
            library,
            tenant=where["tenant"],
            takes_links=where.get("shared_links") == "everyone",
            now=lambda: datetime.fromtimestamp(time.time(), UTC),
        )
        with_access = where.get("readers") != "audience"
        yield SharePointConnector(library, access=access if with_access else None)
