"""From words to vectors, and from both to chunks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
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
