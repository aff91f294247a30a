"""Files published the product's way, and a look at all that is stored."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime
from math import sqrt
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.ingest.compare import SourceFile
from core.ingest.prepare import Overrides
from core.ingest.publish import Ingested, Ingestor
from core.ontology.extract.rule_extractor import RuleExtractor
from core.ports import Clock, EmbeddingSpace, Vector
from core.ports.search import fixed
from tests.databases import corpus_store
from tests.reading import UnconfinedReader

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]
Counts = Callable[[], Awaitable[dict[str, int]]]


class SetClock(Clock):
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant

    def monotonic_s(self) -> float:
        return 0.0


class CountingEmbedder:
    """Counts letters, and the texts it was given; fails when told to."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.failure: Exception | None = None

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace(
            provider="test", model="letters", dimensions=26, revision="1", fusion_weight=0.5
        )

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        if self.failure is not None:
            raise self.failure
        self.texts += texts
        return [letters(each) for each in texts]

    async def embed_query(self, text: str, /) -> Vector:
        return letters(text)


def letters(words: str) -> Vector:
    """Return how often each letter occurs, as a unit vector."""
    counts = [1 + words.lower().count(chr(97 + n)) for n in range(26)]
    norm = sqrt(sum(count * count for count in counts))
    return tuple(count / norm for count in counts)


@pytest.fixture
def clock() -> SetClock:
    """The first day of 2026, until a test says otherwise."""
    return SetClock()


@pytest.fixture
def embedder() -> CountingEmbedder:
    """An embedder that counts."""
    return CountingEmbedder()


@pytest.fixture
def ingestor(engine: AsyncEngine, clock: SetClock, embedder: CountingEmbedder) -> Ingestor:
    """The product's ingestion on the test's own database."""
    return Ingestor(
        reader=UnconfinedReader(),
        store=corpus_store(engine),
        embedder=fixed(embedder),
        extractor=RuleExtractor(),
        clock=clock,
    )


@pytest.fixture
def ingest(ingestor: Ingestor) -> Ingest:
    """Ingest Markdown under a file name, with options."""

    async def run(
        markdown: str,
        *,
        name: str = "gifts.md",
        with_chunks: bool = True,
        file: SourceFile | None = None,
        **given: object,
    ) -> Ingested:
        return await ingestor.ingest(
            markdown.encode(),
            source_name=name,
            given=Overrides(**given),  # pyright: ignore[reportArgumentType]
            with_chunks=with_chunks,
            file=file,
        )

    return run


@pytest.fixture
def counts(engine: AsyncEngine) -> Counts:
    """Count the rows of every table."""

    async def run() -> dict[str, int]:
        async with engine.connect() as connection:
            names = list(
                await connection.scalars(
                    text(
                        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
                        " WHERE schemaname IN ('citebound', 'audit')"
                    )
                )
            )
            return {
                name: await connection.scalar(text(f"SELECT count(*) FROM {name}")) or 0  # noqa: S608  # from the catalogue
                for name in names
            }

    return run
