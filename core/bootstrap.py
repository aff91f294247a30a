"""Composition root: settings -> a service.

Every dependency can be replaced by a parameter; nothing connects at import.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from core.adapters.local.embedder import LocalEmbedder, LocalOffTopic
from core.adapters.officers import read_officers
from core.adapters.postgres.cases.cases import PostgresCases
from core.adapters.postgres.cases.feedback import PostgresFeedback
from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
from core.adapters.postgres.corpus.policy_facts import PostgresAboutPolicies, PostgresPolicyChanges
from core.adapters.postgres.corpus.withdrawals import PostgresWithdrawals
from core.adapters.postgres.engine.database import SERVING, open_database
from core.adapters.postgres.engine.database import Limits as StatementLimits
from core.adapters.postgres.engine.embedded import start_embedded
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.health import PostgresHealth
from core.adapters.postgres.messages.backlog import PostgresBacklog
from core.adapters.postgres.messages.inbox import PostgresInbox
from core.adapters.postgres.messages.outbox import PostgresOutbox
from core.adapters.postgres.ontology.fact_index import index_missing
from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.adapters.postgres.ontology.ontology_writer import PostgresExtractedSections
from core.adapters.postgres.platforms.installations import PostgresConnections, oauth_stores
from core.adapters.postgres.platforms.posted_answers import (
    PostgresPostedAnswerActions,
    PostgresPostedAnswers,
)
from core.adapters.postgres.platforms.references import PostgresReferences
from core.adapters.postgres.queue.conversations import PostgresConversationStore
from core.adapters.postgres.queue.queue import PostgresJobs
from core.adapters.postgres.queue.rate_limits import Pace
from core.adapters.postgres.record.audit import PostgresAuditLog
from core.adapters.postgres.record.audit_reader import PostgresAuditReader
from core.adapters.postgres.record.model_calls import PostgresModelCallLog, PostgresSpending
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.adapters.postgres.search.spaces import PostgresSpaceStore
from core.adapters.system import SystemClock, UuidSource
from core.agent.service import Answering
from core.config.settings import Settings
from core.domain.budget import Limits
from core.domain.officers import Officers
from core.domain.rate_limit import TurnLimit, TurnLimits, WaitingLimits
from core.failpoints import arm
from core.ingest.publish import Ingestor
from core.ingest.sandbox import open_reader
from core.models import (
    Embedders,
    NoReader,
    Reasoners,
    find_guard,
    find_reader,
    only,
    open_embedders,
    open_reasoners,
)
from core.ontology.extract.rule_extractor import RuleExtractor
from core.ports import Clock, Embedder, IdSource, Reader, ReasonerFactory
from core.ports.platforms import OAuthStores
from core.retrieval.relevance_rescorer import Judge
from core.retrieval.retriever import Retriever
from core.retrieval.serving_embedder import CorpusEmbedder, NoEmbedder

logger = logging.getLogger(__name__)

__all__ = ["SERVING", "Service", "bootstrap", "database_url"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The product, wired: what surfaces and commands use."""

    settings: Settings
    """As given."""
    answering: Answering
    """One question in, one recorded reply out."""
    ingestor: Ingestor
    """One file in, one version published."""
    corpus: PostgresCorpusStore
    """Policies and chunks."""
    withdrawals: PostgresWithdrawals
    """Policies out of force."""
    changes: PostgresPolicyChanges
    """What became of the policies lately."""
    about: PostgresAboutPolicies
    """Owner, version and last change of the policies, and whom they are for."""
    ontology: PostgresOntologyStore
    """Entities and relations."""
    extracted: PostgresExtractedSections
    """What a model read in sections."""
    conversations: PostgresConversationStore
    """Threads."""
    records: PostgresAuditReader
    """The record, read."""
    inbox: PostgresInbox
    """Messages of chat platforms, stored before they are acknowledged."""
    backlog: PostgresBacklog
    """The same, to be answered."""
    outbox: PostgresOutbox
    """Replies, to be posted."""
    posted_answers: PostgresPostedAnswers
    """Replies, found again by what is pressed."""
    references: PostgresReferences
    """Conversations in which our app is, so that it can write there first."""
    answer_actions: PostgresPostedAnswerActions
    """What people do to them."""
    jobs: PostgresJobs
    """The alarm clock of inbox and outbox."""
    oauth: OAuthStores | None
    """Where installations of the Slack app are kept; None: one workspace has its token."""
    connections: PostgresConnections
    """The record of workspaces that took the app away."""
    health: PostgresHealth
    """Whether the database takes writes."""
    cases: PostgresCases
    """Questions in the hands of officers."""
    officers: Officers
    """Who they are."""
    feedback: PostgresFeedback
    """What people think of answers."""
    retriever: Retriever
    """Search over chunks."""
    clock: Clock
    """Time."""
    embedders: Embedders
    """All that embeds here."""
    spaces: PostgresSpaceStore
    """Embedding spaces, of which one serves."""
    serving: CorpusEmbedder
    """The embedder of the space that serves."""
    embedder: Embedder | None
    """The one on whose cosines relevance was fitted; None: relevance goes by words."""
    reader: Reader | None
    """Says whether a text answers a question; None: nothing does."""
    guard: Reader | None
    """Says whether a text bears a statement out; None: only code does."""


