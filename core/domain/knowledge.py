"""What is asked of the ontology, and what it answers, where it is read piece by piece."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.ontology import EntityKey, EntityType, RelationType, Snapshot
from core.language.spans import Span, VersionId

POLICIES = 80
"""Policies that an outline names at most."""
NAMES = 60
"""Names of one type that an outline gives at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much there is of an edition for a scope."""

    edition: int
    """The edition."""
    facts: int
    """Entities, those that several policies name counted once for each."""
    sections: int
    """Sections of which anything is known."""
    countries: frozenset[str | None]
    """ISO 3166 codes of the policies; None if any policy holds everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What an edition covers, bounded, in an order that no query decides."""

    edition: int
    """The edition."""
    policies: tuple[tuple[str, str], ...]
    """Title and country (empty: everywhere) of the first `POLICIES`, in alphabetical order."""
    policies_in_all: int
    """Different titles and countries in all."""
    counts: Mapping[EntityType, int]
    """Entities of each type present."""
    names: Mapping[EntityType, tuple[str, ...]]
    """The first `NAMES` names of definitions, roles and jurisdictions, in alphabetical order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A word of a question, as facts are found by it."""

    words: frozenset[str]
    """Its stem and those that may stand for it; one of them is enough."""
    beginning: str
    """The letters that a stem may begin with instead; empty: none."""
    weight: int
    """How telling it is, above 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact where a policy states it, by its words alone."""

    entity: EntityKey
    """The fact."""
    span: Span
    """Where it is stated."""
    sentence: frozenset[str]
    """Stems of the statement."""
    heading: frozenset[str]
    """Stems of the section's heading and of the one above it."""
    title: frozenset[str]
    """Stems of the policy's title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionText:
    """A section's text, or of a long one what is near the places that were asked for."""

    version_id: VersionId
    """The version."""
    eid: str
    """The section."""
    char_start: int
    """Where the text begins, in code points of the version's text."""
    text: str
    """The stored text."""
    body_start: int | None
    """Where the section's body begins in `text`, after the heading; None: the text begins amid the
    body, and its first sentence may not be whole."""
    is_cut: bool
    """True if the section goes on: the last sentence may not be whole."""

    def holds(self, span: Span) -> bool:
        """Say whether a span begins in the text."""
        end = self.char_start + len(self.text)
        return span.version_id == self.version_id and self.char_start <= span.char_start < end


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The first of a list of entities."""

    part: Snapshot
    """The first ones, in order."""
    count: int
    """How many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Entities found by words, best first."""

    part: Snapshot
    """The entities, in order."""
    scores: Mapping[EntityKey, float]
    """Share of the words looked for that each has, in (0, 1], names weighing more than text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The first of what is joined to an entity."""

    part: Snapshot
    """The entity first, then the other ends, and the first relations in order: outgoing ones before
    incoming ones."""
    entities: int
    """How many other ends there are."""
    relations: int
    """How many relations there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Chains of relations between two entities."""

    part: Snapshot
    """The entities on them."""
    chains: tuple[tuple[tuple[EntityKey, RelationType, EntityKey], ...], ...]
    """Source, type and target of each step, the shortest chain first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """The first of what policies, or a section of theirs, state."""

    part: Snapshot
    """The first facts, in text order."""
    counts: Mapping[EntityType, int]
    """How many facts there are of each type."""
