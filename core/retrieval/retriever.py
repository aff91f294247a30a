"""Retrieve evidence for a question: embed it, search in scope, say what went wrong on the way.

The space that serves decides how the question is embedded. A failing embedder is no reason to give
no answer: search goes on by words alone, with a warning in the trace; nor is a failing reranker or
reader, without which hits keep the order of the search. A failing database is one.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from core.domain.errors import CiteboundError
from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.domain.question import Scope
from core.ports import ChunkSearch, EmbeddingSpace, Reader, SearchRequest, SearchResult, Vector
from core.ports.search import ServingEmbedder
from core.ports.text_models import Reranker
from core.retrieval.relevance_rescorer import Judge
from core.retrieval.rerank import ReorderedSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What was found, and how."""

    result: SearchResult
    """Hits and neighbours."""
    embedding_used: bool
    """False: words alone."""
    warnings: tuple[str, ...]
    """What was done without, for the trace."""
    took_ms: float
    """Embedding and search together."""
    space: str | None = None
    """Name of the space that was searched; None: words alone."""
    reranker: str | None = None
    """Name of the model that ordered the hits; None: their order is that of the search."""
    logits: Mapping[ChunkKey, float] = field(default_factory=dict[ChunkKey, float])
    """What the reader says of the chunks that it read to order them."""
    is_degraded: bool = False
    """True if the chunks have vectors that this question could not be compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Embedded:
    """A question in the space that serves."""

    vector: Vector | None = None
    space: EmbeddingSpace | None = None
    warning: str | None = None
    is_degraded: bool = False


class Retriever:
    """Hybrid search where there is an embedder, lexical search where there is none."""

    def __init__(
        self,
        search: ChunkSearch,
        embedder: ServingEmbedder | None,
        *,
        reranker: Reranker | None = None,
        reader: Reader | None = None,
        judge: Judge | None = None,
        monotonic_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Take the search, and the embedder of the space that serves.

        Args:
            search: Applies the scope.
            embedder: None: words alone.
            reranker: Orders the hits of a deeper search.
            reader: Does so where there is no reranker, or it fails.
            judge: Says how relevant chunks are that were found in another space than the measured
                one; None: by words.
            monotonic_s: Seconds of a clock that never goes back.
        """
        self._search = ReorderedSearch(search, reranker=reranker, reader=reader)
        self._embedder = embedder
        self._judge = judge
        self._monotonic_s = monotonic_s

    async def retrieve(
        self,
        question_text: str,
        scope: Scope,
        *,
        depth: int,
        neighbours: int,
        policies: frozenset[str] = frozenset(),
    ) -> Retrieved:
        """Find chunks for a question.

        Args:
            question_text: The question, standing alone.
            scope: What may be found.
            depth: Hits wanted, from 1.
            neighbours: Cross-referenced chunks to add at most.
            policies: Keys of the policies to search; empty: all in scope.

        Raises:
            TransientError: The database failed.
        """
        started_s = self._monotonic_s()
        asked = await self._embed(question_text)
        request = SearchRequest(
            text=question_text,
            embedding=asked.vector,
            scope=scope,
            limit=depth,
            neighbours=neighbours,
            space=asked.space,
            policies=policies,
        )
        found = await self._search.search(request)
        result = await self._judged(question_text, found.result)
        return Retrieved(
            result=result,
            embedding_used=asked.vector is not None,
            warnings=(*((asked.warning,) if asked.warning else ()), *found.order.warnings),
            took_ms=(self._monotonic_s() - started_s) * 1_000,
            space=asked.space.name if asked.space else None,
            reranker=found.order.by,
            logits=found.order.logits,
            is_degraded=asked.is_degraded,
        )

    async def section(
        self, policy_key: str, section: str | None, scope: Scope
    ) -> tuple[RetrievedChunk, ...]:
        """See `ChunkSearch.section`."""
        return await self._search.section(policy_key, section, scope)

    async def _embed(self, question_text: str) -> _Embedded:
        if self._embedder is None:
            return _Embedded()
        serving = await self._embedder.serving()
        if serving.embedder is None:
            return _Embedded(
                warning=f"searched by words alone: {serving.problem}",
                is_degraded=serving.space is not None,
            )
        try:
            vector = await serving.embedder.embed_query(question_text)
        except CiteboundError as error:
            return _Embedded(warning=f"searched by words alone: {error}", is_degraded=True)
        return _Embedded(vector=vector, space=serving.embedder.space, warning=serving.problem)

    async def _judged(self, question_text: str, result: SearchResult) -> SearchResult:
        chunks = (*result.hits, *result.neighbours)
        if self._judge is None or all(chunk.dense_score is not None for chunk in chunks):
            return result
        judged = await self._judge.judge(question_text, chunks)
        count = len(result.hits)
        return replace(result, hits=judged[:count], neighbours=judged[count:])
