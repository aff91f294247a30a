"""Who may read the files of a folder in Google Drive: with whom each is shared.

A file's permissions are told by their identities, which are the same on every file for one person
or group; so only those that are not known yet have to be looked up.
"""

from collections.abc import AsyncIterator, Sequence

from core.adapters.sources.drive.files import DriveFile, DriveFiles, Sharing
from core.adapters.sources.drive.tree import DriveTree
from core.adapters.sources.http import DELETED
from core.domain.errors import DocumentError
from core.sources.connector import ItemReaders, ListingEnd, ReadersPage, SourceItem, UnreadReaders

A_PAGE = 100
"""Documents of a page."""


class DriveAccess:
    """See `SourceAccess`. Each listing is whole: it takes few requests."""

    def __init__(
        self, files: DriveFiles, tree: DriveTree, *, everyone: frozenset[str], links_count: bool
    ) -> None:
        """Read nothing yet; see `DriveConnector`."""
        self._files = files
        self._tree = tree
        self._everyone = frozenset(one.lower() for one in everyone)
        self._links_count = links_count
        self._shared: dict[str, Sharing] = {}

    async def changes(
        self, *, known: Sequence[str], since: str | None, cursor: str | None
    ) -> AsyncIterator[ReadersPage | ListingEnd]:
        """See `SourceAccess.changes`. The cursor is the last document of a page."""
        there = {one.id: one for one in await self._tree.listed()}
        left = [one for one in sorted(known) if cursor is None or one > cursor]
        for first in range(0, len(left), A_PAGE):
            page = left[first : first + A_PAGE]
            found = [await self._readers(there[one]) for one in page if one in there]
            yield ReadersPage(readers=tuple(found), cursor=page[-1])
        yield ListingEnd(token=None, is_whole=True)

    async def of(self, item: SourceItem, /) -> ItemReaders:
        """See `SourceAccess.of`."""
        file = await self._files.file(item.item_id)
        if file is None:
            raise DocumentError(DELETED)
        found = await self._readers(file)
        if isinstance(found, UnreadReaders):
            raise DocumentError(found.problem)
        return found

    async def _readers(self, file: DriveFile) -> ItemReaders | UnreadReaders:
        try:
            named = await self._sharing(file)
        except DocumentError as error:
            return UnreadReaders(item_id=file.id, problem=str(error))
        if any(self._is_everyone(one) for one in named):
            return ItemReaders(item_id=file.id, groups=None)
        groups = {f"google:{one.name}" for one in named if one.kind == "group" and one.name}
        return ItemReaders(item_id=file.id, groups=frozenset(groups))

    def _is_everyone(self, shared: Sharing) -> bool:
        if shared.kind == "group":
            return shared.name in self._everyone
        is_all = shared.kind == "anyone" or (
            shared.kind == "domain" and shared.name in self._everyone
        )
        return is_all and (self._links_count or not shared.is_by_link)

    async def _sharing(self, file: DriveFile) -> list[Sharing]:
        if file.sharing is None:
            return await self._files.sharing(file.id)
        if not file.sharing <= self._shared.keys():
            told = await self._files.sharing(file.id)
            self._shared |= {one.id: one for one in told if one.kind in {"user", "group"}}
            return told
        return [self._shared[one] for one in file.sharing]
