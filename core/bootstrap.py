"""Composition root: settings -> a service.

Every dependency can be replaced by a parameter; nothing connects at import.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from core.adapters.local_embedder import Unavailable, find_local_embedder
from core.adapters.postgres.audit import PostgresAuditLog
from core.adapters.postgres.audit_reader import PostgresAuditReader
from core.adapters.postgres.conversations import PostgresConversationStore
from core.adapters.postgres.corpus import PostgresCorpusStore
from core.adapters.postgres.database import open_database
from core.adapters.postgres.embedded import start_embedded
from core.adapters.postgres.ontology import PostgresOntologyStore
from core.adapters.postgres.search import PostgresChunkSearch
from core.adapters.system import SystemClock, UuidSource
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.service import Answering
from core.config import Settings
from core.domain.budget import Limits
from core.domain.ontology import Extraction
from core.ingest.prepare import Prepared
from core.ingest.publish import Ingestor
from core.ontology.extract import extract
from core.ports import Clock, Embedder, IdSource, ReasonerFactory
from core.retrieval.retriever import Retriever


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The product, wired: what surfaces and commands use."""

    settings: Settings
    """As given."""
    answering: Answering
    """One question in, one recorded reply out."""
    ingestor: Ingestor
    """One file in, one version published."""
    corpus: PostgresCorpusStore
    """Policies and chunks."""
    ontology: PostgresOntologyStore
    """Entities and relations."""
    conversations: PostgresConversationStore
    """Threads."""
    records: PostgresAuditReader
    """The record, read."""
    retriever: Retriever
    """Search over chunks."""
    clock: Clock
    """Time."""
    embedder: Embedder | None
    """None: lexical search alone."""
    embedder_problem: str | None
    """Why there is no embedder; None if there is one."""


def _extract(prepared: Prepared) -> Extraction:
    return extract(
        prepared.document.text,
        prepared.sections,
        policy_key=prepared.metadata.key,
        title=prepared.metadata.title,
        jurisdiction=prepared.metadata.jurisdiction,
    )


async def database_url(settings: Settings) -> str:
    """Return the configured database, or start the embedded one.

    Raises:
        ConfigError: The embedded one can't be started.
    """
    if settings.database_url:
        return settings.database_url
    return await asyncio.to_thread(start_embedded, settings.home)


@asynccontextmanager
async def bootstrap(
    settings: Settings,
    *,
    reasoner: ReasonerFactory | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    ids: IdSource | None = None,
) -> AsyncGenerator[Service]:
    """Open the database and wire the service; close all at the end.

    Raises:
        ConfigError: The database can't be reached, is too old, or can't be migrated.
    """
    clock, ids = clock or SystemClock(), ids or UuidSource()
    problem: str | None = None
    if embedder is None:
        found = await asyncio.to_thread(find_local_embedder, settings.embedding_model)
        embedder, problem = (
            (None, found.reason) if isinstance(found, Unavailable) else (found, None)
        )
    async with open_database(await database_url(settings)) as engine:
        corpus = PostgresCorpusStore(engine)
        ontology = PostgresOntologyStore(engine)
        conversations = PostgresConversationStore(engine)
        search = PostgresChunkSearch(engine, embedder.space if embedder else None)
        retriever = Retriever(search, embedder)
        yield Service(
            settings=settings,
            answering=Answering(
                reasoner=reasoner or ExtractiveReasoner(embedder),
                corpus=corpus,
                ontology=ontology,
                conversations=conversations,
                retriever=retriever,
                log=PostgresAuditLog(engine, clock=clock, ids=ids, unit=settings.unit),
                clock=clock,
                ids=ids,
                limits=Limits(
                    gate_threshold=settings.gate_threshold,
                    relevance_threshold=settings.relevance_threshold,
                    retrieval_depth=settings.retrieval_depth,
                    max_attempts=settings.max_attempts,
                    deadline_s=settings.deadline_s,
                ),
            ),
            ingestor=Ingestor(store=corpus, embedder=embedder, extract=_extract, clock=clock),
            corpus=corpus,
            ontology=ontology,
            conversations=conversations,
            records=PostgresAuditReader(engine),
            retriever=retriever,
            clock=clock,
            embedder=embedder,
            embedder_problem=problem,
        )
