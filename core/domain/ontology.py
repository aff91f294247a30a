"""The ontology: entities and relations, each with the text it was read from, and how it is queried.

Names of entities and relations follow LegalRuleML's deontic terms, which people of the field know.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from typing import Any, Literal, NewType, TypeAlias

from core.language.lead_ins import LeadIn
from core.language.spans import Span, TextSpan, VersionId

EntityKey = NewType("EntityKey", str)
"""Stable identity of an entity: `policy:gifts`, `section:gifts:sec_4.2`, `role:compliance-officer`,
`obligation:gifts:9f2c41d7a0b3` (12 hex digits of the SHA-256 of the sentence, white space
folded)."""

Attributes: TypeAlias = Mapping[str, str]
"""Plain facts about an entity or relation; the names are listed at `EntityType` and
`RelationType`."""


class EntityType(StrEnum):
    """What an entity is, with the attributes that extraction fills.

    Norms (obligation, prohibition, permission, exception): `modality`, `sentence`, `lead_in`, which
    are the rule; `actor` (several: with commas), `action` and `condition` only where the sentence
    is so plain that it has but one reading.
    Definition: `term`, `meaning`. Threshold: `kind` (amount, percentage, count), `value`, `unit`
        (currency or thing),
    `comparison` (at_most, at_least, above, below, exactly), `sentence`. Deadline: `value`, `unit`
    (hour, day,
    business day, week, month, year, date), `comparison` (within, after, before, for, every),
    `sentence`.
    """

    POLICY = "Policy"
    SECTION = "Section"
    OBLIGATION = "Obligation"
    PROHIBITION = "Prohibition"
    PERMISSION = "Permission"
    EXCEPTION = "Exception"
    DEFINITION = "Definition"
    ROLE = "Role"
    PROCESS = "Process"
    THRESHOLD = "Threshold"
    DEADLINE = "Deadline"
    JURISDICTION = "Jurisdiction"
    RECORD = "Record"
    SYSTEM = "System"
    RISK = "Risk"


NORMS = frozenset(
    {EntityType.OBLIGATION, EntityType.PROHIBITION, EntityType.PERMISSION, EntityType.EXCEPTION}
)
"""The types that tell somebody what to do."""


class RelationType(StrEnum):
    """How two entities are joined, source to target."""

    REQUIRES = "requires"
    PROHIBITS = "prohibits"
    PERMITS = "permits"
    APPLIES_TO = "applies_to"
    TRIGGERS = "triggers"
    ESCALATES_TO = "escalates_to"
    APPROVED_BY = "approved_by"
    REPORTS_TO = "reports_to"
    EXEMPTS = "exempts"
    DEFINES = "defines"
    REFERENCES = "references"
    PART_OF = "part_of"
    SUPERSEDES = "supersedes"
    HAS_THRESHOLD = "has_threshold"
    HAS_DEADLINE = "has_deadline"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedEntity:
    """An entity read from one document, before it is stored."""

    key: EntityKey
    """Stable identity; the same key in two documents is the same entity (roles, jurisdictions,
    systems)."""
    type: EntityType
    """What it is."""
    name: str
    """As shown to people, at most 160 characters."""
    aliases: tuple[str, ...] = ()
    """Other names in use ("CCO")."""
    description: str = ""
    """A sentence about it, from the text."""
    attributes: Attributes = field(default_factory=dict[str, str])
    """See `EntityType`."""
    spans: tuple[TextSpan, ...] = ()
    """Where the document says so; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedRelation:
    """A relation read from one document, before it is stored."""

    source: EntityKey
    """Where it starts."""
    type: RelationType
    """What it means."""
    target: EntityKey
    """Where it ends."""
    attributes: Attributes = field(default_factory=dict[str, str])
    """Plain facts about the relation."""
    spans: tuple[TextSpan, ...] = ()
    """Where the document says so; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossReference:
    """A place that points to another section or policy, as written; resolving is a later step."""

    span: TextSpan
    """The words of the reference ("section 4.2 of the Gifts Policy")."""
    section_ordinal: int
    """The section that contains them."""
    policy: str | None
    """The other policy as written, without an article ("Gifts Policy", "GEN", "COMP-002"); None:
    the same policy."""
    number: str | None
    """The section number as written ("4.2", "9.3.1(2)", "Annex A"); None: the policy as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """All that extraction read from one document."""

    entities: tuple[ExtractedEntity, ...]
    """Each key once."""
    relations: tuple[ExtractedRelation, ...]
    """Each (source, type, target) once; both ends are among `entities`."""
    references: tuple[CrossReference, ...]
    """In text order."""

    def sha256(self) -> bytes:
        """Return a hash of all of it: the same facts in the same order have the same."""
        written = json.dumps(self, default=_fields_of, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode()).digest()


