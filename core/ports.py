"""What the stages need of the outside: small protocols, implemented in `core.adapters`.

Every method may raise `TransientError` (a dependency failed; nothing was changed) unless it says
otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol, TypeAlias

from core.domain.answer import Critique, Draft, Judgement, NotJudged
from core.domain.chat import Place
from core.domain.evidence import Evidence, RetrievedChunk
from core.domain.ontology import Extraction, SectionRef, Snapshot
from core.domain.policy import (
    Chunk,
    LoadedDocument,
    PolicyMetadata,
    PolicyVersion,
    Section,
    Span,
    VersionId,
)
from core.domain.question import Question, Scope, Turn
from core.domain.run import Clarification, Exploration, Json, Plan, Run, ToolCall

Vector: TypeAlias = tuple[float, ...]
"""Unit norm; its length is the embedder's `dimensions`."""


class Clock(Protocol):
    """Time, as a dependency: a replay sets it."""

    def now(self) -> datetime:
        """Return the present instant, aware, UTC."""
        ...

    def monotonic_s(self) -> float:
        """Return seconds of a clock that never goes back."""
        ...


class IdSource(Protocol):
    """Identities, as a dependency: a replay needs the same ones."""

    def new(self) -> str:
        """Return a new UUIDv7."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """Where vectors are comparable."""

    provider: str
    """`local`, `voyage`."""
    model: str
    """The provider's name of the model."""
    dimensions: int
    """Length of its vectors."""
    revision: str
    """What pins the weights: a hash or a date."""
    fusion_weight: float
    """Weight of BM25 in the fused score, in [0, 1]; tuned for the embedder on labelled
    questions."""


class Embedder(Protocol):
    """Text to vectors. Safe from many tasks; heavy work is off the event loop."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""
        ...

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """Return one vector a text, in order."""
        ...

    async def embed_query(self, text: str, /) -> Vector:
        """Return the question's vector."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One hybrid search."""

    text: str
    """The question's words."""
    embedding: Vector | None
    """Its vector in `space`; None: lexical search alone."""
    scope: Scope
    """Applied inside the statement."""
    limit: int
    """Hits wanted, from 1."""
    neighbours: int = 0
    """Cross-referenced chunks to add at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a search found."""

    hits: tuple[RetrievedChunk, ...]
    """Best first, no chunk twice."""
    neighbours: tuple[RetrievedChunk, ...]
    """Chunks that hits refer to or that refer to them, `via` set; none of them among `hits`."""
    searched: int
    """Chunks in scope."""


class ChunkSearch(Protocol):
    """Hybrid search in scope."""

    async def search(self, request: SearchRequest, /) -> SearchResult:
        """Find chunks of versions in force in the scope, and only those."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One document, ready to be stored."""

    metadata: PolicyMetadata
    """What is known of it beside its text."""
    source_name: str
    """File name."""
    original: bytes
    """The file as it came."""
    document: LoadedDocument
    """Its text."""
    sections: tuple[Section, ...]
    """Its sections."""
    chunks: tuple[Chunk, ...]
    """Its chunks; empty with `--no-rag`."""
    extraction: Extraction
    """Its facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The same bytes with nothing else said of them are stored already."""

    version_id: VersionId
    """That version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """One version of a policy, as ingestion compares it with a new file."""

    version_id: VersionId
    """Identity of the row."""
    number: int
    """Place among the policy's versions, from 1."""
    sha256: bytes
    """Of the file as it came."""
    metadata: PolicyMetadata
    """As stored."""
    has_chunks: bool
    """False if it was ingested without chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A version was stored in a new edition."""

    version_id: VersionId
    """The version."""
    edition: int
    """The edition."""
    is_first: bool
    """True if the policy was not known before."""
    chunks: int
    """Chunks indexed."""
    chunks_embedded: int
    """Chunks that had to be embedded; the rest was taken over from the earlier version."""
    entities: int
    """Entities of the version."""
    relations: int
    """Relations of the version."""