async def database_url(settings: Settings) -> str:
    """Return the configured database, or start the embedded one.

    Raises:
        ConfigError: The embedded one can't be started.
    """
    if settings.database_url:
        return settings.database_url
    return await asyncio.to_thread(start_embedded, settings.home)


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
) -> AsyncGenerator[Service]:
    """Open the database and wire the service; close all at the end.

    `statements` is what processes that serve people grant the database; None: all the time.

    Raises:
        ConfigError: The database can't be reached, is too old, or can't be migrated.
    """
    clock, ids = clock or SystemClock(), ids or UuidSource()
    arm(settings.failpoint)
    officers = read_officers(settings.officers, settings.case_channel)
    async with AsyncExitStack() as stack:
        embedders = (
            await stack.enter_async_context(open_embedders(settings))
            if embedder is None
            else only(embedder)
        )
        reader = reader or _found(await find_reader(settings), "answers are found without a reader")
        guard = guard or _found(
            await find_guard(settings), "statements are checked without a guard"
        )
        engine = await stack.enter_async_context(
            open_database(await database_url(settings), limits=statements)
        )
        jobs = PostgresJobs(engine, limits=statements)
        await index_missing(engine)
        corpus = PostgresCorpusStore(engine)
        ontology = PostgresOntologyStore(engine)
        about = PostgresAboutPolicies(engine)
        conversations = PostgresConversationStore(engine)
        spaces = PostgresSpaceStore(engine)
        serving = CorpusEmbedder(spaces, embedders.configured, embedders.find)
        measured = None if isinstance(embedders.measured, NoEmbedder) else embedders.measured
        retriever = Retriever(
            PostgresChunkSearch(engine, None),
            serving,
            reranker=embedders.reranker,
            reader=reader,
            judge=Judge(measured) if measured else None,
        )
        spending = (
            None
            if settings.daily_budget_usd is None
            else PostgresSpending(
                engine,
                budget_usd=settings.daily_budget_usd,
                officers=officers,
                jobs=jobs,
                ids=ids,
            )
        )
        reasoners = (
            await stack.enter_async_context(
                open_reasoners(
                    settings,
                    reader=reader,
                    clock=clock,
                    log=PostgresModelCallLog(engine),
                    spending=spending,
                )
            )
            if reasoner is None
            else Reasoners(first=reasoner, fallback=None)
        )
        ledger = Ledger(clock=clock, ids=ids, unit=settings.unit)
        yield Service(
            settings=settings,
            answering=Answering(
                english=measured.words if isinstance(measured, LocalEmbedder) else None,
                likeness=measured,
                off_topic=LocalOffTopic(measured) if isinstance(measured, LocalEmbedder) else None,
                about=about,
                reasoner=reasoners.first,
                fallback=reasoners.fallback,
                corpus=corpus,
                ontology=ontology,
                conversations=conversations,
                retriever=retriever,
                guard=guard,
                log=PostgresAuditLog(
                    engine,
                    clock=clock,
                    ids=ids,
                    unit=settings.unit,
                    jobs=jobs,
                    officers=officers,
                ),
                clock=clock,
                ids=ids,
                limits=Limits(
                    gate_threshold=settings.gate_threshold,
                    relevance_threshold=settings.relevance_threshold,
                    retrieval_depth=settings.retrieval_depth,
                    max_attempts=settings.max_attempts,
                    model_calls=settings.model_calls,
                    output_tokens=settings.output_tokens,
                    deadline_s=settings.deadline_s,
                ),
            ),
            ingestor=Ingestor(
                reader=await stack.enter_async_context(open_reader()),
                store=corpus,
                embedder=serving,
                extractor=RuleExtractor(),
                clock=clock,
            ),
            corpus=corpus,
            withdrawals=PostgresWithdrawals(engine, ledger=ledger),
            changes=PostgresPolicyChanges(engine),
            about=about,
            ontology=ontology,
            extracted=PostgresExtractedSections(engine),
            conversations=conversations,
            records=PostgresAuditReader(engine),
            inbox=PostgresInbox(
                engine,
                ledger=ledger,
                jobs=jobs,
                waiting=WaitingLimits(
                    asker=settings.waiting_per_asker, all=settings.waiting_questions
                ),
                turns=_turn_limits(settings),
            ),
            backlog=PostgresBacklog(
                engine, clock=clock, defer=jobs.defer, limits=_turn_limits(settings)
            ),
            outbox=PostgresOutbox(engine, ledger=ledger, pace=Pace()),
            posted_answers=PostgresPostedAnswers(engine),
            references=PostgresReferences(engine),
            answer_actions=PostgresPostedAnswerActions(engine, ledger=ledger, jobs=jobs),
            jobs=jobs,
            oauth=oauth_stores(engine, settings),
            connections=PostgresConnections(engine, ledger=ledger),
            health=PostgresHealth(engine),
            cases=PostgresCases(engine, ledger=ledger, jobs=jobs, officers=officers),
            officers=officers,
            feedback=PostgresFeedback(engine, ledger=ledger),
            retriever=retriever,
            clock=clock,
            embedders=embedders,
            spaces=spaces,
            serving=serving,
            embedder=measured,
            reader=reader,
            guard=guard,
        )


def _found(reader: Reader | NoReader, without: str) -> Reader | None:
    if not isinstance(reader, NoReader):
        return reader
    if not reader.is_chosen:
        logger.warning("%s: %s", without, reader.reason)
    return None


def _turn_limits(settings: Settings) -> TurnLimits:
    return TurnLimits(
        asker=TurnLimit(times=settings.questions_per_asker, within_s=600.0),
        channel=TurnLimit(times=settings.questions_per_channel, within_s=600.0),
        conversation=TurnLimit(times=settings.replies_per_conversation, within_s=60.0),
    )
