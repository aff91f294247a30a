"""Retrieve evidence for a question: embed it, search in scope, rerank, and report what failed.

The serving space decides how the question is embedded. If the embedder fails, search goes on by
words alone, with a warning in the trace; if a reranker or the reader fails, hits keep the order of
the search. Only a failing database fails the retrieval.

A configured reranker orders hits first, else the reader: ``WEIGHT * logit - ln(rank)``, where
`rank` is the place that the search gave, since the reader alone orders no better than the search
does. Their scores order the chunks of one question and are not calibrated; see `relevance`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from math import log
from typing import Protocol

from core.domain.errors import CiteboundError
from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.domain.question import Scope
from core.language.reader_text import reader_text
from core.ports import ChunkSearch, EmbeddingSpace, Reader, SearchRequest, SearchResult, Vector
from core.ports.search import ServingEmbedder
from core.ports.text_models import Reranker
from core.retrieval.relevance import RelevanceRescorer

DEPTH = 40
"""Hits that a reranker reads: recall at 50 is .871, at 20 .834 (ObliQA, first measurements)."""
READ_DEPTH = 12
"""Hits that the reader reads: on the second half of ObliQA dev more of them lose as often as they
gain, and each costs 13 ms of one core."""
WEIGHT = 0.5
"""The best of .2 to .8 on 556 questions of the same: MAP@10 .678 to .694, recall@10 unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reordered:
    """Hits in their order."""

    hits: tuple[RetrievedChunk, ...]
    """All of them."""
    by: str | None
    """Name of the model that ordered them; None: their order is that of the search."""
    warnings: tuple[str, ...] = ()
    """What was done without."""
    logits: Mapping[ChunkKey, float] = field(default_factory=dict[ChunkKey, float])
    """What the reader says of those that it read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOutcome:
    """What a search gave."""

    result: SearchResult
    """Hits in their order, and their neighbours."""
    order: Reordered
    """How they came to it, with the hits that were cut off."""


class ReorderedSearch:
    """A deeper search whose hits are reranked; with neither model they keep its order."""

    def __init__(
        self, search: ChunkSearch, *, reranker: Reranker | None, reader: Reader | None
    ) -> None:
        self._search = search
        self._reranker = reranker
        self._reader = reader

    async def search(self, request: SearchRequest) -> SearchOutcome:
        """Find chunks as `ChunkSearch.search` does, in the better order.

        Raises:
            TransientError: The database failed.
        """
        # A caller that takes more hits than are read here reads them itself.
        is_wide = request.limit > READ_DEPTH
        if self._reranker is None and (self._reader is None or is_wide):
            result = await self._search.search(request)
            return SearchOutcome(result=result, order=Reordered(hits=result.hits, by=None))
        depth = READ_DEPTH if self._reranker is None else DEPTH
        deep = replace(request, limit=max(depth, request.limit), neighbours=0)
        found = await self._search.search(deep)
        order = await self._ordered(request.text, found.hits)
        result = replace(found, hits=order.hits[: request.limit])
        if result.hits and request.neighbours:
            # Neighbours belong to the hits that are left; no transaction stays open for a model.
            result = await self._search.search(replace(request, given=result.hits))
        return SearchOutcome(result=result, order=order)

    async def section(
        self, policy_key: str, section: str | None, scope: Scope
    ) -> tuple[RetrievedChunk, ...]:
        """See `ChunkSearch.section`."""
        return await self._search.section(policy_key, section, scope)

    async def _ordered(self, question: str, hits: Sequence[RetrievedChunk]) -> Reordered:
        order = Reordered(hits=tuple(hits), by=None)
        if self._reranker is not None:
            order = await _by_reranker(self._reranker, question, hits)
        if self._reader is not None and order.by is None:
            read = await _by_reader(self._reader, question, hits)
            order = replace(read, warnings=(*order.warnings, *read.warnings))
        return order


async def _by_reranker(
    reranker: Reranker, question: str, hits: Sequence[RetrievedChunk]
) -> Reordered:
    """Return the hits, best first by the reranker; equal scores keep their order."""
    try:
        scores = await reranker.rerank(question, [_with_headings(hit) for hit in hits])
    except CiteboundError as error:
        return Reordered(hits=tuple(hits), by=None, warnings=(f"not reranked: {error}",))
    ranked = sorted(zip(scores, range(len(hits)), strict=True), key=lambda one: (-one[0], one[1]))
    return Reordered(hits=tuple(hits[place] for _, place in ranked), by=reranker.name)


async def _by_reader(reader: Reader, question: str, hits: Sequence[RetrievedChunk]) -> Reordered:
    """Return the hits, the first few in their blended order, the others behind them as they are."""
    few, others = hits[:READ_DEPTH], hits[READ_DEPTH:]
    try:
        logits = await reader.scores(question, [_read(hit) for hit in few])
    except CiteboundError as error:
        return Reordered(hits=tuple(hits), by=None, warnings=(f"not read: {error}",))
    blended = [WEIGHT * logit - log(rank) for rank, logit in enumerate(logits, start=1)]
    ranked = sorted(range(len(few)), key=lambda place: (-blended[place], place))
    return Reordered(
        hits=(*(few[place] for place in ranked), *others),
        by=reader.name,
        logits={hit.chunk_key: logit for hit, logit in zip(few, logits, strict=True)},
    )


def _with_headings(chunk: RetrievedChunk) -> str:
    """Return the chunk under the headings that a person would see above it."""
    return "\n".join([" > ".join([chunk.place.policy_title, *chunk.place.path]), chunk.text])


def _read(chunk: RetrievedChunk) -> str:
    return reader_text(chunk.place.policy_title, chunk.place.path, chunk.text)


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


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for."""

    text: str
    """The question, standing alone."""
    scope: Scope
    """What may be found."""
    _: KW_ONLY
    depth: int
    """Hits wanted, from 1."""
    neighbours: int
    """Cross-referenced chunks to add at most."""
    policies: frozenset[str] = frozenset()
    """Keys of the policies to search; empty: all in scope."""


