"""`ConfluenceConnector`: the pages of a space, each a document.

A small space is listed whole each time: some requests, and what was deleted, archived or moved is
known at once. Of a large one the search (CQL) says what changed, which it knows of texts alone; so
now and then that is listed whole, too.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from core.adapters.sources.confluence.access import ConfluenceAccess
from core.adapters.sources.confluence.cloud import CloudSpace, Node
from core.adapters.sources.confluence.storage import page_of
from core.adapters.sources.confluence.tree import PageTree
from core.adapters.sources.json_values import remembered
from core.domain.codec import json_of
from core.domain.errors import DocumentError
from core.ingest.prepare import Overrides
from core.sources.connector import ChangePage, ListingEnd, SourceItem

A_PAGE = 100
"""Documents of a page."""
WHOLE_UP_TO = 1000
"""Pages of a space that is always listed whole: four requests."""
WHOLE_EVERY = timedelta(hours=6)
"""How often a larger one is listed whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listing:
    """How far listings have come, as tokens and cursors say it."""

    began: datetime
    """When this one began."""
    whole: datetime
    """When the last whole one began."""
    count: int
    """Pages that it found."""
    after: str | None = None
    """The last page that was worked through; None: none."""

    def text(self) -> str:
        """Return it as it is remembered."""
        return json.dumps(json_of(self))


class ConfluenceConnector:
    """See `Connector`. A document's identity is that of its page, wherever it is moved."""

    def __init__(
        self, space: CloudSpace, *, everyone: frozenset[str], with_access: bool = True
    ) -> None:
        """Call nothing yet.

        Args:
            space: what is read.
            everyone: groups of Confluence that everyone of the organisation is in.
            with_access: False: whom it lets read does not count.
        """
        self._space = space
        self._tree = PageTree(space)
        self._access = (
            ConfluenceAccess(space, self._tree, everyone=everyone) if with_access else None
        )

    @property
    def access(self) -> ConfluenceAccess | None:
        """See `Connector.access`."""
        return self._access

    async def check(self) -> str:
        """See `Connector.check`."""
        await self._space.pages(most=1)
        groups = ", ".join(sorted(await self._space.space_groups()))
        return f"the space {self._space.name!r} can be read; groups that may view it: {groups}"

    async def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """See `Connector.changes`."""
        now = datetime.fromtimestamp(int(time.time()), UTC)
        last, begun = remembered(_Listing, since), remembered(_Listing, cursor)
        is_whole = last is None or last.count <= WHOLE_UP_TO or now - last.whole >= WHOLE_EVERY
        if begun is not None:
            is_whole = begun.began == begun.whole
        if last is None or is_whole:
            nodes = await self._tree.listed()
            listing = begun or _Listing(began=now, whole=now, count=len(nodes))
        else:
            nodes = await self._tree.those(await self._space.changed(last.began))
            listing = begun or _Listing(began=now, whole=last.whole, count=last.count)
        left = [one for one in nodes if listing.after is None or int(one.id) > int(listing.after)]
        for first in range(0, len(left), A_PAGE):
            page = left[first : first + A_PAGE]
            items = tuple([await self._item(one) for one in page])
            listing = _Listing(
                began=listing.began,
                whole=listing.whole,
                count=listing.count,
                after=page[-1].id,
            )
            yield ChangePage(items=items, cursor=listing.text())
        yield ListingEnd(token=listing.text(), is_whole=is_whole)

    async def _item(self, node: Node) -> SourceItem:
        path = await self._tree.path(node)
        return SourceItem(
            item_id=node.id,
            path=f"{path}.html",
            version=str(node.version),
            given=Overrides(title=node.title or None, url=node.url),
        )

    async def fetch(self, item: SourceItem, /) -> bytes:
        """See `Connector.fetch`."""
        title, storage = await self._space.body(item.item_id)
        if not storage.strip():
            raise DocumentError("there is no text on the page")
        return await asyncio.to_thread(page_of, storage, title=title)

    async def is_there(self, item_id: str, /) -> bool:
        """See `Connector.is_there`."""
        node = await self._space.node("page", item_id)
        return node is not None and node.is_in_space
