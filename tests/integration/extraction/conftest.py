"""Claude, spoken to over HTTP, reads policies into a real database."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.anthropic.extraction.composition import open_section_reader
from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.adapters.postgres.ontology.ontology_writer import PostgresExtractedSections
from core.adapters.system import SystemClock
from core.backoff import Backoff
from core.config.settings import Settings
from core.domain.ontology import Snapshot
from core.domain.question import Scope
from core.ingest.prepare import NOTHING_GIVEN
from core.ingest.publish import Ingested, Ingestor
from core.ontology.extract.rule_extractor import RuleExtractor
from core.ontology.model.model_extractor import ModelExtractor
from core.ports.extraction import ReadingReport, SectionReader
from tests.databases import corpus_store
from tests.factories import TODAY
from tests.reading import UnconfinedReader
from tests.servers.anthropic import AnthropicServer

GIFTS = """# Gifts Policy

## 1 Limits

Employees may accept gifts of up to EUR 75 per year. Gifts above EUR 75 are entered in the
Benefit Ledger within 5 business days.

## 2 Cash

Employees must not accept cash. Travellers hand cash over to the Ethics Circle.

## 3 Samples

Samples may be returned to the giver.
"""
PRICES = '{"claude-": {"input": 1, "cache_write": 2, "cache_read": 0.5, "output": 4}}'


@dataclass
class Desk:
    """Ingests with Claude at a server, or by rules; looks at what is stored."""

    engine: AsyncEngine

    @asynccontextmanager
    async def extractor(
        self,
        server: AnthropicServer,
        watch: Callable[[SectionReader], SectionReader] = lambda reader: reader,
        **settings: Any,
    ) -> AsyncGenerator[ModelExtractor]:
        given: dict[str, Any] = {
            "anthropic_api_key": server.key,
            "anthropic_base_url": server.url,
            "prices": PRICES,
            "extract_per_minute": 10_000,
            **settings,
        }
        chosen = Settings(**given)
        backoff = Backoff(attempts=3, first_s=0.01, longest_s=0.02, shortest_attempt_s=0.05)
        async with open_section_reader(chosen, clock=SystemClock(), backoff=backoff) as reader:
            yield ModelExtractor(
                watch(reader),
                PostgresExtractedSections(self.engine),
                in_flight=chosen.extract_in_flight,
            )

    async def by_rules(self, text: str = GIFTS) -> Ingested:
        return await self.ingest(text, RuleExtractor())

    async def by_claude(
        self, server: AnthropicServer, text: str = GIFTS, **settings: Any
    ) -> Ingested:
        async with self.extractor(server, **settings) as extractor:
            return await self.ingest(text, extractor)

    async def ingest(self, text: str, extractor: Any) -> Ingested:
        ingestor = Ingestor(
            reader=UnconfinedReader(),
            store=corpus_store(self.engine),
            embedder=None,
            extractor=extractor,
            clock=SystemClock(),
        )
        return await ingestor.ingest(
            text.encode(), source_name="gifts.md", given=NOTHING_GIVEN, with_chunks=True
        )

    async def snapshot(self, edition: int | None = None) -> Snapshot:
        return await PostgresOntologyStore(self.engine).snapshot(
            Scope(as_of=TODAY, edition=edition, groups=frozenset({"everyone"}))
        )


def report_of(done: Ingested) -> ReadingReport:
    """Return what a model read; there must be a report."""
    assert done.reading is not None
    return done.reading


@pytest.fixture
def desk(engine: AsyncEngine) -> Desk:
    """Ingestion on the test's own database."""
    return Desk(engine)
