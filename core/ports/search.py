"""Search in the chunks of the corpus, and its embedding spaces, of which one serves."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from core.domain.evidence import RetrievedChunk
from core.domain.question import Scope
from core.ports.text_models import Embedder, EmbeddingSpace, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One hybrid search."""

    text: str
    """The question's words."""
    embedding: Vector | None
    """Its vector in `space`; None: lexical search alone."""
    scope: Scope
    """Applied inside the statement."""
    limit: int
    """Most hits to return, from 1."""
    neighbours: int = 0
    """Cross-referenced chunks to add at most."""
    space: EmbeddingSpace | None = None
    """Space of `embedding`; None: the space of the search."""
    given: tuple[RetrievedChunk, ...] = ()
    """Hits of the same question, in order, for which only neighbours are wanted; empty: search."""
    policies: frozenset[str] = frozenset()
    """Keys of the policies to search, of those in scope; empty: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The result of a search."""

    hits: tuple[RetrievedChunk, ...]
    """Best first, no chunk twice."""
    neighbours: tuple[RetrievedChunk, ...]
    """Chunks that hits refer to or that refer to them, `via` set; none of them among `hits`."""
    searched: int
    """Chunks in scope."""


class ChunkSearch(Protocol):
    """Hybrid search in scope, and what a section says."""

    async def search(self, request: SearchRequest, /) -> SearchResult:
        """Find chunks of versions in force in the scope, and only those."""
        ...

    async def section(
        self, policy_key: str, section: str | None, scope: Scope, /
    ) -> tuple[RetrievedChunk, ...]:
        """Return the chunks of a section and its subsections in text order, as far as in scope.

        Nothing was searched for, so scores and relevance are 0. Empty for a section that does not
        exist, and equally for one that is not in the scope.

        Args:
            policy_key: Key of the policy.
            section: The section's eid, its number as printed, or its heading, ignoring case;
                None: all sections.
            scope: The scope.
        """
        ...


class SpaceState(StrEnum):
    """The state of a space."""

    SERVING = "serving"
    BUILDING = "building"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpace:
    """A space of the corpus."""

    space: EmbeddingSpace
    """As registered."""
    state: SpaceState
    """At most one space serves."""
    embedded: int
    """Chunks of all versions that have a vector in it."""
    missing: int
    """Chunks that have none, and are found by their words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The chunks that have no vector in a space."""

    chunks: int
    """Chunks of any version, in force or not, without a vector."""
    texts: int
    """Their different texts: each is embedded once."""
    characters: int
    """Of these texts."""


class ServingSpace(Protocol):
    """Tells which space serves."""

    async def serving(self) -> EmbeddingSpace | None:
        """Return the space that is searched, or None if no chunk was ever embedded."""
        ...


class SpaceStore(ServingSpace, Protocol):
    """The embedding spaces of a corpus and their vectors."""

    async def spaces(self) -> list[StoredSpace]:
        """Return all spaces, the serving one first."""
        ...

    async def begin(self, space: EmbeddingSpace, /) -> None:
        """Register a space as being built, unless it serves; copy vectors to equal texts."""
        ...

    async def gap(self, space: EmbeddingSpace, /) -> Gap:
        """Return the gap of a space: the whole corpus, if it was never begun."""
        ...

    async def unembedded(self, space: EmbeddingSpace, /, *, limit: int) -> list[str]:
        """Return distinct texts without a vector, at most `limit`."""
        ...

    async def fill(self, space: EmbeddingSpace, vectors: Mapping[str, Vector], /) -> None:
        """Store vectors for all chunks with these texts, and commit."""
        ...

    async def switch(self, space: EmbeddingSpace, /) -> int:
        """Make a space the serving one, if every chunk has a vector in it.

        The previous one is kept. Publications wait meanwhile, so that none is missed.

        Returns:
            Chunks without a vector, published since `gap` was called; 0: the space serves.
        """
        ...

    async def drop(self, space: EmbeddingSpace, /) -> int:
        """Delete a space that does not serve, and return how many vectors it had.

        Raises:
            UsageError: It serves.
        """
        ...

    def one_builder(self) -> AbstractAsyncContextManager[None]:
        """Return a context in which no other process fills spaces.

        Raises:
            OccupiedError: Another process does.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The serving space, with its embedder."""

    space: EmbeddingSpace | None
    """The serving space; None: no chunk was ever embedded."""
    embedder: Embedder | None
    """Embeds in that space, or in the first one; None: not available."""
    problem: str | None = None
    """Why there is no embedder, or why it is not the configured one; one line with the cure."""


class ServingEmbedder(Protocol):
    """The embedder of the space that serves. Another process may switch spaces at any time."""

    async def serving(self) -> Serving:
        """Return the serving space and its embedder now."""
        ...


def fixed(embedder: Embedder | None) -> ServingEmbedder:
    """Return a serving embedder that never changes: for evaluation, whose corpus has one space."""
    return _Fixed(Serving(space=embedder.space if embedder else None, embedder=embedder))


class _Fixed:
    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    async def serving(self) -> Serving:
        return self._serving
