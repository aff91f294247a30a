"""What stands above each page of a space: its path, and whose restrictions it inherits."""

from collections.abc import Sequence

from core.adapters.sources.confluence.cloud import CloudSpace, Node
from core.adapters.sources.json_values import path_part
from core.domain.errors import DocumentError

DEPTH = 100
"""Of a tree of pages; a longer chain is a loop."""


class PageTree:
    """Remembers pages and folders while a source is read."""

    def __init__(self, space: CloudSpace) -> None:
        self._space = space
        self._nodes: dict[tuple[str, str], Node] = {}

    async def listed(self) -> list[Node]:
        """Return all pages of the space, by identity."""
        nodes = await self._space.pages()
        self._nodes = {("page", one.id): one for one in nodes.values()}
        return list(nodes.values())

    async def those(self, ids: Sequence[str]) -> list[Node]:
        """Return some pages of the space, by identity, as they are now."""
        found = await self._space.those(ids)
        self._nodes |= {("page", one.id): one for one in found}
        return sorted(found, key=lambda one: int(one.id))

    async def above(self, kind: str, item_id: str) -> list[Node]:
        """Return a page and all that it stands below, from the page up.

        Raises:
            DocumentError: Part of that can't be read.
        """
        found: list[Node] = []
        where: tuple[str, str] | None = (kind, item_id)
        while where is not None and len(found) < DEPTH:
            node = self._nodes.get(where) or await self._space.node(*where)
            if node is None:
                raise DocumentError(
                    f"the {where[0]} {where[1]}, which it stands below, can't be read: give the"
                    " account permission to view it"
                )
            self._nodes[where] = node
            found.append(node)
            where = node.parent
        if where is not None:
            raise DocumentError(
                f"it is nested below more than {DEPTH} pages: check its place in the tree"
            )
        return found

    async def path(self, node: Node) -> str:
        """Return where a page stands, by the titles above it; without those that can't be read."""
        try:
            chain = await self.above(node.kind, node.id)
        except DocumentError:
            chain = [node]
        return "/".join(path_part(one.title) for one in reversed(chain))
