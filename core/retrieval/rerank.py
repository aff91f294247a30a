"""Order hits anew by a model that reads question and chunk together: after search, before the cut.

A configured reranker goes first, then the reader; without a usable reply the order stays that of
the search. Their scores order chunks of one question. They are not calibrated, so relevance stays
what our own fit says.

The reader alone orders no better than the search does, together they do:
``WEIGHT * logit - ln(rank)``, where `rank` is the place that the search gave.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from core.domain.errors import CiteboundError
from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.domain.question import Scope
from core.language.reader_text import reader_text
from core.ports import ChunkSearch, Reader, SearchRequest, SearchResult
from core.ports.text_models import Reranker

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
class Found:
    """What a search gave."""

    result: SearchResult
    """Hits in their order, and their neighbours."""
    order: Reordered
    """How they came to it, with the hits that were cut off."""


class ReorderedSearch:
    """A deeper search, of which the best hits by whatever reads them are kept."""

    def __init__(
        self, search: ChunkSearch, *, reranker: Reranker | None, reader: Reader | None
    ) -> None:
        """Take the search and what orders its hits; with neither they keep its order."""
        self._search = search
        self._reranker = reranker
        self._reader = reader

    async def search(self, request: SearchRequest) -> Found:
        """Find chunks as `ChunkSearch.search` does, in the better order.

        Raises:
            TransientError: The database failed.
        """
        # Whoever takes more than is read chooses from it by reading himself.
        is_wide = request.limit > READ_DEPTH
        if self._reranker is None and (self._reader is None or is_wide):
            result = await self._search.search(request)
            return Found(result=result, order=Reordered(hits=result.hits, by=None))
        depth = READ_DEPTH if self._reranker is None else DEPTH
        deep = replace(request, limit=max(depth, request.limit), neighbours=0)
        found = await self._search.search(deep)
        order = await self._ordered(request.text, found.hits)
        result = replace(found, hits=order.hits[: request.limit])
        if result.hits and request.neighbours:
            # Neighbours belong to the hits that are left; no transaction stays open for a model.
            result = await self._search.search(replace(request, given=result.hits))
        return Found(result=result, order=order)

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
