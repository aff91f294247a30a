"""A deployment in small: the real tables and queue, a platform that is a table, a quick reasoner.

The reasoner answers each message with a question back that repeats it, after two "model calls",
each of which is counted when it is paid for. All of it may be killed and started again: nothing
that matters is in memory.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.delivery import Deliverer
from bot.intake import Intake
from bot.worker import Patience, Worker
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.identity_key import IdentityKey
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.pseudonyms import Pseudonyms
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.messages.backlog import PostgresBacklog
from core.adapters.postgres.messages.inbox import PostgresInbox
from core.adapters.postgres.messages.outbox import PostgresOutbox
from core.adapters.postgres.queue.conversations import PostgresConversationStore
from core.adapters.postgres.queue.rate_limits import Housekeeping, Pace
from core.adapters.postgres.queue.work_queue import PostgresWorkQueue
from core.adapters.postgres.record.audit import PostgresRecords
from core.adapters.postgres.record.model_calls import PostgresModelCallLog
from core.adapters.system import SystemClock, UuidSource
from core.agent.request import NO_PROGRESS
from core.agent.service import Answering
from core.cases.opening import AnswerRecorder
from core.domain.conversation import Place
from core.domain.delivery import (
    Ambiguous,
    Delivery,
    FindResult,
    NoReaders,
    NotFound,
    Posted,
    PostResult,
    Readers,
    StoredReply,
)
from core.domain.errors import TransientError
from core.domain.limits import TurnLimit, TurnLimits, WaitingLimits
from core.domain.message import Claimed, InboundMessage, MessageKind
from core.domain.officers import Officers
from core.domain.policy import EVERYONE
from core.domain.question import Question
from core.domain.run import Clarification, Plan, RunLimits, TokenUse
from core.failpoints import failpoint
from core.ports import Clock, Handlers, Kept, Knowledge, Platform, Progress, RunContext, StoredCall
from core.retrieval.retriever import Retriever
from tests.databases import POLL_S
from tests.fakes import InMemoryCorpus, InMemoryOntology, InMemorySearch, ScriptedReasoner

PLATFORM_TABLES = (
    "CREATE TABLE posts (id serial PRIMARY KEY, outbox_id bigint, channel text, direct boolean,"
    " shape int, body text, at timestamptz DEFAULT clock_timestamp())",
    "CREATE TABLE paid (question text, request text, at timestamptz DEFAULT clock_timestamp())",
)
_NO_LIMIT = TurnLimit(times=1, within_s=0.0)
UNLIMITED = TurnLimits(asker=_NO_LIMIT, channel=_NO_LIMIT, conversation=_NO_LIMIT)
ROOMY = WaitingLimits(asker=1_000_000, all=1_000_000)
IN_DOUBT = "in doubt"


class UnrecordedPseudonyms(Pseudonyms):
    """That an identity is kept is not recorded: tests count the records of messages."""

    @property
    def recorded(self) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return None

    @recorded.setter
    def recorded(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, _recorded: object
    ) -> None: ...


IDENTITY_KEY = IdentityKey.generate()
"""The officers' half."""
PSEUDONYMS = UnrecordedPseudonyms(bytes(range(32)), sealing=IDENTITY_KEY.public)
"""In a script: the message is posted, and its platform's answer is lost."""


@dataclass
class TablePlatform:
    """A platform whose channels are a table; `script` says what it answers first, in order."""

    engine: AsyncEngine
    script: list[PostResult | str] = field(default_factory=list["PostResult | str"])
    searches: list[FindResult] = field(default_factory=list["FindResult"])
    shapes: int = 3
    asked: list[Delivery] = field(default_factory=list[Delivery])

    async def post(self, delivery: Delivery, /) -> PostResult:
        self.asked.append(delivery)
        told = self.script.pop(0) if self.script else None
        if isinstance(told, PostResult):
            return told
        async with self.engine.begin() as connection:
            if delivery.replaces is not None:
                await connection.execute(
                    text("UPDATE posts SET body = :body WHERE id = :id"),
                    {"id": int(delivery.replaces), "body": body_of(delivery)},
                )
                return Posted(remote_id=delivery.replaces)
            remote = await connection.scalar(
                text(
                    "INSERT INTO posts (outbox_id, channel, direct, shape, body)"
                    " VALUES (:id, :channel, :direct, :shape, :body) RETURNING id"
                ),
                {
                    "id": delivery.outbox_id,
                    "channel": delivery.person if delivery.is_direct else delivery.place.channel,
                    "direct": delivery.is_direct,
                    "shape": delivery.shape,
                    "body": body_of(delivery),
                },
            )
        failpoint("F8")
        return Ambiguous(code="reset") if told == IN_DOUBT else Posted(remote_id=str(remote))

    async def find(self, delivery: Delivery, /) -> FindResult:
        if self.searches:
            return self.searches.pop(0)
        async with self.engine.connect() as connection:
            remote = await connection.scalar(
                text("SELECT id FROM posts WHERE outbox_id = :id"), {"id": delivery.outbox_id}
            )
        return NotFound() if remote is None else Posted(remote_id=str(remote))


