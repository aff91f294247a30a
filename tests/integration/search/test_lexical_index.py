from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.corpus import corpus
from core.adapters.postgres.engine.transactions import wait_for_publishing
from core.adapters.postgres.search import indexes
from core.adapters.postgres.search.indexes import space_id_for, store_embeddings
from core.domain.errors import IntegrityError
from core.ports import EmbeddingSpace, Published, Vector
from core.retrieval import ranking

Publish = Callable[..., Awaitable[Published]]


async def _scalar(engine: AsyncEngine, query: str) -> object:
    async with engine.connect() as connection:
        return await connection.scalar(text(query))


async def test_weights_are_bm25_with_a_weak_heading(engine: AsyncEngine, publish: Publish) -> None:
    """One chunk of mean length: tf 1 weighs 1.9/1.9 = 1, and a heading's word .2 of that."""
    await publish("gifts", [("1", "Reception", "A bribe; declined gift.")])
    weight = (
        "SELECT -(weights <#> CAST('{{' || t.id || chr(58) || '1}}/1000000' AS sparsevec))"
        " FROM citebound.chunk_terms, citebound.terms t WHERE t.term = '{}'"
    )
    assert await _scalar(engine, weight.format("bribe")) == pytest.approx(1.0)
    assert await _scalar(engine, weight.format("recept")) == pytest.approx(0.2)
    # "Gifts Policy" is the policy's title: the word stands in the text and in the heading.
    assert await _scalar(engine, weight.format("gift")) == pytest.approx(1.2)


async def test_counts_follow_publication(engine: AsyncEngine, publish: Publish) -> None:
    """Document frequencies and lengths are those of all chunks, and ids are used up once."""
    for number in range(3):
        await publish(f"p{number}", [("1", "One", "gift gift limit"), ("2", "Two", "limit")])
    assert await _scalar(engine, "SELECT df FROM citebound.terms WHERE term = 'gift'") == 3
    assert await _scalar(engine, "SELECT df FROM citebound.terms WHERE term = 'limit'") == 6
    assert await _scalar(engine, "SELECT chunks FROM citebound.lexical_stats") == 6
    assert await _scalar(engine, "SELECT words FROM citebound.lexical_stats") == 12
    assert await _scalar(engine, "SELECT max(id) = count(*) FROM citebound.terms")


async def test_all_chunks_are_weighed_again_when_the_mean_drifts(
    engine: AsyncEngine, publish: Publish
) -> None:
    """A corpus that grows longer texts changes the weights of the first ones."""
    await publish("short", [("1", "One", "gift limit")])
    first = "SELECT weights::text FROM citebound.chunk_terms ORDER BY chunk_id LIMIT 1"
    before = await _scalar(engine, first)
    await publish("long", [("1", "One", "approval register hospitality officer " * 20)])
    assert await _scalar(engine, first) != before
    assert await _scalar(engine, "SELECT mean_words FROM citebound.lexical_stats") == 41


async def test_a_chunk_of_very_many_terms_keeps_the_heaviest(
    engine: AsyncEngine, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more terms are stored than an index takes; those repeated most stay."""
    monkeypatch.setattr(ranking, "MAX_TERMS", 2)
    await publish("list", [("1", "One", "gift gift limit limit approval register hotel")])
    kept = (
        "SELECT array_agg(t.term ORDER BY t.term) FROM citebound.chunk_terms c, citebound.terms t"
        " WHERE (c.weights <#> CAST('{' || t.id || chr(58) || '1}/1000000' AS sparsevec)) < 0"
    )
    assert await _scalar(engine, kept) == ["gift", "limit"]


async def test_equal_chunks_share_their_vector(
    engine: AsyncEngine, publish: Publish, space: EmbeddingSpace
) -> None:
    """A version embeds only what no stored chunk of the space has; the rest is copied."""
    first = await publish("gifts", [("1", "One", "A gift."), ("2", "Two", "A limit.")])
    second = await publish("gifts", [("1", "One", "A gift."), ("2", "Two", "No limit.")])
    assert (first.chunks_embedded, second.chunks_embedded) == (2, 1)
    assert await _scalar(engine, "SELECT count(*) FROM citebound.chunk_embeddings") == 4
    assert await _scalar(engine, "SELECT count(*) FROM citebound.embedding_spaces") == 1
    assert space.model == await _scalar(engine, "SELECT model FROM citebound.embedding_spaces")


async def test_a_missing_vector_stops_the_publication(
    engine: AsyncEngine,
    publish: Publish,
    space: EmbeddingSpace,
    embed: Callable[[str], Vector],
) -> None:
    """A chunk that has no vector is an error, not a chunk that meaning never finds."""
    stored = await publish("gifts", [("1", "One", "A gift."), ("2", "Two", "It.")], embedded=False)
    async with engine.connect() as connection:
        space_id = await space_id_for(connection, space)
        with pytest.raises(IntegrityError, match="1 chunks"):
            await store_embeddings(
                connection, stored.version_id, space_id, {"A gift.": embed("A gift.")}
            )


async def test_a_large_corpus_is_weighed_anew_after_its_publication(
    engine: AsyncEngine, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version by version, with the weights of one that is weighed at once; what is due is kept."""
    await publish("short", [("1", "One", "gift limit")])
    first = "SELECT weights::text FROM citebound.chunk_terms ORDER BY chunk_id LIMIT 1"
    mean = "SELECT mean_words FROM citebound.lexical_stats"
    before = await _scalar(engine, first)
    monkeypatch.setattr(indexes, "EXACT_LIMIT", 0)
    locked: list[int] = []

    async def waits(connection: AsyncConnection) -> None:
        locked.append(1)
        await wait_for_publishing(connection)

    with monkeypatch.context() as patched:
        patched.setattr(corpus, "weigh_anew", _nothing)
        await publish("long", [("1", "One", "approval register hospitality officer " * 20)])
        assert (await _scalar(engine, first), await _scalar(engine, mean)) == (before, 2)
    monkeypatch.setattr(indexes, "wait_for_publishing", waits)
    await indexes.weigh_anew(engine)
    assert await _scalar(engine, first) != before
    assert await _scalar(engine, mean) == 41
    assert len(locked) == 3
    await indexes.weigh_anew(engine)
    assert len(locked) == 3


async def _nothing(_: AsyncEngine) -> None:
    """Stand for a process that was killed before it weighed anything anew."""
