from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from core.domain.errors import ContractError
from core.domain.evidence import RetrievedChunk
from core.domain.question import Scope
from core.ports import EmbeddingSpace, SearchRequest, SearchResult, Vector
from core.ports.search import fixed
from core.retrieval.retriever import Query, Retriever

SCOPE = Scope(as_of=date(2026, 1, 1))


@dataclass
class EmptySearch:
    """Finds nothing and remembers what was asked."""

    requests: list[SearchRequest] = field(default_factory=list[SearchRequest])

    async def search(self, request: SearchRequest, /) -> SearchResult:
        self.requests.append(request)
        return SearchResult(hits=(), neighbours=(), searched=0)

    async def section(
        self, policy_key: str, section: str | None, scope: Scope, /
    ) -> tuple[RetrievedChunk, ...]:
        return ()


class ConstantEmbedder:
    """Gives every text the same vector, or fails."""

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace(
            provider="test", model="constant", dimensions=2, revision="1", fusion_weight=0.5
        )

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        return [await self.embed_query(text) for text in texts]

    async def embed_query(self, text: str, /) -> Vector:
        if self._fails:
            raise ContractError("no model")
        return (1.0, 0.0)


async def test_the_question_is_embedded() -> None:
    """With an embedder the search gets the vector, and nothing is warned of."""
    search = EmptySearch()
    found = await Retriever(search, fixed(ConstantEmbedder(fails=False))).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=3)
    )
    assert search.requests[0].embedding == (1.0, 0.0)
    assert (found.embedding_used, found.warnings) == (True, ())


async def test_a_failing_embedder_leaves_words() -> None:
    """When the embedder fails, search goes on without a vector and says so."""
    search = EmptySearch()
    found = await Retriever(search, fixed(ConstantEmbedder(fails=True))).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=3)
    )
    assert search.requests[0].embedding is None
    assert not found.embedding_used
    assert found.warnings == ("searched by words alone: no model",)
    assert found.is_degraded


async def test_time_is_measured() -> None:
    """The time taken is read from the clock given."""
    ticks = iter((1.0, 1.25))
    retriever = Retriever(EmptySearch(), None, monotonic_s=lambda: next(ticks))
    assert (
        await retriever.retrieve(Query("May I?", SCOPE, depth=5, neighbours=0))
    ).took_ms == 250.0