class ChunkRetriever(Protocol):
    """What finds chunks for a run: the `Retriever`, or one that leaves sections out."""

    async def retrieve(self, query: Query, /) -> Retrieved:
        """See `Retriever.retrieve`."""
        ...

    async def section(
        self, policy_key: str, section: str | None, scope: Scope
    ) -> tuple[RetrievedChunk, ...]:
        """See `ChunkSearch.section`."""
        ...


class Retriever:
    """Hybrid search where there is an embedder, lexical search where there is none.

    `reranker` orders the hits of a deeper search, or `reader` where there is no reranker or it
    fails. `rescorer` says how relevant chunks are that were found in another space than the
    measured one; without it their words do.
    """

    def __init__(
        self,
        search: ChunkSearch,
        embedder: ServingEmbedder | None,
        *,
        reranker: Reranker | None = None,
        reader: Reader | None = None,
        rescorer: RelevanceRescorer | None = None,
        monotonic_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._search = ReorderedSearch(search, reranker=reranker, reader=reader)
        self._embedder = embedder
        self._rescorer = rescorer
        self._monotonic_s = monotonic_s

    async def retrieve(self, query: Query, /) -> Retrieved:
        """Find chunks for a question.

        Raises:
            TransientError: The database failed.
        """
        started_s = self._monotonic_s()
        asked = await self._embed(query.text)
        request = SearchRequest(
            text=query.text,
            embedding=asked.vector,
            scope=query.scope,
            limit=query.depth,
            neighbours=query.neighbours,
            space=asked.space,
            policies=query.policies,
        )
        found = await self._search.search(request)
        result = await self._rescored(query.text, found.result)
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

    async def _rescored(self, question_text: str, result: SearchResult) -> SearchResult:
        chunks = (*result.hits, *result.neighbours)
        if self._rescorer is None or all(chunk.dense_score is not None for chunk in chunks):
            return result
        rescored = await self._rescorer.rescore(question_text, chunks)
        count = len(result.hits)
        return replace(result, hits=rescored[:count], neighbours=rescored[count:])
