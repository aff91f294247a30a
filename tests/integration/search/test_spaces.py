"""Spaces side by side on a real Postgres: built while the old one serves, switched at once."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError as UniqueViolation
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.search import spaces as spaces_module
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.adapters.postgres.search.spaces import PostgresSpaceStore
from core.domain.errors import OccupiedError, OvertakenError, TransientError, UsageError
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.ingest.embedding_space import build_space, drop_kept
from core.ports import EmbeddingSpace, SearchRequest, Vector
from core.ports.search import SpaceState
from tests.databases import corpus_store
from tests.integration.search.conftest import SPACE, Publish, letters, publication

GIFTS = [("1", "Limits", "Gifts above EUR 50 must be reported."), ("2", "Cash", "No cash.")]
TRAVEL = [("1", "Trains", "Trains are preferred."), ("2", "Cash", "No cash.")]
OTHER = EmbeddingSpace(
    provider="other", model="words", dimensions=30, revision="1", fusion_weight=0.4
)
SCOPE = Scope(as_of=date(2026, 6, 1))


@dataclass
class OtherEmbedder:
    """Embeds in the other space; notes what it embeds, and does something in between."""

    between: Callable[[], object] | None = None
    failing_from: int | None = None
    texts: list[str] = field(default_factory=list[str])
    calls: int = 0

    @property
    def space(self) -> EmbeddingSpace:
        return OTHER

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        self.calls += 1
        if self.failing_from is not None and self.calls >= self.failing_from:
            raise TransientError("the service failed")
        self.texts += texts
        if self.between is not None:
            between, self.between = self.between, None
            await between()  # pyright: ignore[reportGeneralTypeIssues]
        return [await self.embed_query(each) for each in texts]

    async def embed_query(self, words: str, /) -> Vector:
        return (*letters(words), 0.0, 0.0, 0.0, 0.0)


def unheard(_done: int, _total: int) -> None:
    """Tell nobody."""


@pytest.fixture
def store(engine: AsyncEngine) -> PostgresSpaceStore:
    return PostgresSpaceStore(engine)


async def test_the_first_publication_lets_its_space_serve(
    publish: Publish, store: PostgresSpaceStore
) -> None:
    """A fresh corpus has no space; the first one that is used serves."""
    assert await store.serving() is None
    await publish("gifts", GIFTS)
    assert await store.serving() == SPACE
    (only,) = await store.spaces()
    assert (only.state, only.embedded, only.missing) == (SpaceState.SERVING, 2, 0)


async def test_a_new_space_is_built_and_then_serves(
    publish: Publish, store: PostgresSpaceStore
) -> None:
    """Each text once, although two chunks share one; the old space is kept."""
    await publish("gifts", GIFTS)
    await publish("travel", TRAVEL)
    embedder, told = OtherEmbedder(), list[tuple[int, int]]()
    built = await build_space(
        store, embedder, progress=lambda done, all_: told.append((done, all_))
    )
    assert (built.texts, built.has_switched, built.previous) == (3, True, SPACE)
    assert told == [(0, 3), (3, 3)]
    assert [(one.space.name, one.state, one.missing) for one in await store.spaces()] == [
        ("other:words", SpaceState.SERVING, 0),
        ("test:letters", SpaceState.KEPT, 0),
    ]


async def test_once_more_changes_nothing(publish: Publish, store: PostgresSpaceStore) -> None:
    """And switching back costs nothing."""
    await publish("gifts", GIFTS)
    await build_space(store, OtherEmbedder(), progress=unheard)
    again = OtherEmbedder()
    built = await build_space(store, again, progress=unheard)
    assert (built.texts, built.has_switched, again.texts) == (0, False, [])


async def test_an_interrupted_build_goes_on_where_it_was(
    publish: Publish, store: PostgresSpaceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was paid for stays; meanwhile the old space serves."""
    monkeypatch.setattr("core.ingest.embedding_space.ROUND", 1)
    await publish("gifts", GIFTS)
    with pytest.raises(TransientError):
        await build_space(store, OtherEmbedder(failing_from=2), progress=unheard)
    assert await store.serving() == SPACE
    assert {one.space.name: one.state for one in await store.spaces()} == {
        "test:letters": SpaceState.SERVING,
        "other:words": SpaceState.BUILDING,
    }
    rest = OtherEmbedder()
    await build_space(store, rest, progress=unheard)
    assert len(rest.texts) == 1
    assert await store.serving() == OTHER


async def test_what_is_published_during_the_build_is_included(
    publish: Publish, store: PostgresSpaceStore
) -> None:
    """It is embedded in the space that serves, and in the new one before that serves."""
    await publish("gifts", GIFTS)

    async def between() -> None:
        await publish("travel", TRAVEL)

    embedder = OtherEmbedder(between=between)
    built = await build_space(store, embedder, progress=unheard)
    assert built.texts == 3
    assert sorted(embedder.texts) == sorted({*embedder.texts})
    assert [(one.state, one.embedded, one.missing) for one in await store.spaces()] == [
        (SpaceState.SERVING, 4, 0),
        (SpaceState.KEPT, 4, 0),
    ]


