"""What a question costs does not grow with the corpus, and no publication makes it wait."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import Limits, engine_for
from core.adapters.postgres.engine.transactions import reading, wait_for_publishing
from core.agent.request import AskRequest
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.answer import Outcome
from core.domain.conversation import Place
from core.domain.run import Run
from core.ingest.prepare import Overrides
from tests.databases import logins

QUESTION = "Who must approve a gift above EUR 70?"
GIFTS = """# Gifts Policy

## 1 Gifts

1.1 Employees must not accept a gift above EUR 70 unless the Head of Compliance approves it.

1.2 Each gift must be reported within 5 days.
"""
STATEMENTS = 45
"""That a question makes at most; those below make about 35."""
TRANSACTIONS = 3
"""Of them in a transaction with others: those of each search."""


@dataclass(slots=True)
class Counted:
    """What was asked of the database."""

    statements: int = 0
    transactions: int = 0


@pytest.fixture
async def service(database_url: str) -> AsyncIterator[Service]:
    """The product without a reader, with one policy."""
    settings = Settings(**logins(database_url), reasoner="extractive", reader_model=Path("none"))
    async with bootstrap(settings, statements=Limits(statement_ms=5_000, lock_ms=100)) as opened:
        await publish(opened, "gifts.md", GIFTS)
        yield opened


async def publish(service: Service, name: str, said: str) -> None:
    """Ingest a policy."""
    await service.ingestor.ingest(
        said.encode(), source_name=name, given=Overrides(), with_chunks=True
    )


async def ask(service: Service) -> Run:
    """Ask, without a record."""
    return await service.answering.rehearse(AskRequest(text=QUESTION, place=Place(thread="anna")))


async def counted(service: Service) -> Counted:
    """Ask, and count; the first question of a process, which loads models, is not counted."""
    await ask(service)
    found, engine = Counted(), service.engine.sync_engine  # pyright: ignore[reportPrivateUsage]

    def states(*_: object) -> None:
        found.statements += 1

    def begins(connection: Connection) -> None:
        level = connection.get_execution_options().get("isolation_level")
        found.transactions += level != "AUTOCOMMIT"

    event.listen(engine, "before_cursor_execute", states)
    event.listen(engine, "begin", begins)
    try:
        assert (await ask(service)).answer.outcome is Outcome.ANSWERED
    finally:
        event.remove(engine, "before_cursor_execute", states)
        event.remove(engine, "begin", begins)
    return found


async def test_as_many_statements_whatever_the_corpus(service: Service) -> None:
    """Of thirteen policies a question reads what one does: what it found, and nothing of each."""
    small = await counted(service)
    for number in range(12):
        said = GIFTS.replace("Gifts", f"Kind {number}").replace("gift", f"parcel {number}")
        await publish(service, f"kind-{number}.md", said)
    large = await counted(service)
    assert large.statements <= max(STATEMENTS, small.statements)
    assert large.transactions <= TRANSACTIONS


async def test_a_question_does_not_wait_for_a_publication(
    service: Service, engine: AsyncEngine
) -> None:
    """While one is stored, and however long that takes, the edition before it answers."""
    async with engine.begin() as publishing:
        await wait_for_publishing(publishing)
        await publishing.execute(
            text(
                "INSERT INTO citebound.editions (number, published_at, note) VALUES (2, now(), '')"
            )
        )
        await publishing.execute(text("UPDATE citebound.policy_versions SET edition_until = 2"))
        meanwhile = await ask(service)
        assert (meanwhile.edition, meanwhile.answer.outcome) == (1, Outcome.ANSWERED)
        await publishing.rollback()


async def test_a_read_keeps_what_was_prepared(database_url: str) -> None:
    """A rollback would forget it, and costs a round trip."""
    engine = engine_for(database_url)
    for _ in range(7):
        async with reading(engine) as connection:
            await connection.execute(text("SELECT 1 FROM citebound.policies"))
    async with reading(engine) as connection:
        kept = await connection.scalar(text("SELECT count(*) FROM pg_prepared_statements"))
    await engine.dispose()
    assert kept == 1


async def test_a_statement_is_planned_for_what_it_is_given(database_url: str) -> None:
    """A plan for any versions and any words reads ten times as much; no pooler is told so."""
    kept, single = engine_for(database_url), engine_for(database_url, pooled=False)
    by_pooler = engine_for(database_url, by_pooler=True)
    found: list[str] = []
    for engine in (kept, single, by_pooler):
        async with engine.connect() as connection:
            found.append(str(await connection.scalar(text("SHOW plan_cache_mode"))))
        await engine.dispose()
    assert found == ["force_custom_plan", "auto", "auto"]
