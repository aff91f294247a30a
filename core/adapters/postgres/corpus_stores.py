"""What is stored of the corpus, each store made when it is first used.

`AnswerStores` and `PostgresStores` add the rest: a command imports what it needs.
"""

from dataclasses import KW_ONLY, dataclass
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


@dataclass(eq=False, repr=False)
class CorpusStores:
    """Reads the corpus of one migrated database."""

    engine: AsyncEngine
    settings: Settings
    _: KW_ONLY
    officers: Officers
    clock: Clock
    ids: IdSource
    pseudonyms: "Pseudonyms | None" = None
    """None: no people of chat platforms are named."""
    operator: str = OPERATOR

    @cached_property
    def corpus(self) -> PostgresCorpusReader:
        """Policies and chunks."""
        return PostgresCorpusReader(self.engine)

    @cached_property
    def ontology(self) -> PostgresOntologyStore:
        """Entities and relations."""
        return PostgresOntologyStore(self.engine)

    @cached_property
    def report(self) -> PostgresCorpusReport:
        """What the corpus holds, for those who keep it."""
        return PostgresCorpusReport(self.engine)
