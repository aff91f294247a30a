"""A small corpus, and questions asked through the wired product, to be answered again."""

from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.corrections import Corrector
from bot.delivery import Deliverer
from bot.intake import Intake
from bot.worker import Worker
from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.record.recorded_questions import PostgresRecordedQuestions
from core.agent.request import AskRequest, Reply
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.message import Accepted
from core.domain.officers import Account, Officer, Officers
from core.ingest.prepare import Overrides
from core.ports import Platform
from core.replay.recorded import RecordedQuestion
from tests.databases import logins
from tests.integration.record.conftest import POLICY as GIFTS
from tests.life import ScriptedAudience, SilentSurface, TablePlatform, message, prepare_platform

Ask = Callable[..., Coroutine[Any, Any, Reply]]
Publish = Callable[..., Coroutine[Any, Any, None]]
LIMIT = "May employees accept a gift worth EUR 40?"
LOWER = GIFTS.replace("up to EUR 50", "up to EUR 30")


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


@dataclass
class Office:
    """The product on one platform, driven by hand."""

    service: Service
    engine: AsyncEngine
    audience: ScriptedAudience
    platform: TablePlatform
    corrector: Corrector
    intake: Intake
    worker: Worker
    deliverer: Deliverer

    async def ask(self, words: str = LIMIT, **more: Any) -> str:
        """Ask, let it be answered and posted; return the conversation."""
        accepted = await self.intake.accept(message(words, **more))
        assert isinstance(accepted, Accepted)
        await self.worker.answer(accepted.conversation_id)
        await self.deliver()
        return accepted.conversation_id

    async def deliver(self) -> None:
        """Post all that is queued, as if it were due."""
        waiting = (
            "UPDATE citebound.outbox SET next_at = now() - interval '1 s'"
            " WHERE settled_at IS NULL RETURNING conversation_id::text"
        )
        while rows := await self.rows(waiting):
            for conversation in {row["conversation_id"] for row in rows}:
                await self.deliverer.deliver(conversation)

    async def approve(self, *, edition: int | None = None, policy: str | None = None) -> int:
        """Approve, and make all of it due."""
        count = await self.service.affected_editions.approve(
            officer="maria", edition=edition, policy=policy
        )
        await self.due()
        return count

    async def cards(self) -> list[str]:
        """Return the cards in the officers' channel, as they stand."""
        return [one for one in await self.posts() if one.startswith("card:")]

    async def due(self) -> None:
        """Let what is approved be due now."""
        await self.change("UPDATE citebound.affected_answers SET next_at = now()")

    async def change(self, statement: str) -> None:
        """Run a statement."""
        async with self.engine.begin() as connection:
            await connection.execute(text(statement))

    async def rows(self, query: str) -> list[dict[str, Any]]:
        """Return rows."""
        async with self.engine.begin() as connection:
            return [dict(row) for row in (await connection.execute(text(query))).mappings()]

    async def posts(self) -> list[str]:
        """Return what stands on the platform."""
        return [row["body"] for row in await self.rows("SELECT body FROM posts ORDER BY id")]

    async def states(self) -> list[str]:
        """Return what became of the affected answers."""
        query = "SELECT state FROM citebound.affected_answers ORDER BY answer_id, edition"
        return [row["state"] for row in await self.rows(query)]

    async def tags(self, *tags: str) -> list[dict[str, Any]]:
        """Return records with one of these tags."""
        rows = await self.rows("SELECT tag, actor, doc FROM audit.record ORDER BY at, id")
        return [row for row in rows if row["tag"] in tags]


@pytest.fixture
async def office(service: Service, engine: AsyncEngine) -> Office:
    """One platform whose channels are a table."""
    await prepare_platform(engine)
    account = Account(platform="fake", tenant="T1", person="O1")
    service.officers = Officers(
        all=(Officer(login="maria", name="Maria", accounts=(account,)),),
        channel=replace(account, person="C9"),
    )
    audience, table = ScriptedAudience(), TablePlatform(engine)
    platforms = {"fake": Platform(audience=audience, surface=SilentSurface(), poster=table)}
    return Office(
        service=service,
        engine=engine,
        audience=audience,
        platform=table,
        corrector=Corrector(
            comparisons=service.affected,
            corrections=service.corrections,
            editions=service.affected_editions,
            conversations=service.conversations,
            answering=service.answering,
            recorder=service.recorder,
            platforms=platforms,
            clock=service.clock,
        ),
        intake=Intake(service.inbox, put_within_s=20.0),
        worker=Worker(
            backlog=service.backlog,
            answering=service.answering,
            platforms=platforms,
            clock=service.clock,
        ),
        deliverer=Deliverer(outbox=service.outbox, platforms=platforms),
    )