def body_of(delivery: Delivery) -> str:
    """Return what is shown of a reply."""
    reply = delivery.reply
    if reply.is_outdated and reply.superseded is not None:
        return f"outdated: {reply.superseded.answer.text}"
    if reply.about is not None:
        return f"{reply.about.what}:{_told(reply)}"
    if reply.affected is not None:
        now = reply.affected
        return f"card: {now.total} of {now.edition}, {now.waiting} wait, {now.told} told"
    return reply.answer.text if reply.answer else f"notice:{reply.notice}"


def _told(reply: StoredReply) -> str:
    if reply.case is not None:
        return f"{reply.case.number} {reply.case.state} {reply.case.officer} {reply.case.note}"
    if reply.officer_reply is not None:
        return f"{reply.officer_reply.officer}: {reply.officer_reply.text}"
    if reply.superseded is not None:
        return f"{reply.superseded.officer} / {reply.superseded.answer.text}"
    if reply.reminder is not None:
        return f"{reply.reminder.number} {reply.reminder.state}"
    return str(reply.news.state) if reply.news else "nothing"


@dataclass
class ScriptedAudience:
    """Everyone reads everything, unless told otherwise."""

    told: Readers | NoReaders = field(
        default_factory=lambda: Readers(groups=frozenset({EVERYONE}), is_private=True)
    )

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        return self.told


class SilentSurface:
    """Shows nothing."""

    def showing(self, claimed: Claimed, kept: Kept, /) -> AbstractAsyncContextManager[Progress]:
        return nullcontext(NO_PROGRESS)


class RepeatingFactory:
    """Makes the reasoner; a message with `fails_on` in it fails by `failure`.

    While `goes_on` is not set, runs wait after their first call.
    """

    name = "repeating/1"
    is_model = True

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.calls = PostgresModelCallLog(engine)
        self.delay_s = 0.0
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self.fails_on = ""
        self.failure: Exception = TransientError("gone")

    def begin(self, context: RunContext, /) -> "Repeating":
        return Repeating(self)


class Repeating(ScriptedReasoner):
    """Asks back what was asked."""

    def __init__(self, factory: RepeatingFactory) -> None:
        super().__init__()
        self.factory = factory

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        await self._call(question, "first")
        failpoint("F5")
        if self.factory.fails_on and self.factory.fails_on in question.text:
            raise self.factory.failure
        await asyncio.sleep(self.factory.delay_s)
        await self.factory.goes_on.wait()
        await self._call(question, "second")
        return Clarification(intent="general", question=f"You said: {question.text}", slot="what")

    @raises_transient
    async def _call(self, question: Question, name: str) -> None:
        request = f"{name} {question.text} {len(question.history)} {question.scope.edition}"
        key = hashlib.sha256(request.encode()).digest()
        if await self.factory.calls.find(question.question_id, key) is not None:
            return
        async with self.factory.engine.begin() as connection:
            await connection.execute(
                text("INSERT INTO paid (question, request) VALUES (:question, :request)"),
                {"question": question.question_id, "request": request},
            )
        call = StoredCall(response={"text": name}, tokens=TokenUse(fresh=1), latency_ms=1.0)
        await self.factory.calls.store(
            question.question_id,
            key,
            call,
            purpose="answer",
            model="none",
            cost_usd=None,
            attempts=1,
        )


@dataclass(kw_only=True)
class Deployment:
    """What a test holds on to."""

    engine: AsyncEngine
    inbox: PostgresInbox
    intake: Intake
    worker: Worker
    deliverer: Deliverer
    queue: PostgresWorkQueue
    platform: TablePlatform
    audience: ScriptedAudience
    reasoner: RepeatingFactory
    backlog: PostgresBacklog
    outbox: PostgresOutbox
    conversations: PostgresConversationStore

    @asynccontextmanager
    async def working(self) -> AsyncGenerator[None]:
        """Answer and deliver until the block ends."""
        async with asyncio.TaskGroup() as group:
            running = group.create_task(
                self.queue.run(
                    Handlers(
                        answer=self.worker.answer,
                        deliver=self.deliverer.deliver,
                        answers=lambda: self.worker.slots,
                    )
                )
            )
            yield
            running.cancel()

    @begun_again
    async def rows(self, query: str, **parameters: object) -> list[dict[str, object]]:
        # A connection that died within the last second is found dead only by its first statement.
        async with self.engine.connect() as connection:
            found = await connection.execute(text(query), parameters)
            return [dict(row) for row in found.mappings()]

    async def quiet(self, *, within_s: float = 60.0) -> None:
        """Wait until no row of inbox or outbox has anything left to do."""
        await self.until(
            "SELECT 1 WHERE NOT EXISTS (SELECT FROM citebound.inbox"
            " WHERE state IN ('received', 'running'))"
            " AND NOT EXISTS (SELECT FROM citebound.outbox WHERE settled_at IS NULL)",
            within_s=within_s,
        )

    async def until(self, query: str, *, within_s: float = 60.0) -> None:
        """Wait until a query finds a row."""
        async with asyncio.timeout(within_s):
            while not await self.rows(query):  # noqa: ASYNC110  # another process may write it
                await asyncio.sleep(POLL_S)