def _fields_of(value: Any) -> dict[str, object]:
    """Return the fields of a value: `asdict` copies everything below, too, which takes seconds."""
    kind: type[Any] = value.__class__
    return {name: getattr(value, name) for name in _names_of(kind)}


@cache
def _names_of(kind: type[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A stored entity, seen from one scope: only spans of versions that the scope may read."""

    key: EntityKey
    """Stable identity."""
    type: EntityType
    """What it is."""
    name: str
    """As shown to people."""
    aliases: tuple[str, ...]
    """Other names in use."""
    description: str
    """A sentence about it."""
    attributes: Attributes
    """See `EntityType`."""
    spans: tuple[Span, ...]
    """Where it is said; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A stored relation, seen from one scope."""

    source: EntityKey
    """Where it starts."""
    type: RelationType
    """What it means."""
    target: EntityKey
    """Where it ends."""
    attributes: Attributes
    """Plain facts about the relation."""
    spans: tuple[Span, ...]
    """Where it is said; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionRef:
    """Where a span lies, as a person would say it."""

    policy_key: str
    """The policy."""
    policy_title: str
    """The policy's title."""
    version_label: str | None
    """The version as its owner calls it."""
    jurisdiction: str | None
    """ISO 3166 code of the policy; None where it holds everywhere."""
    eid: str
    """Identity of the section within the version."""
    number: str | None
    """The section's number as printed."""
    title: str
    """The section's heading."""
    page: int | None
    """Page, slide or row of the span's first character, from 1; None if the format has none."""
    path: tuple[str, ...] = ()
    """Headings from the outermost to the section's own, each "number title"."""

    @property
    def page_kind(self) -> "PageKind":
        """What `page` counts."""
        return page_kind(self.eid)


PageKind: TypeAlias = Literal["page", "slide", "row"]


def page_kind(eid: str) -> PageKind:
    """Return what the pages of a section are: of a deck slides, of a workbook rows of a sheet."""
    container = eid.partition("_")[0]
    return "slide" if container == "slide" else "row" if container == "sheet" else "page"


def page_name(eid: str, page: int | None) -> str:
    """Return a page as people call it: "page 4", "slide 4", "row 7 of the sheet"; empty: none."""
    kind = page_kind(eid)
    return f"{kind} {page}{' of the sheet' if kind == 'row' else ''}" if page else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The ontology of one edition as one scope may see it, with the sentences behind it."""

    edition: int
    """The edition."""
    entities: tuple[Entity, ...]
    """All entities with a readable span."""
    relations: tuple[Relation, ...]
    """All relations whose ends are among `entities`."""
    quotes: Mapping[Span, str]
    """The stored text of each span of an entity or relation."""
    places: Mapping[Span, SectionRef]
    """Where each of these spans lies."""
    lead_ins: Mapping[Span, LeadIn] = field(default_factory=dict[Span, LeadIn])
    """What introduces those of them that are list items or table rows."""


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
class SoughtWord:
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
class SectionPassage:
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
class EntityList:
    """The first of a list of entities."""

    part: Snapshot
    """The first ones, in order."""
    count: int
    """How many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityMatches:
    """Entities found by words, best first."""

    part: Snapshot
    """The entities, in order."""
    scores: Mapping[EntityKey, float]
    """Share of the words looked for that each has, in (0, 1], names weighing more than text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
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
