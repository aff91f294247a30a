"""A console over a small corpus, with records made by the product."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.engine.roles import DatabaseRole
from core.agent.request import AskRequest, Reply
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.ingest.prepare import Overrides
from tests.databases import as_role
from tests.officer_console import OFFICERS, ORIGIN, Console, Visitor, grant, served
from tests.ports import free_port

POLICY = """# Gifts Policy

## 1 Scope

1.1 This policy applies to all employees and contractors of the group.

## 2 Limits

2.1 Employees may accept gifts with a value of up to EUR 50 per giver and calendar year.

2.2 Employees must report gifts above EUR 50 to the Compliance Officer within 5 working days.

## 3 Cash

3.1 Employees must not accept cash or vouchers in any amount.
"""
NEXT = POLICY.replace("EUR 50 per giver", "EUR 40 per giver")
QUESTION = "May employees accept gifts, and up to what value?"


@pytest.fixture
async def console(
    database_url: str, local_embedder: LocalEmbedder, tmp_path: Path
) -> AsyncIterator[Console]:
    """The console, with two officers and one policy."""
    port = free_port()
    settings = Settings(
        database_url=as_role(database_url, DatabaseRole.APP),
        unit="berlin",
        officers=OFFICERS,
        console_url=f"{ORIGIN}:{port}",
        record_url=as_role(database_url, DatabaseRole.CONSOLE),
        ledger_key=tmp_path / "ledger-key.pem",
    )
    grant(database_url, "ada", "grace")
    async with bootstrap(settings, embedder=local_embedder) as service:
        await service.ingestor.ingest(
            POLICY.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
        )
        async with served(service, port) as console:
            yield console


@pytest.fixture
async def ada(console: Console) -> Visitor:
    """A browser in which an officer is signed in."""
    return await console.signed_in()


async def ask(service: Service, question: str = QUESTION, *, asker: str = "p-17") -> Reply:
    """Ask a question, in a thread of its own."""
    place = Place(thread=f"{asker}:{question[:40]}")
    return await service.answering.ask(AskRequest(text=question, place=place, asker=asker))
