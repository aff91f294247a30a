"""Find the embedder of the space that serves: asked for each question, since spaces are switched.

Vectors of different spaces can't be compared. So the corpus decides in which space a question is
embedded, and the settings decide in which one the first chunk is.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.ports import Embedder, EmbeddingSpace
from core.ports.spaces import Serving, ServingSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class NoEmbedder:
    """Nothing embeds in a space."""

    reason: str
    """Why, and what would help, in one line."""


Configured = Embedder | NoEmbedder
"""The embedder that is set up."""
FindEmbedder = Callable[[EmbeddingSpace], Embedder | NoEmbedder]
"""Returns what embeds in a space, if there is anything."""


class CorpusEmbedder:
    """See `ServingEmbedder`."""

    def __init__(self, spaces: ServingSpace, configured: Configured, find: FindEmbedder) -> None:
        """Take what is set up, and what else there is.

        Args:
            spaces: Says which space serves.
            configured: Embeds where no space serves yet.
            find: Finds the embedder of another space.
        """
        self._spaces = spaces
        self._configured = configured
        self._find = find

    async def serving(self) -> Serving:
        """See `ServingEmbedder.serving`."""
        space = await self._spaces.serving()
        configured = self._configured
        if space is None:
            if isinstance(configured, NoEmbedder):
                return Serving(space=None, embedder=None, problem=configured.reason)
            return Serving(space=None, embedder=configured)
        if not isinstance(configured, NoEmbedder):
            if configured.space.identity == space.identity:
                return Serving(space=space, embedder=configured)
            switch = (
                f"{space.name} serves, {configured.space.name} is set up:"
                " `citebound corpus embed` builds its space and switches"
            )
        else:
            switch = f"{space.name} serves"
        found = self._find(space)
        if isinstance(found, NoEmbedder):
            return Serving(space=space, embedder=None, problem=f"{switch}; {found.reason}")
        return Serving(space=space, embedder=found, problem=switch)
