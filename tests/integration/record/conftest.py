"""A small corpus, and questions asked through the wired product."""

from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder
from core.agent.request import AskRequest, Reply
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.ingest.prepare import Overrides
from tests.databases import UnrecordedReader, logins
from tests.integration.record.sealing import SealedLedger

Ask = Callable[..., Coroutine[Any, Any, Reply]]
Rows = Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]
Change = Callable[..., Coroutine[Any, Any, None]]

POLICY = """# Gifts Policy

## 1 Scope

1.1 This policy applies to all employees and contractors of the group.

## 2 Limits

2.1 Employees may accept gifts with a value of up to EUR 50 per giver and calendar year.

2.2 Employees must report gifts above EUR 50 to the Compliance Officer within 5 working days.

2.3 Contractors must not accept gifts.

## 3 Cash

3.1 Employees must not accept cash or vouchers in any amount.
"""


@pytest.fixture
async def service(database_url: str, local_embedder: LocalEmbedder) -> AsyncIterator[Service]:
    """The product on the test's own database, with one policy."""
    settings = Settings(**logins(database_url), unit="berlin")
    async with bootstrap(settings, embedder=local_embedder) as service:
        await service.ingestor.ingest(
            POLICY.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
        )
        yield service


@pytest.fixture
def ask(service: Service) -> Ask:
    """Ask a question in a thread."""

    async def run(question: str, thread: str = "anna") -> Reply:
        return await service.answering.ask(
            AskRequest(text=question, place=Place(thread=thread), asker="p-17")
        )

    return run


@pytest.fixture
def records(engine: AsyncEngine) -> UnrecordedReader:
    """The record, read."""
    return UnrecordedReader(engine)


@pytest.fixture
def rows(engine: AsyncEngine) -> Rows:
    """Read rows as dictionaries."""

    async def run(query: str, **parameters: object) -> list[dict[str, Any]]:
        async with engine.connect() as connection:
            found = await connection.execute(text(query), parameters)
            return [dict(row) for row in found.mappings()]

    return run


@pytest.fixture
def change(engine: AsyncEngine) -> Change:
    """Run statements in one transaction, as the superuser that the tests connect as."""

    async def run(*statements: str, **parameters: object) -> None:
        async with engine.begin() as connection:
            for statement in statements:
                await connection.execute(text(statement), parameters)

    return run


@pytest.fixture
async def sealed(engine: AsyncEngine) -> SealedLedger:
    """Seven records, sealed as five and two."""
    ledger = SealedLedger(engine)
    await ledger.append(5, conversation=uuid5(NAMESPACE_URL, "conversation"))
    await ledger.seal(until=5)
    await ledger.append(2, conversation=uuid5(NAMESPACE_URL, "conversation"), first=6)
    await ledger.seal(until=7)
    return ledger
