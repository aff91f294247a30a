"""From words to vectors, and from both to chunks."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

from core.domain.evidence import RetrievedChunk
from core.domain.question import Scope

Vector: TypeAlias = tuple[float, ...]
"""Unit norm; its length is the embedder's `dimensions`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """Where vectors are comparable."""

    provider: str
    """`local`, `voyage`."""
    model: str
    """The provider's name of the model."""
    dimensions: int
    """Length of its vectors."""
    revision: str
    """What pins the weights: a hash or a date."""
    fusion_weight: float
    """Weight of BM25 in the fused score, in [0, 1]; tuned for the embedder on labelled
    questions."""
    is_measured: bool = field(default=True, repr=False, compare=False)
    """True if relevance was fitted on cosines of this space; False: its cosines order chunks, and
    say nothing about relevance."""

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.provider}:{self.model}"

    @property
    def identity(self) -> tuple[str, str, int, str]:
        """What makes vectors comparable: all but how they are weighed."""
        return (self.provider, self.model, self.dimensions, self.revision)


class Embedder(Protocol):
    """Text to vectors. Safe from many tasks; heavy work is off the event loop."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""
        ...

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """Return one vector a text, in order."""
        ...

    async def embed_query(self, text: str, /) -> Vector:
        """Return the question's vector."""
        ...


class Reranker(Protocol):
    """Reads question and text together. Safe from many tasks."""

    @property
    def name(self) -> str:
        """What the trace calls it."""
        ...

    async def rerank(self, question: str, texts: Sequence[str], /) -> list[float]:
        """Return a score in [0, 1] for each text, in order; higher is nearer.

        The scores order texts of one question. They are no probabilities.
        """
        ...


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
