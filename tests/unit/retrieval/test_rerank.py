"""Rerank and the judgement of relevance within a retrieval."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import pytest

from core.domain.errors import ContractError, TransientError
from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.domain.question import Scope
from core.language.spans import Span, VersionId
from core.ports import EmbeddingSpace, SearchRequest, SearchResult, Vector
from core.ports.search import fixed
from core.retrieval.relevance import Features, RelevanceRescorer, relevance
from core.retrieval.retriever import DEPTH, READ_DEPTH, Query, Retriever
from tests.factories import make_place
from tests.fakes import ScriptedReader, WaitingEmbedder

SCOPE = Scope(as_of=date(2026, 1, 1))


def chunk(number: int, *, via: int | None = None) -> RetrievedChunk:
    return RetrievedChunk(
        chunk_key=ChunkKey(number),
        chunk_id=f"gifts_chunk_{number:04d}",
        span=Span(version_id=VersionId(1), char_start=number, char_end=number + 1),
        text=f"text {number}",
        place=make_place(path=("1 Limits",)),
        lexical_score=0.5,
        dense_score=None,
        score=1 / number,
        relevance=0.1,
        via=None if via is None else ChunkKey(via),
        coverage=0.5,
    )


@dataclass
class Numbered:
    """Finds chunks 1 to 60 in order, and a neighbour for each hit that is given."""

    requests: list[SearchRequest] = field(default_factory=list[SearchRequest])

    async def search(self, request: SearchRequest, /) -> SearchResult:
        self.requests.append(request)
        hits = request.given or tuple(chunk(n) for n in range(1, 61))[: request.limit]
        near = [chunk(100 + hit.chunk_key, via=hit.chunk_key) for hit in hits]
        return SearchResult(hits=hits, neighbours=tuple(near[: request.neighbours]), searched=60)

    async def section(
        self, policy_key: str, section: str | None, scope: Scope, /
    ) -> tuple[RetrievedChunk, ...]:
        return ()


@dataclass
class LastFirst:
    """Prefers what the search put last, or fails."""

    failure: Exception | None = None
    texts: list[str] = field(default_factory=list[str])
    name: str = "last-first"

    async def rerank(self, question: str, texts: Sequence[str], /) -> list[float]:
        if self.failure:
            raise self.failure
        self.texts += texts
        return [place / len(texts) for place in range(len(texts))]


async def test_the_hits_of_a_deeper_search_are_reordered() -> None:
    """Forty are read with their headings; the best five are kept, with their own neighbours."""
    search, reranker = Numbered(), LastFirst()
    found = await Retriever(search, None, reranker=reranker).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=3)
    )
    assert [hit.chunk_key for hit in found.result.hits] == [40, 39, 38, 37, 36]
    assert [near.via for near in found.result.neighbours] == [40, 39, 38]
    assert (search.requests[0].limit, search.requests[0].neighbours) == (DEPTH, 0)
    assert reranker.texts[0] == "Gifts Policy > 1 Limits\ntext 1"
    assert (found.reranker, found.warnings) == ("last-first", ())


async def test_relevance_is_not_the_rerankers() -> None:
    """Its scores order; what is relevant stays what was measured."""
    found = await Retriever(Numbered(), None, reranker=LastFirst()).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=0)
    )
    assert {hit.relevance for hit in found.result.hits} == {0.1}


async def test_a_failing_reranker_leaves_the_order_of_the_search() -> None:
    """The five best of the search, as without it, and a warning."""
    reranker = LastFirst(failure=TransientError("Voyage failed (503)"))
    found = await Retriever(Numbered(), None, reranker=reranker).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=3)
    )
    assert [hit.chunk_key for hit in found.result.hits] == [1, 2, 3, 4, 5]
    assert [near.via for near in found.result.neighbours] == [1, 2, 3]
    assert (found.reranker, found.warnings) == (None, ("not reranked: Voyage failed (503)",))


async def test_the_reader_and_the_search_order_together() -> None:
    """0.5 x logit - ln(rank): a far hit needs a higher logit than a near one to come first."""
    reader = ScriptedReader({"text 12": 3.2, "text 3": 1.6, "text 2": -0.8, "text 1": 0.0})
    search = Numbered()
    found = await Retriever(search, None, reader=reader).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=2)
    )
    # "text 1" stands for the hits 1, 10 and 11.
    blended = {12: 1.6 - 2.485, 3: 0.8 - 1.099, 2: -0.4 - 0.693, 1: 0.0, 10: -2.303}
    expected = sorted(blended, key=lambda number: -blended[number])
    assert [hit.chunk_key for hit in found.result.hits] == expected == [1, 3, 12, 2, 10]
    assert [near.via for near in found.result.neighbours] == [1, 3]
    assert (search.requests[0].limit, search.requests[0].neighbours) == (READ_DEPTH, 0)
    assert (found.reranker, found.warnings) == ("test:scripted-reader", ())
    assert (len(found.logits), found.logits[ChunkKey(12)]) == (READ_DEPTH, 3.2)


async def test_the_reader_reads_as_it_was_trained() -> None:
    """Title and headings, a colon, the text; no more hits than there is time for."""
    reader = ScriptedReader()
    await Retriever(Numbered(), None, reader=reader).retrieve(
        Query("May I?", SCOPE, depth=READ_DEPTH, neighbours=0)
    )
    ((question, texts),) = reader.asked
    assert (question, texts[0]) == ("May I?", "Gifts Policy > 1 Limits: text 1")
    assert len(texts) == READ_DEPTH


async def test_whoever_takes_more_than_is_read_keeps_the_order_of_the_search() -> None:
    """The rules read all that they are given themselves: nothing is read twice."""
    reader = ScriptedReader({f"text {READ_DEPTH}": 9.0})
    depth = READ_DEPTH + 3
    found = await Retriever(Numbered(), None, reader=reader).retrieve(
        Query("May I?", SCOPE, depth=depth, neighbours=0)
    )
    assert [hit.chunk_key for hit in found.result.hits] == [*range(1, depth + 1)]
    assert not reader.asked


async def test_a_failing_reader_leaves_the_order_of_the_search() -> None:
    """With a warning."""
    reader = ScriptedReader(raises=ContractError("the local model failed"))
    found = await Retriever(Numbered(), None, reader=reader).retrieve(
        Query("May I?", SCOPE, depth=3, neighbours=0)
    )
    assert [hit.chunk_key for hit in found.result.hits] == [1, 2, 3]
    assert (found.reranker, found.logits) == (None, {})
    assert found.warnings == ("not read: the local model failed",)


async def test_a_reranker_goes_before_the_reader() -> None:
    """Which is asked only if the reranker fails."""
    reader = ScriptedReader({"text 2": 3.0})
    reranked = await Retriever(Numbered(), None, reranker=LastFirst(), reader=reader).retrieve(
        Query("May I?", SCOPE, depth=2, neighbours=0)
    )
    assert [hit.chunk_key for hit in reranked.result.hits] == [40, 39]
    assert (reranked.reranker, reader.asked) == ("last-first", [])
    failing = LastFirst(failure=TransientError("Voyage failed (503)"))
    read = await Retriever(Numbered(), None, reranker=failing, reader=reader).retrieve(
        Query("May I?", SCOPE, depth=2, neighbours=0)
    )
    assert [hit.chunk_key for hit in read.result.hits] == [2, 1]
    assert read.reranker == "test:scripted-reader"
    assert read.warnings == ("not reranked: Voyage failed (503)",)


@dataclass
class Measured:
    """The embedder on whose cosines relevance was fitted; counts what it reads."""

    failure: Exception | None = None
    read: list[str] = field(default_factory=list[str])
    is_measured: bool = True

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace(
            provider="test",
            model="measured",
            dimensions=2,
            revision="1",
            fusion_weight=0.5,
            is_measured=self.is_measured,
        )

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        if self.failure:
            raise self.failure
        self.read += texts
        return [(0.6, 0.8) for _ in texts]

    async def embed_query(self, text: str, /) -> Vector:
        return (1.0, 0.0)


async def test_chunks_of_another_space_are_judged_by_the_measured_embedder() -> None:
    """Hits and neighbours get its cosine and the relevance that was fitted on it, once a chunk."""
    measured = Measured()
    retriever = Retriever(
        Numbered(), fixed(Measured(is_measured=False)), rescorer=RelevanceRescorer(measured)
    )
    await retriever.retrieve(Query("May I?", SCOPE, depth=2, neighbours=1))
    found = await retriever.retrieve(Query("May I?", SCOPE, depth=2, neighbours=1))
    fitted = relevance(Features(lexical_score=0.5, cosine=0.6, coverage=0.5))
    for one in (*found.result.hits, *found.result.neighbours):
        assert one.dense_score == pytest.approx(0.6)
        assert one.relevance == pytest.approx(fitted)
    assert measured.read == ["text 1", "text 2", "text 101"]


async def test_chunks_judged_at_once_are_not_lost() -> None:
    """While one question waits for the embedder, another pushes out what the first relies on."""
    embedder = WaitingEmbedder()
    judge = RelevanceRescorer(embedder, kept=2)
    await judge.rescore("May I?", [chunk(1), chunk(2)])
    embedder.goes_on.clear()
    async with asyncio.TaskGroup() as group:
        first = group.create_task(judge.rescore("May I?", [chunk(1), chunk(2), chunk(3)]))
        second = group.create_task(judge.rescore("Must I?", [chunk(4), chunk(5), chunk(6)]))
        await asyncio.sleep(0)
        embedder.goes_on.set()
    assert embedder.asked[1:] == [("text 3",), ("text 4", "text 5", "text 6")]
    assert [one.chunk_key for one in first.result()] == [1, 2, 3]
    assert all(one.dense_score is not None for one in (*first.result(), *second.result()))


async def test_without_the_measured_embedder_words_judge() -> None:
    """A failing one changes nothing."""
    judge = RelevanceRescorer(Measured(failure=TransientError("no")))
    found = await Retriever(Numbered(), None, rescorer=judge).retrieve(
        Query("May I?", SCOPE, depth=2, neighbours=0)
    )
    assert [hit.relevance for hit in found.result.hits] == [0.1, 0.1]


async def test_what_was_measured_is_not_judged_again() -> None:
    """With the measured embedder searching, nothing is read twice."""

    class Dense(Numbered):
        async def search(self, request: SearchRequest, /) -> SearchResult:
            found = await super().search(request)
            return replace(found, hits=tuple(replace(hit, dense_score=0.4) for hit in found.hits))

    measured = Measured()
    await Retriever(Dense(), fixed(measured), rescorer=RelevanceRescorer(measured)).retrieve(
        Query("May I?", SCOPE, depth=2, neighbours=0)
    )
    assert measured.read == []


async def test_without_whatever_reads_nothing_is_searched_deeper() -> None:
    """One search, of the wished depth and with its neighbours."""
    search = Numbered()
    found = await Retriever(search, None).retrieve(Query("May I?", SCOPE, depth=5, neighbours=2))
    assert [(one.limit, one.neighbours) for one in search.requests] == [(5, 2)]
    assert [hit.chunk_key for hit in found.result.hits] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("neighbours", "searches"), [(0, 1), (2, 2)])
async def test_neighbours_are_searched_only_if_wanted(neighbours: int, searches: int) -> None:
    """The second search is for them alone."""
    search = Numbered()
    found = await Retriever(search, None, reader=ScriptedReader({})).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=neighbours)
    )
    assert len(search.requests) == searches
    assert len(found.result.neighbours) == neighbours


async def test_where_nothing_is_found_nothing_is_read() -> None:
    """And no neighbours of it are searched."""

    @dataclass
    class Nothing(Numbered):
        async def search(self, request: SearchRequest, /) -> SearchResult:
            self.requests.append(request)
            return SearchResult(hits=(), neighbours=(), searched=0)

    search = Nothing()
    found = await Retriever(search, None, reader=ScriptedReader({})).retrieve(
        Query("May I?", SCOPE, depth=5, neighbours=2)
    )
    assert (found.result.hits, len(search.requests)) == ((), 1)
