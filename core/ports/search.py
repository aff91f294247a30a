"""Search in the chunks of the corpus, and the embedding spaces side by side: one serves."""

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
    """Hits wanted, from 1."""
    neighbours: int = 0
    """Cross-referenced chunks to add at most."""
    space: EmbeddingSpace | None = None
    """Where `embedding` lives; None: in the space that the search was made for."""
    given: tuple[RetrievedChunk, ...] = ()
    """Hits of the same question, in the order wanted, which only lack their neighbours; empty:
    search."""
    policies: frozenset[str] = frozenset()
    """Keys of the policies to search, of those in scope; empty: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a search found."""

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

        None was searched for, so scores and relevance are 0. Empty for a section that does not
        exist, and just so for one that is not in the scope.

        Args:
            policy_key: Key of the policy.
            section: The section's eid, its number as printed, or its heading; case aside.
                None: all sections.
            scope: What may be read.
        """
        ...


class SpaceState(StrEnum):
    """What a space is there for."""

    SERVING = "serving"
    BUILDING = "building"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpace:
    """A space of the corpus."""

    space: EmbeddingSpace
    """As it was registered."""
    state: SpaceState
    """At most one serves."""
    embedded: int
    """Chunks of all versions that have a vector in it."""
    missing: int
    """Chunks that have none: they are found by their words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What a space lacks."""

    chunks: int
    """Chunks of any version, in force or not, without a vector."""
    texts: int
    """Their different texts: each is embedded once."""
    characters: int
    """Of these texts."""


class ServingSpace(Protocol):
    """Which space serves."""

    async def serving(self) -> EmbeddingSpace | None:
        """Return the space that is searched, or None if no chunk was ever embedded."""
        ...


class SpaceStore(ServingSpace, Protocol):
    """The spaces of a corpus and their vectors."""

    async def spaces(self) -> list[StoredSpace]:
        """Return all spaces, the serving one first."""
        ...

    async def begin(self, space: EmbeddingSpace, /) -> None:
        """Register a space as being built, unless it serves; give equal texts equal vectors."""
        ...

    async def gap(self, space: EmbeddingSpace, /) -> Gap:
        """Return what a space lacks; all, if it was never begun."""
        ...

    async def unembedded(self, space: EmbeddingSpace, /, *, limit: int) -> list[str]:
        """Return different texts that lack a vector, at most so many."""
        ...

    async def fill(self, space: EmbeddingSpace, vectors: Mapping[str, Vector], /) -> None:
        """Store vectors for all chunks with these texts, at once and for good."""
        ...

    async def switch(self, space: EmbeddingSpace, /) -> int:
        """Let a space serve from now on, if no chunk lacks a vector in it.

        The one that served is kept. Publications wait meanwhile, so none is left out.

        Returns:
            Chunks that lack a vector, published since `gap` was asked; 0: it serves.
        """
        ...

    async def drop(self, space: EmbeddingSpace, /) -> int:
        """Delete a space that does not serve, and return how many vectors it had.

        Raises:
            UsageError: It serves.
        """
        ...

    def one_builder(self) -> AbstractAsyncContextManager[None]:
        """Be the only process that fills spaces.

        Raises:
            OccupiedError: Another one does.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How questions and new chunks are embedded now."""

    space: EmbeddingSpace | None
    """The serving space; None: no chunk was ever embedded."""
    embedder: Embedder | None
    """Embeds in that space, or for the first time; None: nothing can."""
    problem: str | None = None
    """Why there is no embedder, or why it is not the one that is set up; one line with the cure."""


class ServingEmbedder(Protocol):
    """The embedder of the space that serves. Another process may switch spaces at any time."""

    async def serving(self) -> Serving:
        """Return it as it is now."""
        ...


def fixed(embedder: Embedder | None) -> ServingEmbedder:
    """Return one that never changes: for evaluation, whose corpus has one space."""
    return _Fixed(Serving(space=embedder.space if embedder else None, embedder=embedder))


class _Fixed:
    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    async def serving(self) -> Serving:
        return self._serving
