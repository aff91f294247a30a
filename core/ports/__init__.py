"""What the stages need of the outside: small protocols, implemented in `core.adapters`.

Every method may raise `TransientError` (a dependency failed; nothing was changed) unless it says
otherwise.

A name's module is imported when the name is first asked for: a command needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.ports.cases import CaseStore, FeedbackStore
    from core.ports.corpus import (
        CorpusReader,
        CorpusStore,
        Publication,
        Published,
        StoredVersion,
        Unchanged,
    )
    from core.ports.knowledge import Knowledge, Lookup, OntologyStore
    from core.ports.messages import (
        Audience,
        Backlog,
        Completion,
        Handler,
        Handlers,
        Inbox,
        Kept,
        Outbox,
        Platform,
        Poster,
        Surface,
        WorkKind,
        WorkQueue,
    )
    from core.ports.reasoning import (
        ModelCallLog,
        Progress,
        Progressed,
        Reasoner,
        ReasonerFactory,
        RunContext,
        Spending,
        StoredCall,
        Toolbox,
    )
    from core.ports.record import AuditLog, ConversationStore, RecordReceipt
    from core.ports.search import ChunkSearch, SearchRequest, SearchResult
    from core.ports.system import Clock, IdSource
    from core.ports.text_models import Embedder, EmbeddingSpace, Reader, Vector

__all__ = [
    "Audience",
    "AuditLog",
    "Backlog",
    "CaseStore",
    "ChunkSearch",
    "Clock",
    "Completion",
    "ConversationStore",
    "CorpusReader",
    "CorpusStore",
    "Embedder",
    "EmbeddingSpace",
    "FeedbackStore",
    "Handler",
    "Handlers",
    "IdSource",
    "Inbox",
    "Kept",
    "Knowledge",
    "Lookup",
    "ModelCallLog",
    "OntologyStore",
    "Outbox",
    "Platform",
    "Poster",
    "Progress",
    "Progressed",
    "Publication",
    "Published",
    "Reader",
    "Reasoner",
    "ReasonerFactory",
    "RecordReceipt",
    "RunContext",
    "SearchRequest",
    "SearchResult",
    "Spending",
    "StoredCall",
    "StoredVersion",
    "Surface",
    "Toolbox",
    "Unchanged",
    "Vector",
    "WorkKind",
    "WorkQueue",
]

_HOMES = [
    "system",
    "text_models",
    "corpus",
    "knowledge",
    "search",
    "reasoning",
    "cases",
    "messages",
    "record",
]


def __getattr__(name: str) -> Any:
    """Import a name from its module, looking into the lightest first (PEP 562)."""
    for home in _HOMES if name in __all__ else ():
        module = import_module(f"{__name__}.{home}")
        if name in vars(module):
            return vars(module)[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
