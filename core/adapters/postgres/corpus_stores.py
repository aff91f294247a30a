"""What is stored of the corpus, each store made when it is first used.

`AnswerStores` and `PostgresStores` add the rest: a command imports what it needs.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus_reader import PostgresCorpusReader
from core.adapters.postgres.corpus.corpus_report import PostgresCorpusReport
from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.config.settings import Settings
from core.domain.officers import Officers
from core.ports import Clock, IdSource

if TYPE_CHECKING:
    from core.adapters.postgres.engine.pseudonyms import Pseudonyms

OPERATOR = "console"
"""Who changes the corpus, where nobody says."""


class CorpusStores:
    """Reads the corpus of one migrated database."""

    def __init__(
        self,
        engine: AsyncEngine,
        settings: Settings,
        *,
        officers: Officers,
        clock: Clock,
        ids: IdSource,
        pseudonyms: "Pseudonyms | None" = None,
        operator: str = OPERATOR,
    ) -> None:
        """Connect nothing yet; without `pseudonyms` no people of chat platforms are named."""
        self._engine = engine
        self.settings = settings
        self.officers = officers
        self.clock = clock
        self.ids = ids
        self._pseudonyms = pseudonyms
        self.operator = operator

    @cached_property
    def corpus(self) -> PostgresCorpusReader:
        """Policies and chunks."""
        return PostgresCorpusReader(self._engine)

    @cached_property
    def ontology(self) -> PostgresOntologyStore:
        """Entities and relations."""
        return PostgresOntologyStore(self._engine)

    @cached_property
    def report(self) -> PostgresCorpusReport:
        """What the corpus holds, for those who keep it."""
        return PostgresCorpusReport(self._engine)
