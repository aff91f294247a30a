"""Which space new chunks are embedded in."""

from collections.abc import Sequence

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.search.spaces import PostgresSpaceStore
from core.domain.errors import ConfigError
from core.ingest.embedding_space import build_space
from core.ingest.prepare import Overrides
from core.ingest.publish import Ingested, Ingestor
from core.ontology.extract.rule_extractor import RuleExtractor
from core.ports import Embedder, EmbeddingSpace, Published, Vector
from core.retrieval.serving_embedder import CorpusEmbedder, NoEmbedder
from tests.databases import corpus_store
from tests.integration.ingest.conftest import CountingEmbedder, SetClock, letters
from tests.reading import UnconfinedReader

GIFTS = "# Gifts Policy\n\n1.1 Employees must report gifts above EUR 50.\n"
CASH = "# Cash Policy\n\n1.1 Employees must not accept cash.\n"


class Later:
    """Embeds in a space of its own."""

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace(
            provider="test", model="later", dimensions=26, revision="1", fusion_weight=0.5
        )

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        return [letters(each) for each in texts]

    async def embed_query(self, text: str, /) -> Vector:
        return letters(text)


def ingestor(engine: AsyncEngine, clock: SetClock, *embedders: Embedder) -> Ingestor:
    """The product's ingestion, with the first embedder set up and the others at hand."""

    def find(space: EmbeddingSpace) -> Embedder | NoEmbedder:
        same = (one for one in embedders if one.space.identity == space.identity)
        return next(same, NoEmbedder(reason="its key is not set"))

    return Ingestor(
        reader=UnconfinedReader(),
        store=corpus_store(engine),
        embedder=CorpusEmbedder(PostgresSpaceStore(engine), embedders[0], find),
        extractor=RuleExtractor(),
        clock=clock,
    )


async def ingest(target: Ingestor, markdown: str, name: str) -> Ingested:
    return await target.ingest(
        markdown.encode(), source_name=name, given=Overrides(), with_chunks=True
    )


async def serve_later(engine: AsyncEngine) -> None:
    """Let the later space serve."""
    await build_space(PostgresSpaceStore(engine), Later(), progress=lambda _done, _total: None)


async def test_new_chunks_are_embedded_in_the_space_that_serves(
    engine: AsyncEngine, clock: SetClock, embedder: CountingEmbedder
) -> None:
    """Not in that of what is set up: the new policy is found with the old ones."""
    await ingest(ingestor(engine, clock, embedder), GIFTS, "gifts.md")
    await serve_later(engine)
    await ingest(ingestor(engine, clock, embedder, Later()), CASH, "cash.md")
    serving, kept = await PostgresSpaceStore(engine).spaces()
    assert (serving.space.model, serving.missing) == ("later", 0)
    assert kept.missing > 0


async def test_without_its_embedder_nothing_is_stored(
    engine: AsyncEngine, clock: SetClock, embedder: CountingEmbedder
) -> None:
    """Chunks without vectors would be found less often than others, and nobody would know."""
    await ingest(ingestor(engine, clock, embedder), GIFTS, "gifts.md")
    await serve_later(engine)
    with pytest.raises(ConfigError, match="test:later serves: its key is not set"):
        await ingest(ingestor(engine, clock, embedder), CASH, "cash.md")
    assert await corpus_store(engine).versions_of("cash") == []


async def test_a_switch_during_an_ingestion_is_noticed(
    engine: AsyncEngine, clock: SetClock, embedder: CountingEmbedder
) -> None:
    """The chunks are embedded again, in the space that serves by then."""
    await ingest(ingestor(engine, clock, embedder), GIFTS, "gifts.md")

    class Interrupted(CountingEmbedder):
        async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
            await serve_later(engine)
            return await super().embed_documents(texts)

    done = await ingest(ingestor(engine, clock, Interrupted(), Later()), CASH, "cash.md")
    assert isinstance(done.result, Published)
    serving = (await PostgresSpaceStore(engine).spaces())[0]
    assert (serving.space.model, serving.missing) == ("later", 0)
