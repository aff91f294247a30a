"""Who may read the pages of a space: its permissions, and the restrictions of pages.

A page is for people who may view the space and who are named by each restriction on the page and on
what stands above it. An audience names groups of which any one is enough; so a group is one of a
page's if all of these name it. Single people count for nothing, and a group that is within another
one only if the other is what `everyone` names: fewer people may read, never more.
"""

import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from core.adapters.sources.confluence.cloud import CloudSpace, Node
from core.adapters.sources.confluence.tree import PageTree
from core.domain.errors import DocumentError
from core.sources.connector import ItemReaders, ListingEnd, ReadersPage, SourceItem, UnreadReaders

A_PAGE = 100
"""Documents of a page."""
KEPT_S = 60.0
"""How long the groups of the space are kept while pages are read one after the other."""
_UNREAD = "its restrictions can't be read: give the account permission to view it"


class ConfluenceAccess:
    """See `SourceAccess`. Each listing is whole: Confluence does not tell what changed."""

    def __init__(self, space: CloudSpace, tree: PageTree, *, everyone: frozenset[str]) -> None:
        self._space = space
        self._tree = tree
        self._everyone = everyone
        self._allowed: tuple[float, frozenset[str]] | None = None

    async def changes(
        self, *, known: Sequence[str], since: str | None, cursor: str | None
    ) -> AsyncIterator[ReadersPage | ListingEnd]:
        """See `SourceAccess.changes`. The cursor is the last document of a page."""
        there = {one.id for one in await self._tree.listed()}
        allowed = await self._of_space(older=False)
        left = [one for one in sorted(known) if cursor is None or one > cursor]
        for first in range(0, len(left), A_PAGE):
            page = left[first : first + A_PAGE]
            found = await self._readers([one for one in page if one in there], allowed)
            yield ReadersPage(readers=tuple(found), cursor=page[-1])
        yield ListingEnd(token=None, is_whole=True)

    async def of(self, item: SourceItem, /) -> ItemReaders:
        """See `SourceAccess.of`."""
        allowed = await self._of_space(older=True)
        (found,) = await self._readers([item.item_id], allowed)
        if isinstance(found, UnreadReaders):
            raise DocumentError(found.problem)
        return found

    async def _of_space(self, *, older: bool) -> frozenset[str] | None:
        """Return the groups that may view the space; None: everyone.

        `older` takes those of a minute ago: many pages are asked for one by one.
        """
        now = time.monotonic()
        if self._allowed is None or not older or now - self._allowed[0] > KEPT_S:
            self._allowed = now, await self._space.space_groups()
        return self._but_everyone(self._allowed[1])

    async def _readers(
        self, ids: Sequence[str], allowed: frozenset[str] | None
    ) -> list[ItemReaders | UnreadReaders]:
        chains: dict[str, list[Node] | str] = {}
        for one in ids:
            try:
                chains[one] = await self._tree.above("page", one)
            except DocumentError as error:
                chains[one] = str(error)
        asked = {node.id for chain in chains.values() if isinstance(chain, list) for node in chain}
        restricted = await self._space.restrictions(sorted(asked, key=int))
        return [self._of(one, chain, allowed, restricted) for one, chain in chains.items()]

    def _of(
        self,
        item_id: str,
        chain: list[Node] | str,
        allowed: frozenset[str] | None,
        restricted: Mapping[str, frozenset[str] | None],
    ) -> ItemReaders | UnreadReaders:
        if isinstance(chain, str):
            return UnreadReaders(item_id=item_id, problem=chain)
        if any(node.id not in restricted for node in chain):
            return UnreadReaders(item_id=item_id, problem=_UNREAD)
        groups = allowed
        for node in chain:
            named = restricted[node.id]
            of_it = None if named is None else self._but_everyone(named)
            if of_it is not None:
                groups = of_it if groups is None else groups & of_it
        return ItemReaders(item_id=item_id, groups=None if groups is None else _named(groups))

    def _but_everyone(self, groups: frozenset[str]) -> frozenset[str] | None:
        """Return the groups; None if one of them is that of everyone."""
        return None if groups & self._everyone else groups


def _named(groups: Iterable[str]) -> frozenset[str]:
    return frozenset(f"confluence:{one}" for one in groups)
