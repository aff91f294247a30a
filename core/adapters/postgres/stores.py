"""Everything that is stored in Postgres, each store made when it is first used.

A command uses few of them: a question at the terminal has no inbox, no cases and no installations.
"""

from functools import cached_property

from core.adapters.postgres.answer_stores import AnswerStores
from core.adapters.postgres.cases.feedback import PostgresFeedback
from core.adapters.postgres.cases.reviews import PostgresReviews
from core.adapters.postgres.console.access import PostgresConsoleAccess
from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
from core.adapters.postgres.corpus.corpus_changes import PostgresCorpusChanges
from core.adapters.postgres.corpus.ingest_runs import PostgresIngestRuns
from core.adapters.postgres.corpus.policy_facts import PostgresPolicyChanges
from core.adapters.postgres.corpus.review_reminders import PostgresReviewReminders
from core.adapters.postgres.corpus.sources import PostgresSources
from core.adapters.postgres.corpus.starters import PostgresStarters
from core.adapters.postgres.corpus.withdrawals import PostgresWithdrawals
from core.adapters.postgres.health import PostgresHealth
from core.adapters.postgres.messages.backlog import PostgresBacklog
from core.adapters.postgres.messages.inbox import PostgresInbox
from core.adapters.postgres.messages.outbox import PostgresOutbox
from core.adapters.postgres.ontology.ontology_writer import PostgresExtractedSections
from core.adapters.postgres.platforms.installations import (
    OAuthStores,
    PostgresDisconnections,
    oauth_stores,
)
from core.adapters.postgres.platforms.posted_answers import (
    PostgresPostedAnswerActions,
    PostgresPostedAnswers,
)
from core.adapters.postgres.platforms.references import PostgresConversationReferences
from core.adapters.postgres.queue.rate_limits import Pace
from core.adapters.postgres.queue.work_queue import PostgresWorkQueue
from core.adapters.postgres.record.affected import PostgresAffectedAnswers
from core.adapters.postgres.record.affected_editions import PostgresAffectedEditions
from core.adapters.postgres.record.consistency import PostgresConsistency
from core.adapters.postgres.record.corrections import PostgresCorrections
from core.adapters.postgres.record.question_drafts import PostgresQuestionDrafts
from core.adapters.postgres.record.services import PostgresServices
from core.adapters.postgres.record.suspension import PostgresSuspensions
from core.config.settings import Settings
from core.domain.limits import TurnLimit, TurnLimits, WaitingLimits