def deploy(
    engine: AsyncEngine,
    *,
    lease_s: float = 20.0,
    housekeeping_lease_s: float = 10.0,
    interval_s: float = 0.0,
    back_off_s: Sequence[float] = (0.05,),
    officers: Officers | None = None,
    limits: TurnLimits = UNLIMITED,
    waiting: WaitingLimits = ROOMY,
    unit: str = "test",
    clock: Clock | None = None,
    factory: "type[RepeatingFactory] | None" = None,
) -> Deployment:
    """Wire it; nothing runs yet."""
    clock, ids = clock or SystemClock(), UuidSource()
    ledger = Ledger(clock=clock, ids=ids, unit=unit, pseudonyms=PSEUDONYMS)
    corpus = InMemoryCorpus()
    platform, audience, reasoner = (
        TablePlatform(engine),
        ScriptedAudience(),
        (factory or RepeatingFactory)(engine),
    )
    platforms = {"fake": Platform(audience=audience, surface=SilentSurface(), poster=platform)}
    inbox = PostgresInbox(engine, ledger=ledger, waiting=waiting, turns=limits)
    backlog = PostgresBacklog(engine, clock=clock, limits=limits, lease_s=lease_s)
    outbox = PostgresOutbox(
        engine,
        ledger=ledger,
        pace=Pace(interval_s=interval_s),
        officers=officers or Officers(),
        lease_s=lease_s,
    )
    conversations = PostgresConversationStore(engine)
    answering = Answering(
        reasoner=reasoner,
        corpus=corpus,
        ontology=InMemoryOntology(corpus),
        conversations=conversations,
        retriever=Retriever(InMemorySearch(corpus), None),
        log=AnswerRecorder(
            PostgresRecords(engine, ledger=ledger),
            officers=officers or Officers(),
            clock=clock,
            ids=ids,
        ),
        clock=clock,
        ids=ids,
        limits=replace(RunLimits(), max_clarifications=1_000_000),
    )
    return Deployment(
        engine=engine,
        inbox=inbox,
        intake=Intake(inbox, put_within_s=20.0),
        worker=Worker(
            backlog=backlog,
            answering=answering,
            platforms=platforms,
            clock=clock,
            patience=Patience(
                back_off_s=tuple(back_off_s), renewed_every_s=lease_s / 4, insists_every_s=0.01
            ),
        ),
        deliverer=Deliverer(outbox=outbox, platforms=platforms),
        queue=PostgresWorkQueue(
            engine, housekeeping=Housekeeping(engine, lease_s=housekeeping_lease_s)
        ),
        platform=platform,
        audience=audience,
        reasoner=reasoner,
        backlog=backlog,
        outbox=outbox,
        conversations=conversations,
    )


async def prepare_platform(engine: AsyncEngine) -> None:
    """Make the tables of the platform."""
    async with engine.begin() as connection:
        for statement in PLATFORM_TABLES:
            await connection.execute(text(statement))


async def prepare(engine: AsyncEngine) -> None:
    """Make the tables of the platform, and publish an edition without a policy."""
    await prepare_platform(engine)
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO citebound.editions VALUES (1, now(), 'first')"))


def message(
    words: str,
    *,
    event: str | None = None,
    key: str | None = None,
    thread: str = "1",
    channel: str = "C1",
    kind: MessageKind = MessageKind.MESSAGE,
    target: str | None = None,
    person: str = "U1",
    mode: str = "thread",
) -> InboundMessage:
    """Return a message of the fake platform; by default its words are its identity."""
    return InboundMessage(
        place=Place(platform="fake", tenant="T1", channel=channel, thread=thread, mode=mode),
        dedupe_key=f"fake:{event or words}",
        message_key=key,
        target_key=target,
        kind=kind,
        person=person,
        text=words,
        sent_at=datetime.now(UTC),  # noqa: TID251  # the platform's clock
        raw={"text": words},
    )
