"""Composition root: from settings to the service that surfaces and commands use.

Every dependency can be replaced by a parameter; nothing connects at import.
"""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import cached_property, partial

from core.adapters.postgres.engine.database import SERVING
from core.adapters.postgres.record.model_calls import ForgetfulCallLog
from core.adapters.postgres.stores import PostgresStores
from core.adapters.sources.connect import connecting
from core.agent.rehearsal import RecordsNothing
from core.agent.request import CalibrationSource, ShippedCalibrations
from core.agent.service import Answering
from core.agent.starters.choice import StarterChoice
from core.agent.starters.service import StarterService
from core.answering import AnswerService, compose
from core.audit.documents import RELEASE
from core.cases.feedback import FeedbackService
from core.cases.precedents import PrecedentService
from core.cases.service import CaseService
from core.confidence.calibration import Calibrations
from core.domain.limits import RunLimits
from core.ingest.publish import Ingestor
from core.ingest.sandbox import SandboxedReader, SandboxLimits
from core.models import (
    Reasoners,
    open_reasoners,
    replaying_reasoners,
)
from core.ontology.extract.rule_extractor import RuleExtractor
from core.replay.precedents import RecordedPrecedents
from core.replay.recorded import RecordedQuestion
from core.replay.replay import Replayer
from core.retrieval.retriever import ChunkRetriever
from core.sources.sync import SourceSync

__all__ = ["SERVING", "Service", "bootstrap"]


class Service(AnswerService, PostgresStores):
    """The product, composed: its stores, and what answers, searches and ingests over them."""

    loads_ahead = False

    @cached_property
    def replayer(self) -> Replayer:
        """Answers recorded questions again."""

        def build(
            question: RecordedQuestion, searches: ChunkRetriever, limits: RunLimits
        ) -> Answering:
            reasoners = replaying_reasoners(question, self.settings, reader=self.models.reader)
            return replace(
                self._answering_by(reasoners),
                retriever=searches,
                limits=limits,
                precedents=RecordedPrecedents(question, zone=self.clock.zones.home),
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
        return replace(self.answering, calibrations=source)

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
            answering = self._answering_by(reasoners)
            active = calibrations or answering.calibrations
            yield replace(answering, calibrations=active, log=RecordsNothing())

    @cached_property
    def starters(self) -> StarterService:
        """Questions that people are offered to begin with."""
        reasoners = self.models.reasoners
        rules = None
        if reasoners.fallback is not None:
            rules = self._answering_by(Reasoners(first=reasoners.fallback, fallback=None))
        models = [f"{name}={model}" for name, model in sorted(self.models.names.items())]
        return StarterService(
            self.starter_store,
            StarterChoice(
                store=self.starter_store,
                answering=self.answering,
                rules=rules,
                embedder=self.models.measured,
            ),
            clock=self.clock,
            named=self.settings.named_starters,
            made_by=(RELEASE, self.settings.model if rules else "rules", *models),
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
            connect=connecting(self.settings, note=self.refusals.note),
            clock=self.clock,
        )


bootstrap = partial(compose, Service)
"""Opens the database and composes the whole service; see `compose`."""