class PostgresStores(AnswerStores):
    """All stores of one migrated database."""

    @cached_property
    def corpus(self) -> PostgresCorpusStore:
        """Policies and chunks."""
        return PostgresCorpusStore(self.engine, ledger=self._ledger, operator=self.operator)

    @cached_property
    def starter_store(self) -> PostgresStarters:
        """Questions that people are offered to begin with."""
        return PostgresStarters(self.engine, clock=self.clock)

    @cached_property
    def console_access(self) -> PostgresConsoleAccess:
        """Links and sessions of the officers' console."""
        return PostgresConsoleAccess(self.engine, ledger=self._ledger)

    @cached_property
    def affected(self) -> PostgresAffectedAnswers:
        """Past answers that rest on what a policy no longer says."""
        return PostgresAffectedAnswers(self.engine, ledger=self._ledger, officers=self.officers)

    @cached_property
    def affected_editions(self) -> PostgresAffectedEditions:
        """What editions made of past answers, for officers."""
        return PostgresAffectedEditions(self.engine, ledger=self._ledger, officers=self.officers)

    @cached_property
    def suspensions(self) -> PostgresSuspensions:
        """Precedents that rest on what a policy no longer says."""
        return PostgresSuspensions(self.engine, ledger=self._ledger, officers=self.officers)

    @cached_property
    def review_reminders(self) -> PostgresReviewReminders:
        """Policies that are past their review."""
        return PostgresReviewReminders(self.engine, officers=self.officers, ids=self._ledger.ids)

    @cached_property
    def question_drafts(self) -> PostgresQuestionDrafts:
        """Test questions that are drafted from the policies."""
        return PostgresQuestionDrafts(self.engine, ledger=self._ledger)

    @cached_property
    def consistency(self) -> PostgresConsistency:
        """Past questions to be asked again, and the contradictions found."""
        return PostgresConsistency(self.engine, ledger=self._ledger, officers=self.officers)

    @cached_property
    def corrections(self) -> PostgresCorrections:
        """Affected answers that an officer approved, to be given again."""
        return PostgresCorrections(self.engine, ledger=self._ledger)

    @cached_property
    def services(self) -> PostgresServices:
        """Services that start and stop."""
        return PostgresServices(self.engine, ledger=self._ledger)

    @cached_property
    def queue(self) -> PostgresWorkQueue:
        """What is due of inbox and outbox."""
        return PostgresWorkQueue(self.engine)

    @cached_property
    def withdrawals(self) -> PostgresWithdrawals:
        """Policies out of force."""
        return PostgresWithdrawals(self.engine, ledger=self._ledger, operator=self.operator)

    @cached_property
    def sources(self) -> PostgresSources:
        """Where policies come from."""
        return PostgresSources(
            self.engine, ledger=self._ledger, operator=self.operator, officers=self.officers
        )

    @cached_property
    def corpus_changes(self) -> PostgresCorpusChanges:
        """What editions changed, recorded and told."""
        return PostgresCorpusChanges(
            self.engine, ledger=self._ledger, operator=self.operator, officers=self.officers
        )

    @cached_property
    def ingest_runs(self) -> PostgresIngestRuns:
        """Ingestions, each of which is told of once."""
        return PostgresIngestRuns(
            self.engine,
            changes=self.corpus_changes,
            officers=self.officers,
            ids=self._ledger.ids,
        )

    @cached_property
    def changes(self) -> PostgresPolicyChanges:
        """What became of the policies lately."""
        return PostgresPolicyChanges(self.engine)

    @cached_property
    def extracted(self) -> PostgresExtractedSections:
        """What a model read in sections."""
        return PostgresExtractedSections(self.engine)

    @cached_property
    def inbox(self) -> PostgresInbox:
        """Messages of chat platforms, stored before they are acknowledged."""
        waiting = WaitingLimits(
            asker=self.settings.waiting_per_asker, all=self.settings.waiting_questions
        )
        return PostgresInbox(
            self.engine,
            ledger=self._ledger,
            waiting=waiting,
            turns=_turn_limits(self.settings),
        )

    @cached_property
    def backlog(self) -> PostgresBacklog:
        """The same messages, to be answered."""
        return PostgresBacklog(
            self.engine,
            clock=self.clock,
            limits=_turn_limits(self.settings),
        )

    @cached_property
    def outbox(self) -> PostgresOutbox:
        """Replies, to be posted."""
        return PostgresOutbox(self.engine, ledger=self._ledger, pace=Pace(), officers=self.officers)

    @cached_property
    def posted_answers(self) -> PostgresPostedAnswers:
        """Posted replies, found by the buttons below them."""
        return PostgresPostedAnswers(self.engine)

    @cached_property
    def answer_actions(self) -> PostgresPostedAnswerActions:
        """What people do with posted replies."""
        return PostgresPostedAnswerActions(self.engine, ledger=self._ledger)

    @cached_property
    def references(self) -> PostgresConversationReferences:
        """Conversations in which the app is, so that it can write there first."""
        return PostgresConversationReferences(self.engine, pseudonyms=self.pseudonyms)

    @cached_property
    def feedback_store(self) -> PostgresFeedback:
        """What people think of answers."""
        return PostgresFeedback(self.engine, ledger=self._ledger, officers=self.officers)

    @cached_property
    def reviews(self) -> PostgresReviews:
        """Officers' verdicts on answers."""
        return PostgresReviews(self.engine, ledger=self._ledger)

    @cached_property
    def oauth(self) -> OAuthStores | None:
        """Installations of the Slack app; None: one workspace, by its token."""
        return oauth_stores(self.engine, self.settings, self._ledger)

    @cached_property
    def connections(self) -> PostgresDisconnections:
        """The record of workspaces that took the app away."""
        return PostgresDisconnections(self.engine, ledger=self._ledger)

    @cached_property
    def health(self) -> PostgresHealth:
        """Whether the database takes writes, and how much waits."""
        return PostgresHealth(self.engine, clock=self.clock)


def _turn_limits(settings: Settings) -> TurnLimits:
    return TurnLimits(
        asker=TurnLimit(times=settings.questions_per_asker, within_s=600.0),
        channel=TurnLimit(times=settings.questions_per_channel, within_s=600.0),
        conversation=TurnLimit(times=settings.replies_per_conversation, within_s=60.0),
    )
