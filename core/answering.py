"""From settings to what answers questions, for commands that do nothing else.

Every dependency can be replaced by a parameter; nothing connects at import.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

from core.adapters.calendar import read_calendar
from core.adapters.local.embedder import LocalEmbedder, LocalOffTopic
from core.adapters.local.reader import LocalReader
from core.adapters.officers import read_officers
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.answer_stores import AnswerStores
from core.adapters.postgres.corpus_stores import OPERATOR
from core.adapters.postgres.engine.database import Limits as StatementLimits
from core.adapters.postgres.engine.pseudonyms import open_pseudonyms
from core.adapters.postgres.ontology.fact_index import index_missing
from core.adapters.postgres.record.model_calls import ForgetfulCallLog
from core.adapters.system import SystemClock, UuidSource
from core.agent.request import AskRequest
from core.agent.service import Answering
from core.cases.opening import AnswerRecorder
from core.cases.returning import ReturningWriters
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import EmptyCorpusError
from core.failpoints import arm
from core.models import (
    Embedders,
    Reasoners,
    about_us,
    find_guard,
    find_reader,
    found_or_none,
    only,
    open_embedders,
    open_reasoners,
)
from core.ports import Clock, Embedder, IdSource, Reader, ReasonerFactory
from core.ports.text_models import AboutUs
from core.retrieval.relevance import RelevanceRescorer
from core.retrieval.retriever import Retriever
from core.retrieval.serving_embedder import CorpusEmbedder, NoEmbedder
from core.service_access.refusals import Refusals

FIRST_QUESTION = "May I accept a gift from a supplier, and who has to approve it?"
"""Asked at the start: its answer is thrown away."""


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


class AnswerService(AnswerStores):
    """What answers and searches over the stores. Each part is made when it is first used."""

    loads_ahead: ClassVar[bool] = True
    """Whether embedder and reader are loaded while the database is opened; the guard, which reads
    answers alone, waits for one."""
    models: ServiceModels
    """Set by `compose`."""
    refusals: Refusals
    """Credentials that services refuse; set by `compose`."""
    closing: AsyncExitStack
    """Closes at the end what is opened at first use; set by `compose`."""

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
    def writers(self) -> ReturningWriters:
        """Writers of reports, who come back with a code."""
        return ReturningWriters(
            self.case_store,
            officers=self.officers,
            clock=self.clock,
            contacts=self.settings.speak_up,
        )

    def _answering_by(self, reasoners: Reasoners) -> Answering:
        measured = self.models.measured
        local = measured if isinstance(measured, LocalEmbedder) else None
        return Answering(
            english=local.words if local else None,
            likeness=measured,
            off_topic=LocalOffTopic(local) if local else None,
            precedents=self.precedents,
            about=self.about,
            models=self.models.names,
            reasoner=reasoners.first,
            fallback=reasoners.fallback,
            corpus=self.corpus,
            ontology=self.ontology,
            conversations=self.conversations,
            retriever=self.retriever,
            guard=self.models.guard,
            log=self.recorder,
            clock=self.clock,
            ids=self.ids,
            limits=self.settings.run_limits,
            contacts=self.settings.speak_up,
            about_us=self.about_us,
            calibrations=self.calibrations,
        )

    @cached_property
    def about_us(self) -> AboutUs:
        """Answers questions about the assistant itself; one for all, since it loads weights."""
        measured = self.models.measured
        return about_us(self.settings, measured if isinstance(measured, LocalEmbedder) else None)

    @cached_property
    def recorder(self) -> AnswerRecorder:
        """Records answers, and passes on what only a person can answer."""
        return AnswerRecorder(
            self.record_store, officers=self.officers, clock=self.clock, ids=self.ids
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


Composed = TypeVar("Composed", bound=AnswerService)


@asynccontextmanager
async def compose(
    kind: type[Composed],
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
) -> AsyncGenerator[Composed]:
    """Open the database and compose a service of this kind; close all at the end.

    `statements` is what processes that serve people grant the database; None: all the time.
    `waits` is told what is waited for where the database or its schema is not there yet; None: that
    is an error. Without `keeps_calls` no reply of a language model is stored. `operator` is who
    runs a command, for the record.

    Raises:
        ConfigError: A setting can't be used, or the database can't be reached, is too old, or
            can't be migrated.
    """
    arm(settings.failpoint)
    calendar = read_calendar(settings.calendar, zone=settings.zones.home)
    officers = read_officers(settings.officers, settings.case_channel, calendar)
    refusals = Refusals()
    async with AsyncExitStack() as stack:
        embedders = (
            await stack.enter_async_context(open_embedders(settings, note=refusals.note))
            if embedder is None
            else only(embedder)
        )
        reader = reader or found_or_none(
            await find_reader(settings), "answers are found without a reader"
        )
        guard = guard or found_or_none(
            await find_guard(settings), "statements are checked without a guard"
        )
        if kind.loads_ahead:
            for model in (embedders.measured, reader):
                if isinstance(model, LocalEmbedder | LocalReader):
                    model.load_ahead()
        engine = await stack.enter_async_context(
            open_engine(settings, limits=statements, waits=waits)
        )
        await index_missing(engine)
        service = kind(
            engine,
            settings,
            officers=officers,
            clock=clock or SystemClock(settings.zones),
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
                    note=refusals.note,
                )
            )
            if reasoner is None
            else Reasoners(first=reasoner, fallback=None)
        )
        service.refusals = refusals
        service.closing = stack
        service.models = ServiceModels(
            embedders=embedders, reader=reader, guard=guard, reasoners=reasoners
        )
        yield service