class CorpusStore(Protocol):
    """Policies, versions, sections and chunks."""

    async def versions_of(self, key: str, /) -> list[StoredVersion]:
        """Return all versions of a policy, oldest first; empty for an unknown key."""
        ...

    async def missing_embeddings(self, texts: Sequence[str], space: EmbeddingSpace, /) -> list[int]:
        """Return the indexes of those texts that no chunk of the space has.

        Each distinct text once.
        """
        ...

    async def publish(
        self,
        publication: Publication,
        /,
        *,
        after: VersionId | None,
        space: EmbeddingSpace | None,
        vectors: Mapping[str, Vector],
        on_day: date,
    ) -> Published:
        """Store a version with sections, chunks, facts and vectors in one transaction.

        As a new edition.

        `after` is the policy's newest version that the caller has seen, None if it has none.
        `vectors` holds a vector for each text that `missing_embeddings` named. `on_day` is when a
        later version
        begins to hold that does not say so itself.

        Raises:
            OvertakenError: the policy has a newer version than `after`; nothing was stored.
            IntegrityError: a chunk without text, section or vector; nothing was stored.
        """
        ...

    async def versions(self, scope: Scope, /) -> list[PolicyVersion]:
        """Return the versions in force in the scope, by policy key."""
        ...

    async def current_edition(self) -> int | None:
        """Return the newest edition, or None if nothing was ever published."""
        ...

    async def read_spans(self, spans: Sequence[Span], scope: Scope, /) -> dict[Span, str]:
        """Return the stored text of each span.

        Spans not in force or not readable in the scope are left out.
        """
        ...

    async def has_chunks(self, scope: Scope, /) -> bool:
        """Say whether any chunk is in the scope."""
        ...

    async def places(self, spans: Sequence[Span], /) -> dict[Span, SectionRef]:
        """Return where each span lies: its policy, version, section and page."""
        ...


class OntologyStore(Protocol):
    """Entities and relations."""

    async def snapshot(self, scope: Scope, /) -> Snapshot:
        """Return the ontology of versions in force in the scope."""
        ...


class Toolbox(Protocol):
    """The ontology tools as a reasoner may use them.

    Read-only, in scope, counted against the budget.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The tools offered."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Json], /) -> Mapping[str, Json]:
        """Return the tool's JSON, with `evidence` and `stats`.

        A bad argument gives `error`, never an exception.
        """
        ...

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """What was called so far."""
        ...


class Reasoner(Protocol):
    """Proposes; code decides. Nothing it returns reaches a person unverified."""

    @property
    def name(self) -> str:
        """Name and version, for the record."""
        ...

    async def plan(self, question: Question, snapshot: Snapshot, /) -> Plan | Clarification:
        """Say what to do, or ask for the fact without which nothing can be done."""
        ...

    async def explore(
        self, question: Question, plan: Plan, snapshot: Snapshot, toolbox: Toolbox, /
    ) -> Exploration:
        """Establish findings, and report how completely they answer."""
        ...

    async def draft(self, question: Question, plan: Plan, evidence: Evidence, /) -> Draft:
        """Propose claims, each citing spans of the evidence."""
        ...

    async def critique(self, question: Question, evidence: Evidence, draft: Draft, /) -> Critique:
        """Read the verified draft for consistency, missing exceptions and gaps."""
        ...

    async def judge(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft, /
    ) -> Judgement | NotJudged:
        """Score the verified draft and say what to do with it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReceipt:
    """Proof that a run was recorded."""

    record_id: str
    """Identity of the audit record."""
    answer_id: str
    """Identity of the stored answer."""
    leaf_hash: bytes
    """RFC 6962 leaf hash of the record."""


class AuditLog(Protocol):
    """The record. Nothing is shown before this returns."""

    async def record(self, run: Run, /) -> RecordReceipt:
        """Store question, answer, claims, citations.

        Trace and the audit record in one transaction.
        """
        ...


class ConversationStore(Protocol):
    """What was said earlier in a thread."""

    async def find(self, place: Place, /) -> str | None:
        """Return the id of the conversation at a place.

        Or None if it never had a recorded question.
        """
        ...

    async def history(self, conversation_id: str, /) -> tuple[Turn, ...]:
        """Return the earlier turns, oldest first, at most the last 20; empty for an unknown id."""
        ...
