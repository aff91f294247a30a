"""Composition root: from settings to the service that surfaces and commands use.

Every dependency can be replaced by a parameter; nothing connects at import.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property

from core.adapters.calendar import read_calendar
from core.adapters.local.embedder import LocalEmbedder, LocalOffTopic
from core.adapters.officers import read_officers
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.database import SERVING
from core.adapters.postgres.engine.database import Limits as StatementLimits
from core.adapters.postgres.engine.pseudonyms import open_pseudonyms
from core.adapters.postgres.ontology.fact_index import index_missing
from core.adapters.postgres.record.model_calls import ForgetfulCallLog
from core.adapters.postgres.stores import OPERATOR, PostgresStores
from core.adapters.sources.connect import connecting
from core.adapters.system import SystemClock, UuidSource
from core.agent.request import AskRequest, CalibrationSource, ShippedCalibrations
from core.agent.service import Answering
from core.agent.starters.choice import StarterChoice
from core.agent.starters.service import StarterService
from core.audit.documents import RELEASE
from core.cases.feedback import FeedbackService
from core.cases.opening import AnswerRecorder
from core.cases.precedents import PrecedentService
from core.cases.service import CaseService
from core.confidence.calibration import Calibrations
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import EmptyCorpusError
from core.domain.officers import Officers
from core.domain.run import RunLimits
from core.failpoints import arm
from core.ingest.publish import Ingestor
from core.ingest.sandbox import SandboxedReader, SandboxLimits
from core.models import (
    Embedders,
    Reasoners,
    find_guard,
    find_reader,
    found_or_none,
    only,
    open_embedders,
    open_reasoners,
    replaying_reasoners,
)
from core.ontology.extract.rule_extractor import RuleExtractor
from core.ports import AuditLog, Clock, Embedder, IdSource, Reader, ReasonerFactory
from core.ports.precedents import TellsPrecedents
from core.replay.precedents import RecordedPrecedents
from core.replay.recorded import RecordedQuestion
from core.replay.replay import Replayer
from core.replay.shadow import RecordsNothing
from core.retrieval.relevance import RelevanceRescorer
from core.retrieval.retriever import ChunkRetriever, Retriever
from core.retrieval.serving_embedder import CorpusEmbedder, NoEmbedder
from core.sources.sync import SourceSync

FIRST_QUESTION = "May I accept a gift from a supplier, and who has to approve it?"
"""Asked at the start: its answer is thrown away."""

__all__ = ["SERVING", "Service", "bootstrap", "open_stores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceModels:
    """The models of a service."""

    embedders: Embedders
    """All that embeds."""
    reader: Reader | None
    """Says whether a text answers a question; None: nothing does."""
    guard: Reader | None
    """Says whether a text bears a statement out; None: only code does."""
    reasoners: Reasoners
    """Who answers."""

    @property
    def names(self) -> dict[str, str | None]:
        """Name and revision of each local model, for the record."""
        measured = self.measured
        return {
            "reader": self.reader.name if self.reader else None,
            "guard": self.guard.name if self.guard else None,
            "vectors": f"{measured.space.name}/{measured.space.revision}" if measured else None,
        }

    @property
    def measured(self) -> Embedder | None:
        """The embedder on whose cosines relevance was fitted; None: relevance goes by words."""
        found = self.embedders.measured
        return None if isinstance(found, NoEmbedder) else found


class Service(PostgresStores):
    """The product, composed: its stores, and what answers, searches and ingests over them.

    Each part is made when it is first used.
    """

    models: ServiceModels
    """Set by `bootstrap`."""
    closing: AsyncExitStack
    """Closes at the end what is opened at first use; set by `bootstrap`."""

    async def warm_up(self) -> None:
        """Do what the first question would wait for: load weights, read the corpus once.

        Nothing is recorded, and no language model is asked.

        Raises:
            ContractError: Weights can't be loaded.
            TransientError: The database failed.
        """
        for reader in (self.models.reader, self.models.guard):
            if reader is not None:
                await reader.scores(FIRST_QUESTION, [FIRST_QUESTION])
        if self.models.measured is not None:
            await self.models.measured.embed_query(FIRST_QUESTION)
        rules = self.models.reasoners.fallback or self.models.reasoners.first
        request = AskRequest(text=FIRST_QUESTION, place=Place(thread="start"))
        with suppress(EmptyCorpusError):
            await self._answering_by(Reasoners(first=rules, fallback=None)).rehearse(request)

    @cached_property
    def answering(self) -> Answering:
        """One question in, one recorded reply out."""
        return self._answering_by(self.models.reasoners)

    @cached_property
    def replayer(self) -> Replayer:
        """Answers recorded questions again."""

        def build(
            question: RecordedQuestion, searches: ChunkRetriever, limits: RunLimits
        ) -> Answering:
            reasoners = replaying_reasoners(question, self.settings, reader=self.models.reader)
            return self._answering_by(
                reasoners,
                retriever=searches,
                limits=limits,
                precedents=RecordedPrecedents(question),
                calibrations=ShippedCalibrations(question.calibrations),
            )

        return Replayer(
            build=build,
            corpus=self.corpus,
            chunks=self.chunks,
            retriever=self.retriever,
            models=self.models.names,
        )

    def calibrated(self, calibrations: Calibrations) -> Answering:
        """Return what answers as `answering` does, by other calibrations."""
        source = ShippedCalibrations(calibrations)
        return self._answering_by(self.models.reasoners, calibrations=source)

    @asynccontextmanager
    async def comparing(
        self, calibrations: CalibrationSource | None = None
    ) -> AsyncGenerator[Answering]:
        """Lend what answers to be looked at alone: it can record nothing.

        Calls of language models are not kept, and don't count for the budget of the day.
        """
        async with AsyncExitStack() as stack:
            reasoners = self.models.reasoners
            if reasoners.fallback is not None:
                opened = open_reasoners(
                    self.settings,
                    reader=self.models.reader,
                    clock=self.clock,
                    log=ForgetfulCallLog(),
                )
                reasoners = await stack.enter_async_context(opened)
            yield self._answering_by(reasoners, calibrations=calibrations, log=RecordsNothing())

    def _answering_by(
        self,
        reasoners: Reasoners,
        *,
        retriever: ChunkRetriever | None = None,
        limits: RunLimits | None = None,
        precedents: TellsPrecedents | None = None,
        calibrations: CalibrationSource | None = None,
        log: AuditLog | None = None,
    ) -> Answering:
        measured = self.models.measured
        local = measured if isinstance(measured, LocalEmbedder) else None
        return Answering(
            english=local.words if local else None,
            likeness=measured,
            off_topic=LocalOffTopic(local) if local else None,
            precedents=precedents or self.precedents,
            about=self.about,
            models=self.models.names,
            reasoner=reasoners.first,
            fallback=reasoners.fallback,
            corpus=self.corpus,
            ontology=self.ontology,
            conversations=self.conversations,
            retriever=retriever or self.retriever,
            guard=self.models.guard,
            log=log or self.recorder,
            clock=self.clock,
            ids=self.ids,
            limits=limits or self.settings.run_limits,
            contacts=self.settings.speak_up,
            calibrations=calibrations or self.calibrations,
        )

    @cached_property
    def starters(self) -> StarterService:
        """Questions that people are offered to begin with."""
        reasoners = self.models.reasoners
        rules = None
        if reasoners.fallback is not None:
            rules = self._answering_by(Reasoners(first=reasoners.fallback, fallback=None))
        settings = self.settings
        models = [f"{name}={model}" for name, model in sorted(self.models.names.items())]
        reasoner = settings.model if rules else "rules"
        return StarterService(
            self.starter_store,
            StarterChoice(
                store=self.starter_store,
                answering=self.answering,
                rules=rules,
                embedder=self.models.measured,
            ),
            clock=self.clock,
            named=settings.named_starters,
            made_by=(RELEASE, reasoner, *models),
        )

    @cached_property
    def recorder(self) -> AnswerRecorder:
        """Records answers, and passes on what only a person can answer."""
        return AnswerRecorder(
            self.record_store, officers=self.officers, clock=self.clock, ids=self.ids
        )

    @cached_property
    def cases(self) -> CaseService:
        """Questions in the hands of officers."""
        return CaseService(self.case_store, officers=self.officers, clock=self.clock, ids=self.ids)

    @cached_property
    def precedent_desk(self) -> PrecedentService:
        """What officers do with precedents."""
        return PrecedentService(self.precedents, clock=self.clock, ids=self.ids)

    @cached_property
    def feedback(self) -> FeedbackService:
        """What people think of answers."""
        return FeedbackService(self.feedback_store, cases=self.cases)

    @cached_property
    def ingestor(self) -> Ingestor:
        """One file in, one version published."""
        reader = SandboxedReader(SandboxLimits())
        self.closing.push_async_callback(reader.close)
        return Ingestor(
            reader=reader,
            store=self.corpus,
            embedder=self.serving,
            extractor=RuleExtractor(),
            clock=self.clock,
        )

    @cached_property
    def source_sync(self) -> SourceSync:
        """Keeps the corpus in step with the sources of policies."""
        return SourceSync(
            store=self.sources,
            ingestor=self.ingestor,
            withdrawals=self.withdrawals,
            connect=connecting(self.settings),
            clock=self.clock,
        )

    @cached_property
    def retriever(self) -> Retriever:
        """Search over chunks."""
        measured = self.models.measured
        return Retriever(
            self.chunks,
            self.serving,
            reranker=self.models.embedders.reranker,
            reader=self.models.reader,
            rescorer=RelevanceRescorer(measured) if measured else None,
        )

    @cached_property
    def serving(self) -> CorpusEmbedder:
        """The embedder of the space that serves."""
        embedders = self.models.embedders
        return CorpusEmbedder(self.spaces, embedders.configured, embedders.find)


@asynccontextmanager
async def open_stores(
    settings: Settings, *, operator: str = OPERATOR
) -> AsyncGenerator[PostgresStores]:
    """Open the database alone, for commands that load no model and touch no case.

    `operator` is who runs the command, for the record.

    Raises:
        ConfigError: See `bootstrap`.
    """
    officers = Officers(all=(), channel=None)
    async with open_engine(settings) as engine:
        yield PostgresStores(
            engine,
            settings,
            officers=officers,
            clock=SystemClock(),
            ids=UuidSource(),
            operator=operator,
        )


@asynccontextmanager
async def bootstrap(
    settings: Settings,
    *,
    reasoner: ReasonerFactory | None = None,
    embedder: Embedder | None = None,
    reader: Reader | None = None,
    guard: Reader | None = None,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    statements: StatementLimits | None = None,
    waits: Callable[[str], None] | None = None,
    keeps_calls: bool = True,
    operator: str = OPERATOR,
) -> AsyncGenerator[Service]:
    """Open the database and compose the service; close all at the end.

    `statements` is what processes that serve people grant the database; None: all the time.
    `waits` is told what is waited for where the database or its schema is not there yet; None: that
    is an error. Without `keeps_calls` no reply of a language model is stored. `operator` is who
    runs a command, for the record.

    Raises:
        ConfigError: A setting can't be used, or the database can't be reached, is too old, or
            can't be migrated.
    """
    arm(settings.failpoint)
    calendar = read_calendar(settings.calendar)
    officers = read_officers(settings.officers, settings.case_channel, calendar)
    async with AsyncExitStack() as stack:
        embedders = (
            await stack.enter_async_context(open_embedders(settings))
            if embedder is None
            else only(embedder)
        )
        reader = reader or found_or_none(
            await find_reader(settings), "answers are found without a reader"
        )
        guard = guard or found_or_none(
            await find_guard(settings), "statements are checked without a guard"
        )
        engine = await stack.enter_async_context(
            open_engine(settings, limits=statements, waits=waits)
        )
        await index_missing(engine)
        service = Service(
            engine,
            settings,
            officers=officers,
            clock=clock or SystemClock(),
            ids=ids or UuidSource(),
            pseudonyms=await open_pseudonyms(engine, settings),
            operator=operator,
        )
        reasoners = (
            await stack.enter_async_context(
                open_reasoners(
                    settings,
                    reader=reader,
                    clock=service.clock,
                    log=service.model_calls if keeps_calls else ForgetfulCallLog(),
                    spending=service.spending,
                )
            )
            if reasoner is None
            else Reasoners(first=reasoner, fallback=None)
        )
        service.closing = stack
        service.models = ServiceModels(
            embedders=embedders, reader=reader, guard=guard, reasoners=reasoners
        )
        yield service
