"""Find the embedder of the space that serves: asked for each question, since spaces are switched.

Vectors of different spaces can't be compared. So the corpus decides in which space a question is
embedded, and the settings decide in which one the first chunk is.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.ports import Embedder, EmbeddingSpace
from core.ports.search import Serving, ServingSpace


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
    """See `ServingEmbedder`; `configured` embeds where no space serves yet, `find` finds others."""

    def __init__(self, spaces: ServingSpace, configured: Configured, find: FindEmbedder) -> None:
        self._spaces = spaces
        self._configured = configured
        self._find = find

    async def serving(self) -> Serving:
        """See `ServingEmbedder.serving`."""
        space = await self._spaces.serving()
        found = self._configured if space is None else self._find(space)
        if isinstance(found, NoEmbedder):
            serves = f"{space.name} serves: " if space else ""
            return Serving(space=space, embedder=None, problem=serves + found.reason)
        configured = self._configured
        if isinstance(configured, NoEmbedder):
            return Serving(space=space, embedder=found)
        if configured.space.identity == found.space.identity:
            return Serving(space=space, embedder=found)
        return Serving(
            space=space,
            embedder=found,
            problem=f"searched in {found.space.name}, which serves, though"
            f" {configured.space.name} is set up: `citebound corpus embed` switches",
        )
