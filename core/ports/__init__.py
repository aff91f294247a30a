"""What the stages need of the outside: small protocols, implemented in `core.adapters`.

Every method may raise `TransientError` (a dependency failed; nothing was changed) unless it says
otherwise.
"""

from core.ports.corpus import (
    CorpusStore,
    OntologyStore,
    Publication,
    Published,
    StoredVersion,
    Unchanged,
)
from core.ports.reasoning import Reasoner, Toolbox
from core.ports.record import AuditLog, ConversationStore, RecordReceipt
from core.ports.search import (
    ChunkSearch,
    Embedder,
    EmbeddingSpace,
    SearchRequest,
    SearchResult,
    Vector,
)
from core.ports.system import Clock, IdSource

__all__ = [
    "AuditLog",
    "ChunkSearch",
    "Clock",
    "ConversationStore",
    "CorpusStore",
    "Embedder",
    "EmbeddingSpace",
    "IdSource",
    "OntologyStore",
    "Publication",
    "Published",
    "Reasoner",
    "RecordReceipt",
    "SearchRequest",
    "SearchResult",
    "StoredVersion",
    "Toolbox",
    "Unchanged",
    "Vector",
]
