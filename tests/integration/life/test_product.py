"""The wired product, from a message to what a platform shows: a real answer with its sources."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.views.record_view import record_view
from bot.delivery import Deliverer
from bot.intake import Intake
from bot.worker import Worker
from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.answer import Outcome
from core.domain.message import Accepted, MessageKind
from core.ingest.prepare import Overrides
from core.ports import Handlers, Platform
from tests.databases import UnrecordedReader, logins
from tests.life import (
    ScriptedAudience,
    SilentSurface,
    TablePlatform,
    deploy,
    message,
    prepare,
    prepare_platform,
)

POLICY = """# Gifts Policy

## 1 Limits

1.1 Employees may accept gifts with a value of up to EUR 50 per giver and calendar year.

1.2 Contractors must not accept gifts.
"""


@pytest.fixture
async def service(database_url: str) -> AsyncIterator[Service]:
    """The product with one policy."""
    embedder = find_local_embedder(None)
    assert isinstance(embedder, LocalEmbedder)
    async with bootstrap(Settings(**logins(database_url)), embedder=embedder) as service:
        await service.ingestor.ingest(
            POLICY.encode(), source_name="gifts.md", given=Overrides(), with_chunks=True
        )
        yield service


async def test_a_question_and_its_clarification_go_all_the_way(
    service: Service, engine: AsyncEngine
) -> None:
    """Each reply comes from its row, with the quotes; a button's choice goes on from there."""
    await prepare_platform(engine)
    platform = TablePlatform(engine)
    platforms = {
        "fake": Platform(audience=ScriptedAudience(), surface=SilentSurface(), poster=platform)
    }
    intake = Intake(service.inbox)
    worker = Worker(
        backlog=service.backlog,
        answering=service.answering,
        platforms=platforms,
        clock=service.clock,
    )
    deliverer = Deliverer(outbox=service.outbox, platforms=platforms)
    looking = deploy(engine)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(
            service.queue.run(Handlers(answer=worker.answer, deliver=deliverer.deliver))
        )
        assert isinstance(await intake.accept(message("Can I accept gifts?")), Accepted)
        await looking.until("SELECT 1 FROM citebound.outbox WHERE state = 'posted'")
        choice = message("employees", event="button", kind=MessageKind.CHOICE)
        assert isinstance(await intake.accept(choice), Accepted)
        await looking.quiet()
        running.cancel()
    first, second, last = (delivery.reply for delivery in platform.asked)
    assert last.clarified is not None
    assert last.clarified.chosen == "employee"
    assert first.answer is not None
    assert second.answer is not None
    assert first.answer.outcome is Outcome.CLARIFICATION
    assert second.answer.outcome is Outcome.ANSWERED
    assert [citation.quote for citation in second.answer.citations] == [
        "Employees may accept gifts with a value of up to EUR 50 per giver and calendar year."
    ]
    (record,) = await looking.rows(
        "SELECT id::text, encode(leaf_hash, 'hex') AS leaf FROM audit.record"
        " WHERE tag = 'question:answered'"
    )
    assert (second.record_id, second.leaf_hash) == (record["id"], record["leaf"])


async def test_each_record_can_be_read(engine: AsyncEngine) -> None:
    """Those that close no question are shown without one, and check out too."""
    await prepare(engine)
    deployment = deploy(engine)
    accepted = await deployment.intake.accept(message("a gift"))
    assert isinstance(accepted, Accepted)
    await deployment.worker.answer(accepted.conversation_id)
    await deployment.deliverer.deliver(accepted.conversation_id)
    reader = UnrecordedReader(engine)
    shown: dict[str, bool] = {}
    for row in await deployment.rows("SELECT id::text FROM audit.record ORDER BY seq"):
        record = await reader.show(str(row["id"]))
        assert record is not None
        assert record.is_intact
        assert list(record_view(record))
        shown[record.outcome] = record.closes_a_question
    assert shown == {"message:received": False, "clarification": True, "reply:posted": False}
