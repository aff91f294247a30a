"""The corpus: policies with their versions, sections, chunks and extracted facts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NewType, Protocol, TypeAlias

from core.domain.ontology import Extraction, SectionRef
from core.domain.policy import (
    Chunk,
    ComingText,
    LoadedDocument,
    PolicyMetadata,
    PolicyVersion,
    Section,
    Withdrawal,
)
from core.domain.policy_facts import Applies, PolicyExcerpt, PolicyFacts
from core.domain.question import Scope
from core.language.spans import Span, VersionId
from core.ports.extraction import BY_RULES
from core.ports.text_models import EmbeddingSpace, Vector

Became: TypeAlias = Literal["added", "revised", "withdrawn"]
IngestRunId = NewType("IngestRunId", str)
"""One run of `citebound ingest`, which tells in one message of all that it publishes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAudience:
    """Whom a source lets read a document."""

    source: str
    """Name of the source."""
    groups: frozenset[str]
    """Audience groups; empty: nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One document, ready to be stored."""

    metadata: PolicyMetadata
    """Its metadata."""
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
    facts_by: str = BY_RULES
    """What extracted them, see `ports.extraction.Extracted`."""
    replaces: VersionId | None = None
    """The version of the same document whose facts were extracted again: it ends with this edition,
    and its dates are taken over; None: this is another document."""
    revives: int | None = None
    """The edition that withdrew the policy's newest version, as far as the caller knows; None: it
    is not withdrawn."""
    read_from: str | None = None
    """Absolute path of its file; None: it has none, and the stored path is kept."""
    readers: SourceAudience | None = None
    """Whom its source lets read it, for a policy of which no source has said that so far; None: its
    source does not say."""
    run: IngestRunId | None = None
    """The run that tells of it; None: none does."""
    source: str | None = None
    """The source that tells of it once its synchronisation has ended; None: none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The same bytes with the same metadata are stored already."""

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
    facts_hash: bytes | None = None
    """`Extraction.sha256` of its facts; None if it was published before that was stored."""
    facts_by: str | None = None
    """What extracted them; None if it was published before that was stored, when there were only
    rules."""
    withdrawal: Withdrawal | None = None
    """The last withdrawal of the policy after this version was published; None: there is none."""
    read_from: str | None = None
    """Absolute path of the file that the policy was read from last; None if that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A version as it was read from its file."""

    original: bytes
    """The file."""
    source_name: str
    """Its name."""
    text: str
    """Its text."""
    sections: tuple[Section, ...]
    """Its sections."""
    chunks: tuple[Chunk, ...]
    """Its chunks."""


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
    """Chunks that had to be embedded; the others have the vectors of equal chunks."""
    entities: int
    """Entities of the version."""
    relations: int
    """Relations of the version."""
    is_reread: bool = False
    """True if the document was stored already, and only its facts changed."""


class CorpusReader(Protocol):
    """Policies, versions, sections and chunks."""

    async def versions(self, scope: Scope, /) -> list[PolicyVersion]:
        """Return the versions in force in the scope, by policy key."""
        ...

    async def current_edition(self) -> int | None:
        """Return the newest edition, or None if nothing was ever published."""
        ...

    async def read_spans(self, spans: Sequence[Span], scope: Scope, /) -> dict[Span, str]:
        """Return the stored text of each span.

        Spans that are not in force or not readable in the scope are left out.
        """
        ...

    async def altered(self, quotes: Mapping[Span, str], /) -> frozenset[VersionId]:
        """Return the versions of which a quote is not what was published at its span.

        What was published is what the record says, never a column beside the text.
        """
        ...

    async def has_chunks(self, scope: Scope, /) -> bool:
        """Return whether any chunk is in the scope."""
        ...

    async def places(self, spans: Sequence[Span], /) -> dict[Span, SectionRef]:
        """Return the policy, version, section and page of each span."""
        ...


class CorpusStore(CorpusReader, Protocol):
    """The same, written."""

    async def versions_of(self, key: str, /) -> list[StoredVersion]:
        """Return all versions of a policy, oldest first; empty for an unknown key."""
        ...

    async def missing_embeddings(self, texts: Sequence[str], space: EmbeddingSpace, /) -> list[int]:
        """Return the indexes of texts without a vector in the space, each distinct text once."""
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
        """Store a version with sections, chunks, facts and vectors as a new edition, atomically.

        Args:
            publication: What to store.
            after: The policy's newest version as the caller knows it; None: it has none.
            space: The serving space; None: chunks get no vectors.
            vectors: A vector for each text that `missing_embeddings` named.
            on_day: First day in force of a later version that does not state one.

        Raises:
            OvertakenError: The policy has a newer version than `after`, was withdrawn meanwhile,
                or another space than `space` serves; nothing was stored.
            IntegrityError: A chunk without text, section or vector; nothing was stored.
        """
        ...

    async def note_file(self, key: str, path: str, /) -> None:
        """Store which file a policy was read from last."""
        ...

    async def outdated(self) -> list[str]:
        """Return the keys of policies whose newest version was read by an earlier release.

        A withdrawn policy is not among them.
        """
        ...

    async def document(self, version: VersionId, /) -> StoredDocument:
        """Return a version as it was read."""
        ...

    async def note_reading(self, version: VersionId, /) -> None:
        """Store that this release reads a version as it is stored."""
        ...


class IngestRuns(Protocol):
    """Runs of `citebound ingest`. Safe from many processes."""

    async def tell_of_interrupted(self) -> int:
        """Tell of what runs changed that ended without telling; return of how many policies.

        A run that goes on tells by itself, however long it takes. Where no officers are known, it
        is left to a process that knows some.
        """
        ...


class AboutPolicies(Protocol):
    """Reads facts about the policies themselves, within the scope of a question."""

    async def facts(self, keys: Collection[str], scope: Scope, /) -> tuple[PolicyFacts, ...]:
        """Return the policies of these keys that are in force in the scope, by key."""
        ...

    async def applying_to(self, role: str, scope: Scope, /) -> tuple[Applies, ...]:
        """Return the policies that apply to a role, each once: those that do as a whole first."""
        ...

    async def excerpts(self, key: str, scope: Scope, /) -> tuple[PolicyExcerpt, ...]:
        """Return the beginnings of a policy's sections that have text, in text order.

        Empty for a policy that does not exist or is not in force in the scope.
        """
        ...

    async def coming(self, spans: Sequence[Span], scope: Scope, /) -> list[ComingText]:
        """Return what versions that begin soon say otherwise than these quotes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChanged:
    """What an edition did to a policy."""

    edition: int
    """The edition."""
    published_at: datetime
    """When it was published, aware, UTC."""
    policy_key: str
    """The policy."""
    title: str
    """Its title, in the version that was added or withdrawn."""
    label: str | None
    """The label of that version; None if it has none."""
    became: Became
    """What was done."""
    url: str | None = None
    """Where that version can be opened; None if nowhere."""
