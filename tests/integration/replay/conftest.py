"""A small corpus, and questions asked through the wired product, to be answered again."""

from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.record.recorded_questions import PostgresRecordedQuestions
from core.agent.request import AskRequest, Reply
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.ingest.prepare import Overrides
from core.replay.recorded import RecordedQuestion
from tests.databases import logins
from tests.integration.record.conftest import POLICY as GIFTS

Ask = Callable[..., Coroutine[Any, Any, Reply]]
Publish = Callable[..., Coroutine[Any, Any, None]]


@pytest.fixture
async def service(database_url: str, local_embedder: LocalEmbedder) -> AsyncIterator[Service]:
    """The product on the test's own database, with one policy."""
    settings = Settings(**logins(database_url))
    async with bootstrap(settings, embedder=local_embedder) as service:
        await _publish(service, GIFTS)
        yield service


async def _publish(service: Service, text: str, name: str = "gifts.md", **about: Any) -> None:
    await service.ingestor.ingest(
        text.encode(), source_name=name, given=Overrides(**about), with_chunks=True
    )


ADMITTED = text(
    "INSERT INTO audit.officer (login, units, audiences) VALUES (session_user, '{*}', '{*}')"
    " ON CONFLICT DO NOTHING"
)


async def recorded(service: Service, record_id: str) -> RecordedQuestion:
    """Read a recorded question as an officer, with the replies of language models."""
    engine = engine_for(str(service.settings.migration_url))
    try:
        async with engine.begin() as connection:
            await connection.execute(ADMITTED)
        ledger = Ledger(clock=service.clock, ids=service.ids, unit="all")
        reader = PostgresRecordedQuestions(engine, ledger=ledger, officer="")
        found = await reader.find(record_id)
    finally:
        await engine.dispose()
    assert found is not None
    return replace(found, calls=await service.model_calls.all_of(found.question_id))


@pytest.fixture
def publish(service: Service) -> Publish:
    """Publish a policy's next version."""

    async def run(text: str, name: str = "gifts.md", **about: Any) -> None:
        await _publish(service, text, name, **about)

    return run


@pytest.fixture
def ask(service: Service) -> Ask:
    """Ask a question in a thread."""

    async def run(question: str, thread: str = "anna", **more: Any) -> Reply:
        request = AskRequest(text=question, place=Place(thread=thread), asker="p-17", **more)
        return await service.answering.ask(request)

    return run
