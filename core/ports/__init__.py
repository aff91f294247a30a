"""What the stages need of the outside: small protocols, implemented in `core.adapters`.

Every method may raise `TransientError` (a dependency failed; nothing was changed) unless it says
otherwise.

A name's module is imported when the name is first asked for: a command needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.ports.cases import CaseStore as CaseStore
    from core.ports.cases import FeedbackStore as FeedbackStore
    from core.ports.corpus import CorpusReader as CorpusReader
    from core.ports.corpus import CorpusStore as CorpusStore
    from core.ports.corpus import Publication as Publication
    from core.ports.corpus import Published as Published
    from core.ports.corpus import StoredVersion as StoredVersion
    from core.ports.corpus import Unchanged as Unchanged
    from core.ports.knowledge import Knowledge as Knowledge
    from core.ports.knowledge import Lookup as Lookup
    from core.ports.knowledge import OntologyStore as OntologyStore
    from core.ports.messages import Audience as Audience
    from core.ports.messages import Backlog as Backlog
    from core.ports.messages import Completion as Completion
    from core.ports.messages import Handler as Handler
    from core.ports.messages import Handlers as Handlers
    from core.ports.messages import Inbox as Inbox
    from core.ports.messages import Kept as Kept
    from core.ports.messages import Outbox as Outbox
    from core.ports.messages import Platform as Platform
    from core.ports.messages import Poster as Poster
    from core.ports.messages import Surface as Surface
    from core.ports.messages import WorkKind as WorkKind
    from core.ports.messages import WorkQueue as WorkQueue
    from core.ports.reasoning import ModelCallLog as ModelCallLog
    from core.ports.reasoning import Progress as Progress
    from core.ports.reasoning import Progressed as Progressed
    from core.ports.reasoning import Reasoner as Reasoner
    from core.ports.reasoning import ReasonerFactory as ReasonerFactory
    from core.ports.reasoning import RunContext as RunContext
    from core.ports.reasoning import Spending as Spending
    from core.ports.reasoning import StoredCall as StoredCall
    from core.ports.reasoning import Toolbox as Toolbox
    from core.ports.record import AuditLog as AuditLog
    from core.ports.record import ConversationStore as ConversationStore
    from core.ports.record import RecordReceipt as RecordReceipt
    from core.ports.search import ChunkSearch as ChunkSearch
    from core.ports.search import SearchRequest as SearchRequest
    from core.ports.search import SearchResult as SearchResult
    from core.ports.system import Clock as Clock
    from core.ports.system import IdSource as IdSource
    from core.ports.text_models import Embedder as Embedder
    from core.ports.text_models import EmbeddingSpace as EmbeddingSpace
    from core.ports.text_models import Reader as Reader
    from core.ports.text_models import Vector as Vector

_HOMES = (
    "system",
    "text_models",
    "corpus",
    "knowledge",
    "search",
    "reasoning",
    "cases",
    "messages",
    "record",
)


def __getattr__(name: str) -> Any:
    """Import a name from its module, looking into the lightest first (PEP 562)."""
    for home in () if name.startswith("_") else _HOMES:
        module = import_module(f"{__name__}.{home}")
        if name in vars(module):
            return vars(module)[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
