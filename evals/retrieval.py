"""Measure retrieval on labelled questions: what is found, what a pack holds, how long it takes.

Each question is searched twice: for a ranking, and, timed, for a pack as answering asks for it.
Questions are embedded beforehand, so that the times are those of search alone, one at a time; with
a reader, of search and reading.
"""

import asyncio
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from time import perf_counter

from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.domain.question import Scope
from core.ports import ChunkSearch, Embedder, Reader, SearchRequest, Vector
from core.retrieval.retriever import ReorderedSearch
from evals.measuring.estimates import percentile
from evals.rulebooks import Dataset, LabelledQuestion, PassageKey, passage_key

RANKS = 10
"""The k of the published figures."""
DEPTH = 12
"""Chunks asked for: long passages give several, of which the first counts."""
PACK = 15
"""Chunks of a pack, neighbours included."""
PACK_HITS = 8
"""Hits of a pack; the other places are the neighbours'."""
AT_ONCE = 8
"""Questions embedded at the same time."""
SCOPE = Scope(as_of=date(2025, 1, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalReport:
    """What was measured. Shares are in [0, 1]."""

    dataset: Dataset
    """Which questions."""
    questions: int
    """How many."""
    chunks: int
    """Chunks searched."""
    embedding: str | None
    """The embedder's model; None: words alone."""
    reader: str | None
    """What ordered the hits; None: the search."""
    recall: float
    """recall@10."""
    average_precision: float
    """map@10."""
    all_gold: float
    """all_gold@10."""
    pack_both: float
    """Share of questions with all gold in a pack of at most 15 chunks."""
    p50_ms: float
    """Median time of the search for a pack, without embedding the question."""
    p99_ms: float
    """99th percentile of the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    recall: float
    average_precision: float
    has_all: bool
    pack_has_all: bool
    took_ms: float
    searched: int


async def measure(
    questions: Sequence[LabelledQuestion],
    search: ChunkSearch,
    embedder: Embedder | None,
    *,
    reader: Reader | None,
    dataset: Dataset,
    progress: Callable[[str], None],
) -> RetrievalReport:
    """Ask all questions and compare what is found with their gold.

    Args:
        questions: At least one.
        search: Over the corpus that `rulebooks.publications` gives.
        embedder: None: words alone.
        reader: Orders hits as it does for answering; None: they keep the order of the search.
        dataset: For the report.
        progress: Told from time to time what is being done.
    """
    vectors: list[Vector | None] = [None] * len(questions)
    if embedder is not None:
        progress(f"embedding {len(questions)} questions")
        vectors = [*await _embed(embedder, [question.text for question in questions])]
    if reader is not None:
        await reader.scores("", [""])  # loads it, which is no part of a search
    reordered = ReorderedSearch(search, reranker=None, reader=reader)
    measured: list[_Measured] = []
    for question, vector in zip(questions, vectors, strict=True):
        measured.append(await _measure_one(question, vector, reordered))
        if len(measured) % 200 == 0:
            progress(f"asked {len(measured)} of {len(questions)} questions")
    times = [one.took_ms for one in measured]
    return RetrievalReport(
        dataset=dataset,
        questions=len(questions),
        chunks=max((one.searched for one in measured), default=0),
        embedding=embedder.space.model if embedder else None,
        reader=reader.name if reader else None,
        recall=mean([one.recall for one in measured]),
        average_precision=mean([one.average_precision for one in measured]),
        all_gold=mean([float(one.has_all) for one in measured]),
        pack_both=mean([float(one.pack_has_all) for one in measured]),
        p50_ms=percentile(times, 0.5),
        p99_ms=percentile(times, 0.99),
    )


async def _embed(embedder: Embedder, questions: Sequence[str]) -> list[Vector]:
    """Embed each text as the question that it is, a few at once.

    Raises:
        CiteboundError: The embedder failed.
    """
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(question: str) -> Vector:
        async with gate:
            return await embedder.embed_query(question)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(question)) for question in questions]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
    return [task.result() for task in tasks]


async def _measure_one(
    question: LabelledQuestion, vector: Vector | None, search: ReorderedSearch
) -> _Measured:
    # The timed one first: by the second one, a reader remembers what it read.
    started_s = perf_counter()
    found = await search.search(
        SearchRequest(
            text=question.text,
            embedding=vector,
            scope=SCOPE,
            limit=PACK_HITS,
            neighbours=PACK - PACK_HITS,
        )
    )
    took_ms = (perf_counter() - started_s) * 1_000
    packed = pack(found.result.hits, found.result.neighbours, most=PACK)
    ranked = await search.search(
        SearchRequest(text=question.text, embedding=vector, scope=SCOPE, limit=DEPTH)
    )
    ranking = passages_of(ranked.result.hits)
    return _Measured(
        recall=recall_at(ranking, question.gold, RANKS),
        average_precision=average_precision_at(ranking, question.gold, RANKS),
        has_all=has_all_at(ranking, question.gold, RANKS),
        pack_has_all=question.gold <= set(passages_of(packed)),
        took_ms=took_ms,
        searched=found.result.searched,
    )


def passages_of(chunks: Sequence[RetrievedChunk]) -> list[PassageKey]:
    """Return the passages of chunks, each once, in order of their first chunk."""
    keys = (
        passage_key(policy=chunk.place.policy_key, number=chunk.place.number) for chunk in chunks
    )
    return list(dict.fromkeys(keys))


def report_lines(report: RetrievalReport) -> list[str]:
    """Return the report for a terminal, a figure a line."""
    return [
        f"{report.dataset}: {report.questions} questions, {report.chunks} chunks,"
        f" {report.embedding or 'words alone'}{f', {report.reader}' if report.reader else ''}",
        f"recall@10    {report.recall:.3f}",
        f"map@10       {report.average_precision:.3f}",
        f"all_gold@10  {report.all_gold:.3f}",
        f"pack_both    {report.pack_both:.3f}",
        f"p50_ms       {report.p50_ms:.1f}",
        f"p99_ms       {report.p99_ms:.1f}",
    ]


def pack(
    hits: Sequence[RetrievedChunk], neighbours: Sequence[RetrievedChunk], *, most: int
) -> tuple[RetrievedChunk, ...]:
    """Return at most `most` chunks, none twice: hits that fit, then neighbours as there is room.

    Args:
        hits: Best first.
        neighbours: Nearest to the question first, `via` set.
        most: Size of the pack, from 0.
    """
    chosen: dict[ChunkKey, RetrievedChunk] = {}
    for chunk in (*hits, *neighbours):
        if len(chosen) >= most:
            break
        chosen.setdefault(chunk.chunk_key, chunk)
    places = {chunk.chunk_key: place for place, chunk in enumerate(chosen.values())}
    return tuple(sorted(chosen.values(), key=lambda chunk: _place(chunk, places)))


def _place(chunk: RetrievedChunk, places: dict[ChunkKey, int]) -> tuple[int, int]:
    """Return the place of the hit that a chunk belongs to, then the chunk's own."""
    own = places[chunk.chunk_key]
    return (own if chunk.via is None else places.get(chunk.via, own), own)


def recall_at(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float:
    """Return the share of gold in the first `k`. `gold` is not empty, nothing is twice."""
    return sum(item in gold for item in ranking[:k]) / len(gold)


def average_precision_at(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float:
    """Return the average precision of the first `k`. `gold` is not empty, nothing is twice."""
    found = 0
    total = 0.0
    for place, item in enumerate(ranking[:k], start=1):
        if item in gold:
            found += 1
            total += found / place
    return total / len(gold)


def has_all_at(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> bool:
    """Say whether all gold is in the first `k`."""
    return set(gold) <= set(ranking[:k])


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
