"""What a question is answered and recorded with, each store made when it is first used."""

from functools import cached_property

from core.adapters.postgres.cases.cases import PostgresCases
from core.adapters.postgres.cases.precedents import PostgresPrecedents
from core.adapters.postgres.corpus.policy_facts import PostgresAboutPolicies
from core.adapters.postgres.corpus_stores import CorpusStores
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.queue.conversations import PostgresConversationStore
from core.adapters.postgres.record.audit import PostgresRecords
from core.adapters.postgres.record.calibrations import PostgresCalibrations
from core.adapters.postgres.record.model_calls import PostgresModelCallLog, PostgresSpending
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.adapters.postgres.search.spaces import PostgresSpaceStore


class AnswerStores(CorpusStores):
    """Reads the corpus, and records answers."""

    @cached_property
    def about(self) -> PostgresAboutPolicies:
        """Owner, version and last change of the policies, and whom they are for."""
        return PostgresAboutPolicies(self.engine, zone=self.clock.zones.home)

    @cached_property
    def chunks(self) -> PostgresChunkSearch:
        """Search over chunks, in the space that serves."""
        return PostgresChunkSearch(self.engine, None)

    @cached_property
    def spaces(self) -> PostgresSpaceStore:
        """Embedding spaces, of which one serves."""
        return PostgresSpaceStore(self.engine)

    @cached_property
    def conversations(self) -> PostgresConversationStore:
        """Threads."""
        return PostgresConversationStore(self.engine)

    @cached_property
    def record_store(self) -> PostgresRecords:
        """Questions, answers and the record of both, written."""
        return PostgresRecords(self.engine, ledger=self._ledger)

    @cached_property
    def case_store(self) -> PostgresCases:
        """Questions in the hands of officers."""
        return PostgresCases(self.engine, ledger=self._ledger)

    @cached_property
    def precedents(self) -> PostgresPrecedents:
        """Answers of officers that may be told to others."""
        return PostgresPrecedents(self.engine, ledger=self._ledger, officers=self.officers)

    @cached_property
    def calibrations(self) -> PostgresCalibrations:
        """Calibrations that were fitted here, and which is in force."""
        return PostgresCalibrations(self.engine, ledger=self._ledger)

    @cached_property
    def model_calls(self) -> PostgresModelCallLog:
        """Calls of language models."""
        return PostgresModelCallLog(self.engine)

    @cached_property
    def spending(self) -> PostgresSpending | None:
        """What models have cost today; None: no limit is set."""
        budget_usd = self.settings.daily_budget_usd
        if budget_usd is None:
            return None
        return PostgresSpending(
            self.engine,
            budget_usd=budget_usd,
            officers=self.officers,
            ids=self.ids,
        )

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(
            clock=self.clock,
            ids=self.ids,
            unit=self.settings.unit,
            pseudonyms=self.pseudonyms,
        )
