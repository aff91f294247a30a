"""A database of its own for each evaluated corpus: built once, kept, finished if interrupted.

Its name is a hash of all that the index depends on, so a changed document, embedder, parameter or
table of the corpus gives a new one; old ones can be dropped at any time. Each document is published
in its own transaction: after an interruption those that are there are kept and the rest is added.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
from core.adapters.postgres.engine.embedded import create_database
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.schema import MIGRATIONS, open_database
from core.adapters.postgres.engine.transactions import BUILT_WITHIN_S, AdvisoryLock, held_meanwhile
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.adapters.system import SystemClock, UuidSource
from core.domain.errors import UsageError
from core.domain.policy import Chunk
from core.ingest.chunk import DEFAULT_OVERLAP, DEFAULT_SIZE
from core.ports import Embedder, Publication, Reader, Vector
from core.retrieval import ranking
from evals.retrieval import RetrievalReport, measure
from evals.rulebooks import Dataset, Passage, publications, read_passages, read_questions

INDEX_VERSION = 1
"""Raise it when the same documents would be stored otherwise."""
PUBLISHED_ON = date(2025, 1, 1)


async def evaluate_retrieval(
    url: str,
    *,
    dataset: Dataset,
    documents: Path,
    questions: Path,
    limit: int | None,
    lexical_only: bool,
    embedder: Embedder | None,
    reader: Reader | None = None,
    progress: Callable[[str], None],
) -> RetrievalReport:
    """Measure retrieval on a published question set.

    Args:
        url: A server on which databases may be created; its own database is not touched.
        dataset: Which shape the questions have.
        documents: Folder of ObliQA's documents.
        questions: `dev.json` of ObliQA, or a `.jsonl` of XRefRAG.
        limit: Ask only the first so many; None: all.
        lexical_only: Search by words alone, over the same database.
        embedder: Embeds the corpus, once; None: words alone.
        reader: Orders the hits; None: they keep the order of the search.
        progress: Told from time to time what is being done.

    Raises:
        DocumentError: A file can't be read or is of another shape.
        UsageError: There is nothing to ask.
        ConfigError: The server can't be reached, or is not fit for use.
    """
    passages = await asyncio.to_thread(read_passages, documents)
    labelled = await asyncio.to_thread(read_questions, questions, dataset, passages)
    labelled = labelled[:limit]
    if not labelled:
        raise UsageError(f"{questions.name} has no questions to ask")
    async with opened_corpus(url, passages, embedder, progress=progress) as search:
        asking = None if lexical_only else embedder
        return await measure(
            labelled, search, asking, reader=reader, dataset=dataset, progress=progress
        )


@asynccontextmanager
async def opened_corpus(
    url: str,
    passages: Sequence[Passage],
    embedder: Embedder | None,
    *,
    progress: Callable[[str], None],
) -> AsyncGenerator[PostgresChunkSearch]:
    """Build the corpus unless it is there, and search it.

    Raises:
        ConfigError: The server can't be reached, or is not fit for use.
    """
    name = await asyncio.to_thread(_database_name, passages, embedder)
    async with open_database(await create_database(url, name)) as engine:
        await _build(engine, passages, embedder, progress)
        yield PostgresChunkSearch(engine, embedder.space if embedder else None)


def _database_name(passages: Sequence[Passage], embedder: Embedder | None) -> str:
    digest = hashlib.sha256()
    parameters = (INDEX_VERSION, DEFAULT_SIZE, DEFAULT_OVERLAP, ranking.K1, ranking.B)
    digest.update(repr((*parameters, ranking.HEADING_WEIGHT, ranking.PLAIN_FROM)).encode())
    digest.update(repr(embedder.space if embedder else None).encode())
    for migration in sorted((MIGRATIONS / "versions").glob("000[123]_*.py")):
        digest.update(migration.read_bytes())
    for passage in passages:
        digest.update(repr(passage).encode())
    return f"citebound_eval_{digest.hexdigest()[:16]}"


async def _build(
    engine: AsyncEngine,
    passages: Sequence[Passage],
    embedder: Embedder | None,
    progress: Callable[[str], None],
) -> None:
    """Publish the documents that are not there yet."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="evaluation")
    store = PostgresCorpusStore(engine, ledger=ledger, operator="evaluation")
    async with held_meanwhile(engine, AdvisoryLock.BUILDING_EVALUATION, within_s=BUILT_WITHIN_S):
        async with engine.connect() as connection:
            known = set(await connection.scalars(text("SELECT key FROM citebound.policies")))
        total = len({passage.key.document for passage in passages})
        if len(known) < total:
            progress(f"reading {total} documents")
            all_publications = await asyncio.to_thread(publications, passages)
            for count, publication in enumerate(all_publications, start=1):
                if publication.metadata.key not in known:
                    progress(f"document {count} of {total}: {len(publication.chunks)} chunks")
                    await _publish(store, publication, embedder)
            async with engine.begin() as connection:
                await connection.execute(text("ANALYZE"))


async def _publish(
    store: PostgresCorpusStore, publication: Publication, embedder: Embedder | None
) -> None:
    vectors = (
        await _missing_vectors(store, publication.chunks, embedder) if embedder is not None else {}
    )
    await store.publish(
        publication,
        after=None,
        space=embedder.space if embedder else None,
        vectors=vectors,
        on_day=PUBLISHED_ON,
    )


async def _missing_vectors(
    store: PostgresCorpusStore, chunks: Sequence[Chunk], embedder: Embedder
) -> dict[str, Vector]:
    texts = [chunk.text for chunk in chunks]
    missing = [texts[index] for index in await store.missing_embeddings(texts, embedder.space)]
    return dict(zip(missing, await embedder.embed_documents(missing), strict=True))
