"""What a draft may cite: findings of the ontology and chunks of the corpus, keyed c1..cn."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.domain.ontology import EntityKey, SectionRef
from core.domain.policy import ChunkKey
from core.language.lead_ins import LeadIn
from core.language.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An ontology fact that exploring established, with its span."""

    entity: EntityKey
    """The entity it is about."""
    span: Span
    """Where it is said."""
    text: str
    """The stored text of the span."""
    place: SectionRef
    """Where the span lies."""
    roles: tuple[str, ...] = ()
    """Names of roles and jurisdictions that the ontology joins to the entity."""
    lead_in: LeadIn | None = None
    """What introduces it if it is a list item or a table row; None if it stands by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A sentence of a finding's section that completes or limits it.

    An exception, a condition, or another item of its list.
    """

    span: Span
    """Where it is said."""
    text: str
    """The stored text of the span."""
    place: SectionRef
    """The section, which is the finding's."""
    lead_in: LeadIn | None = None
    """See `Finding`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedChunk:
    """A chunk found by search, or reached from one by a cross-reference."""

    chunk_key: ChunkKey
    """Identity of the row."""
    chunk_id: str
    """Identity that people read."""
    span: Span
    """Where the chunk lies."""
    text: str
    """The stored text of the span."""
    place: SectionRef
    """The section the chunk lies in."""
    lexical_score: float
    """BM25 divided by the question's highest possible (every term saturated), in [0, 1]; 0 without
    a common term."""
    dense_score: float | None
    """Cosine to the question in [-1, 1], in a space on which relevance was fitted; else None."""
    score: float
    """What the ranking used: the fused score; for a neighbour that of the chunk that led to it."""
    relevance: float
    """Calibrated relevance in [0, 1]."""
    via: ChunkKey | None = None
    """The hit whose cross-reference led here; None for a hit of its own."""
    coverage: float = 0.0
    """Share of the question's words, by idf, that the chunk has, in [0, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceItem:
    """One citable stretch of a policy version."""

    key: str
    """`c1`, `c2`, ..."""
    kind: Literal["finding", "context", "chunk", "metadata"]
    """Where it comes from: the ontology, the section of what the ontology has, a search, or what is
    stored of a policy beside its text, of which the heading stands here."""
    span: Span
    """Where it lies."""
    text: str
    """The stored text of the span."""
    place: SectionRef
    """Where it is, as people say it."""
    relevance: float | None
    """Calibrated relevance in [0, 1]; None for a finding, which was never searched for."""
    roles: tuple[str, ...] = ()
    """Names of roles and jurisdictions that the ontology joins to it."""
    lead_in: LeadIn | None = None
    """What introduces it, to be cited with it under its key; see `Finding`."""
    chunk_id: str | None = None
    """The chunk's identity; None for a finding."""
    lexical_score: float | None = None
    """See `RetrievedChunk`; None for what no search found."""
    dense_score: float | None = None
    """See `RetrievedChunk`; None for a finding, and without an embedder."""

    def holds(self, span: Span) -> bool:
        """Say whether a span may be cited under this key: within it, or what introduces it."""
        leads = self.lead_in.chain if self.lead_in else ()
        return any(is_within(span, own) for own in (self.span, *(one.span for one in leads)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a draft may cite."""

    items: tuple[EvidenceItem, ...]
    """In order of their keys; no key and no (kind, span) twice."""

    def get(self, key: str) -> EvidenceItem | None:
        """Return the item with this key, or None."""
        return next((item for item in self.items if item.key == key), None)

    def with_chunks(self, chunks: Iterable[RetrievedChunk]) -> "Evidence":
        """Return the evidence with more chunks behind what there is, whose keys stay."""
        items = list(self.items)
        seen = {item.span for item in items if item.kind == "chunk"}
        for chunk in chunks:
            if chunk.span in seen:
                continue
            seen.add(chunk.span)
            items.append(
                EvidenceItem(
                    key=f"c{len(items) + 1}",
                    kind="chunk",
                    span=chunk.span,
                    text=chunk.text,
                    place=chunk.place,
                    relevance=chunk.relevance,
                    chunk_id=chunk.chunk_id,
                    lexical_score=chunk.lexical_score,
                    dense_score=chunk.dense_score,
                )
            )
        return Evidence(items=tuple(items))


def is_within(span: Span, outer: Span) -> bool:
    """Say whether a span lies within another one."""
    return (
        span.version_id == outer.version_id
        and outer.char_start <= span.char_start < span.char_end <= outer.char_end
    )