async def test_publishing_in_a_space_that_no_longer_serves_is_overtaken(
    engine: AsyncEngine, publish: Publish, store: PostgresSpaceStore
) -> None:
    """Its vectors would never be searched: nothing is stored, and the caller embeds again."""
    await publish("gifts", GIFTS)
    await build_space(store, OtherEmbedder(), progress=unheard)
    ready = publication("travel", TRAVEL, audience=frozenset({EVERYONE}))
    with pytest.raises(OvertakenError, match="embedded in other:words by now"):
        await corpus_store(engine).publish(
            ready,
            after=None,
            space=SPACE,
            vectors={chunk.text: letters(chunk.text) for chunk in ready.chunks},
            on_day=date(2026, 1, 1),
        )
    assert await corpus_store(engine).versions_of("travel") == []


async def test_search_goes_by_the_space_of_the_request(
    engine: AsyncEngine, publish: Publish, store: PostgresSpaceStore
) -> None:
    """During and after a switch each question is compared with vectors of its own space."""
    await publish("gifts", GIFTS)
    search = PostgresChunkSearch(engine, None)

    async def best(embedding: Vector, space: EmbeddingSpace) -> float | None:
        request = SearchRequest(text="zzz", embedding=embedding, scope=SCOPE, limit=1, space=space)
        found = await search.search(request)
        return found.hits[0].dense_score if found.hits else None

    wanted = GIFTS[0][2]
    old = letters(wanted)
    new = await OtherEmbedder().embed_query(wanted)
    assert await best(new, OTHER) is None
    await build_space(store, OtherEmbedder(), progress=unheard)
    assert await best(old, SPACE) == pytest.approx(1.0, abs=0.2)
    assert await best(new, OTHER) == pytest.approx(1.0, abs=0.2)
    assert await drop_kept(store) == {"test:letters": 2}
    assert await best(old, SPACE) is None
    assert await best(new, OTHER) == pytest.approx(1.0, abs=0.2)


async def test_a_serving_space_is_not_dropped(publish: Publish, store: PostgresSpaceStore) -> None:
    """Only what does not serve can go; what is not there is no error."""
    await publish("gifts", GIFTS)
    with pytest.raises(UsageError, match="test:letters serves"):
        await store.drop(SPACE)
    assert await store.drop(OTHER) == 0


async def test_a_large_corpus_gets_its_index_before_the_switch(
    engine: AsyncEngine,
    publish: Publish,
    store: PostgresSpaceStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One for the size and the rows of the new space; dropping the space drops it."""

    async def always(_connection: object) -> bool:
        return True

    monkeypatch.setattr(spaces_module, "is_large", always)
    await publish("gifts", GIFTS)
    await build_space(store, OtherEmbedder(), progress=unheard)

    async def indexes() -> list[str]:
        query = "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'chunk_embeddings%hnsw'"
        async with engine.connect() as connection:
            return list(await connection.scalars(text(query)))

    (only,) = await indexes()
    assert "halfvec(30)" in only
    assert "WHERE (space_id = " in only
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.embedding_spaces SET state = 'kept'"))
    await store.drop(OTHER)
    assert await indexes() == []


async def test_at_most_one_space_serves(
    engine: AsyncEngine, publish: Publish, store: PostgresSpaceStore
) -> None:
    """The database refuses a second one."""
    await publish("gifts", GIFTS)
    await store.begin(OTHER)
    with pytest.raises(UniqueViolation):
        async with engine.begin() as connection:
            await connection.execute(
                text("UPDATE citebound.embedding_spaces SET state = 'serving'")
            )


async def test_one_process_builds_at_a_time(publish: Publish, store: PostgresSpaceStore) -> None:
    """A second one is told so, instead of paying for the same texts."""
    await publish("gifts", GIFTS)

    async def between() -> None:
        with pytest.raises(OccupiedError, match="another process is embedding"):
            await build_space(store, OtherEmbedder(), progress=unheard)

    await build_space(store, OtherEmbedder(between=between), progress=unheard)


async def test_what_a_build_would_cost_is_known_before(
    publish: Publish, store: PostgresSpaceStore
) -> None:
    """Chunks, different texts and their characters; nothing is changed."""
    await publish("gifts", GIFTS)
    await publish("travel", TRAVEL)
    gap = await store.gap(OTHER)
    assert (gap.chunks, gap.texts) == (4, 3)
    assert gap.characters == sum(len(one) for one in await store.unembedded(OTHER, limit=9))
    assert [one.space.name for one in await store.spaces()] == ["test:letters"]


async def test_questions_during_the_switch_find_something(
    engine: AsyncEngine, publish: Publish, store: PostgresSpaceStore
) -> None:
    """Searches that run beside a build never fail, whatever space they ask in."""
    await publish("gifts", GIFTS)
    search, wanted = PostgresChunkSearch(engine, None), GIFTS[0][2]
    done = asyncio.Event()
    found: list[int] = []

    async def ask() -> None:
        while not done.is_set():
            request = SearchRequest(
                text=wanted, embedding=letters(wanted), scope=SCOPE, limit=2, space=SPACE
            )
            found.append(len((await search.search(request)).hits))

    async def build() -> None:
        await build_space(store, OtherEmbedder(), progress=unheard)
        await drop_kept(store)
        done.set()

    async with asyncio.TaskGroup() as group:
        group.create_task(ask())
        group.create_task(build())
    assert found
    assert set(found) <= {1, 2}
