"""What the stages need of the outside: small protocols, implemented in `core.adapters`.

Every method may raise `TransientError` (a dependency failed; nothing was changed) unless it says
otherwise.
"""

from core.ports.cases import CaseStore, FeedbackStore
from core.ports.corpus import (
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
