"""The ontology: entities and relations in the deontic vocabulary.

Each with the text it was read from.

Entity and relation names follow LegalRuleML's deontic terms, so that people of the field recognise
them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import NewType, TypeAlias

from core.language.lead_ins import LeadIn
from core.language.spans import Span, TextSpan

EntityKey = NewType("EntityKey", str)
"""Stable identity of an entity: `policy:gifts`, `section:gifts:sec_4.2`, `role:compliance-officer`,
`obligation:gifts:9f2c41d7a0b3` (12 hex digits of the SHA-256 of the sentence, white space
folded)."""

Attributes: TypeAlias = Mapping[str, str]
"""Plain facts about an entity or relation; the names are listed at `EntityType` and
`RelationType`."""


class EntityType(StrEnum):
    """What an entity is, with the attributes that extraction fills.

    Norms (obligation, prohibition, permission, exception): `actor`, `action`, `condition`,
    `modality`, `sentence`.
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
        written = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(written.encode()).digest()


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
    """Page of the span's first character, from 1; None if the format has no pages."""
    path: tuple[str, ...] = ()
    """Headings from the outermost to the section's own, each "number title"."""


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
