"""A policy, officers, and a case that one of them has answered, through the wired product."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.delivery import Deliverer
from bot.intake import Intake
from bot.worker import Worker
from core.adapters.local.embedder import LocalEmbedder
from core.agent.request import AskRequest, Reply
from core.bootstrap import Service, bootstrap
from core.cases.clauses import clause_name
from core.config.settings import Settings
from core.domain.case_actions import CaseDone
from core.domain.conversation import Place
from core.domain.delivery import Readers
from core.domain.message import Accepted
from core.domain.officers import Account, Officer, Officers
from core.ingest.prepare import Overrides
from core.ports import Platform
from core.ports.precedents import Precedent, Proposal
from tests.databases import logins
from tests.integration.record.conftest import POLICY as GIFTS
from tests.life import ScriptedAudience, SilentSurface, TablePlatform, message, prepare_platform

QUESTION = "May my team keep a hamper that a customer sent to all of us?"
WORDS = "Yes, if each share is worth less than EUR 50.\nWrite the hamper down in the gift register."
ADA = Officer(
    login="ada",
    name="Ada Lovelace",
    accounts=(Account(platform="fake", tenant="T1", person="UA"),),
)
GRACE = Officer(
    login="grace",
    name="Grace Hopper",
    accounts=(Account(platform="fake", tenant="T1", person="UG"),),
)
ASKER = Account(platform="fake", tenant="T1", person="U1")


@dataclass
class Desk:
    """The product on one platform, driven by hand."""

    service: Service
    engine: AsyncEngine
    audience: ScriptedAudience
    intake: Intake
    worker: Worker
    deliverer: Deliverer
    case: int = 0

    async def publish(self, words: str = GIFTS, name: str = "gifts.md", **about: Any) -> None:
        """Publish a policy's next version."""
        await self.service.ingestor.ingest(
            words.encode(), source_name=name, given=Overrides(**about), with_chunks=True
        )

    async def ask(self, words: str = QUESTION, **more: Any) -> Reply:
        """Ask at the terminal."""
        request = AskRequest(
            text=words, place=Place(thread=more.pop("thread", "berta")), asker="p-2", **more
        )
        return await self.service.answering.ask(request)

    async def ask_in_chat(self, words: str = QUESTION, **more: Any) -> str:
        """Ask on the platform, and return what was posted."""
        before = len(await self.posts())
        accepted = await self.intake.accept(message(words, **more))
        assert isinstance(accepted, Accepted)
        await self.worker.answer(accepted.conversation_id)
        await self.deliver()
        return "\n".join((await self.posts())[before:])

    async def answer_case(self, words: str = QUESTION, *, by: Officer = ADA) -> int:
        """Ask, send it to Compliance, answer it; return the case's number."""
        await self.ask_in_chat(words, event=f"asked:{words}", thread=f"thread:{words}")
        (row,) = await self.rows(
            "SELECT a.id::text FROM citebound.answers a"
            " JOIN citebound.questions q ON q.id = a.question_id"
            " WHERE q.text = :words ORDER BY a.answered_at DESC LIMIT 1",
            words=words,
        )
        opened = await self.service.cases.open(row["id"], ASKER, key=f"open:{words}")
        assert isinstance(opened, CaseDone)
        done = await self.service.cases.answer(
            opened.case.case_id, by.at_console, key=f"answer:{words}", text=WORDS
        )
        assert isinstance(done, CaseDone)
        await self.deliver()
        return done.case.number

    async def propose(self, *, by: Officer = ADA, **more: Any) -> Precedent:
        """Propose the answer of the case."""
        clauses = more.pop("clauses", ("gifts/2.1",))
        proposal = Proposal(
            case_number=more.pop("case_number", self.case),
            by=by,
            clauses=tuple(map(clause_name, clauses)),
            **more,
        )
        return await self.service.precedent_desk.propose(proposal)

    async def approved(self, **more: Any) -> Precedent:
        """Propose it, and approve it as another officer."""
        proposed = await self.propose(**more)
        return await self.service.precedent_desk.approve(proposed.number, GRACE)

    async def compare(self, *, later: int = 0) -> int:
        """Compare precedents with what holds now, or days later."""
        return await self.service.suspensions.compare(on_day=self.today + timedelta(days=later))

    @property
    def today(self) -> date:
        """The day, UTC."""
        return self.service.clock.now().date()

    async def deliver(self) -> None:
        """Post all that is queued, as if it were due."""
        waiting = (
            "UPDATE citebound.outbox SET next_at = now() - interval '1 s'"
            " WHERE settled_at IS NULL RETURNING conversation_id::text"
        )
        while rows := await self.rows(waiting):
            for conversation in {row["conversation_id"] for row in rows}:
                await self.deliverer.deliver(conversation)

    async def rows(self, query: str, **given: Any) -> list[dict[str, Any]]:
        """Return rows."""
        async with self.engine.begin() as connection:
            return [dict(row) for row in (await connection.execute(text(query), given)).mappings()]

    async def posts(self) -> list[str]:
        """Return what stands on the platform."""
        return [row["body"] for row in await self.rows("SELECT body FROM posts ORDER BY id")]

    async def records(self, like: str = "precedent:%") -> list[dict[str, Any]]:
        """Return records by tag, in order."""
        return await self.rows(
            "SELECT id::text, tag, actor, doc FROM audit.record WHERE tag LIKE :like"
            " ORDER BY at, id",
            like=like,
        )

    async def view(self) -> dict[str, Any]:
        """Return the one precedent as officers see it."""
        (row,) = await self.rows("SELECT * FROM audit.v_precedents")
        return row


@pytest.fixture
async def service(
    database_url: str, engine: AsyncEngine, local_embedder: LocalEmbedder
) -> AsyncIterator[Service]:
    """The product on the test's own database."""
    await prepare_platform(engine)
    async with bootstrap(Settings(**logins(database_url)), embedder=local_embedder) as service:
        room = replace(ADA.accounts[0], person="C9")
        service.officers = Officers(all=(ADA, GRACE), channel=room)
        yield service


@pytest.fixture
async def desk(service: Service, engine: AsyncEngine) -> Desk:
    """One platform whose channels are a table, and a case that Ada answered."""
    audience, table = ScriptedAudience(), TablePlatform(engine)
    platforms = {"fake": Platform(audience=audience, surface=SilentSurface(), poster=table)}
    desk = Desk(
        service=service,
        engine=engine,
        audience=audience,
        intake=Intake(service.inbox, put_within_s=20.0),
        worker=Worker(
            backlog=service.backlog,
            answering=service.answering,
            platforms=platforms,
            clock=service.clock,
        ),
        deliverer=Deliverer(outbox=service.outbox, platforms=platforms),
    )
    await desk.publish()
    desk.case = await desk.answer_case()
    return desk


def readers(*groups: str, country: str | None = None) -> Readers:
    """Return who reads a place."""
    return Readers(groups=frozenset(groups), jurisdiction=country)
