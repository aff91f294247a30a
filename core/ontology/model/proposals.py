"""Check the facts that a model proposes for a section against its text.

Pure, and fails closed: whatever can't be found in the text is rejected, and counted by reason.

- Keys, names and spans are those that the rules would give, so that both yield the same entity.
- A relation is kept if one sentence mentions both ends, and their types fit the relation.
- A fact that the rules did not find is related to its section and to whom it binds, as theirs are.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.domain.ontology import (
    NORMS,
    EntityKey,
    EntityType,
    ExtractedEntity,
    ExtractedRelation,
    RelationType,
)
from core.domain.proposals import ProposedEntity, ProposedFacts, ProposedRelation
from core.language.spans import TextSpan
from core.ontology.extract.entities import find_name, policy_entity, section_entity
from core.ontology.extract.roles import find_roles
from core.ontology.extract.rule_extractor import MEASURE_RELATION, NORM_RELATION
from core.ontology.model.proposed_entities import EntityReader
from core.ontology.model.quotes import Quoted, QuoteFinder, Rejection, SectionPart

SECTION_END = "section"
"""The id of the section itself, as an end of a relation."""
POLICY_END = "policy"
"""The id of the policy, as an end of a relation."""

_Types = frozenset[EntityType]

_TARGETS: Mapping[RelationType, _Types] = {
    RelationType.REQUIRES: frozenset({EntityType.OBLIGATION}),
    RelationType.PROHIBITS: frozenset({EntityType.PROHIBITION}),
    RelationType.PERMITS: frozenset({EntityType.PERMISSION}),
    RelationType.APPLIES_TO: frozenset(
        {
            EntityType.ROLE,
            EntityType.JURISDICTION,
            EntityType.PROCESS,
            EntityType.SYSTEM,
            EntityType.RECORD,
        }
    ),
    RelationType.ESCALATES_TO: frozenset({EntityType.ROLE}),
    RelationType.APPROVED_BY: frozenset({EntityType.ROLE}),
    RelationType.REPORTS_TO: frozenset({EntityType.ROLE}),
    RelationType.DEFINES: frozenset({EntityType.DEFINITION}),
    RelationType.PART_OF: frozenset({EntityType.POLICY, EntityType.SECTION, EntityType.PROCESS}),
    RelationType.SUPERSEDES: frozenset({EntityType.POLICY}),
    RelationType.HAS_THRESHOLD: frozenset({EntityType.THRESHOLD}),
    RelationType.HAS_DEADLINE: frozenset({EntityType.DEADLINE}),
}
"""Types of each relation's target; any type for relations that are missing."""
_SOURCES: Mapping[RelationType, _Types] = {
    RelationType.EXEMPTS: frozenset({EntityType.EXCEPTION, EntityType.PERMISSION}),
    RelationType.SUPERSEDES: frozenset({EntityType.POLICY}),
    RelationType.TRIGGERS: frozenset(
        {EntityType.THRESHOLD, EntityType.DEADLINE, EntityType.RISK, EntityType.PROCESS} | NORMS
    ),
}
"""Types of each relation's source; any type for relations that are missing."""
_WORDS: Mapping[RelationType, re.Pattern[str]] = {
    type_: re.compile(pattern, re.IGNORECASE)
    for type_, pattern in (
        (RelationType.SUPERSEDES, r"supersed|replac|repeal"),
        (
            RelationType.APPROVED_BY,
            r"approv|authori[sz]|consent|sign(?:s|ed)?[ -]?off|clear|permission|releas|grant",
        ),
        (
            RelationType.ESCALATES_TO,
            r"escalat|refer|forward|submit|inform|notif|rais|report|pass(?:es|ed)? ",
        ),
        (
            RelationType.REPORTS_TO,
            r"report|notif|inform|disclos|tell|told|submit|declar|answer|contact",
        ),
    )
}
"""Words required for a relation that says whom to turn to, or what no longer applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFacts:
    """The proposals for one part of a section that passed the checks."""

    entities: tuple[ExtractedEntity, ...]
    """Each key once."""
    relations: tuple[ExtractedRelation, ...]
    """Their ends are in `entities`, or are the section or the policy."""
    default_relations: Mapping[EntityKey, tuple[ExtractedRelation, ...]]
    """Relations of each entity that the rules would add, for entities that they did not find."""
    dropped: Mapping[str, int]
    """Number of rejected proposals by reason; reasons that did not occur are missing."""


def check(
    proposed: ProposedFacts,
    text: str,
    part: SectionPart,
    *,
    policy_key: str,
    abbreviations: Mapping[str, str],
) -> CheckedFacts:
    """Check proposals against the text. Never raises, whatever is proposed.

    Args:
        proposed: what the model wrote.
        text: the whole document.
        part: the part that the model was shown.
        policy_key: identity of the policy.
        abbreviations: short forms of roles with their full names, as the document uses them.
    """
    checker = _Checker(text, part, policy_key=policy_key, abbreviations=abbreviations)
    for entity in proposed.entities:
        checker.entity(entity)
    for relation in proposed.relations:
        checker.relation(relation)
    return checker.result()


class _Checker:
    """Collects what the text supports."""

    def __init__(
        self, text: str, part: SectionPart, *, policy_key: str, abbreviations: Mapping[str, str]
    ) -> None:
        self._finder = QuoteFinder(text, part)
        self._reader = EntityReader(
            self._finder, policy_key=policy_key, abbreviations=abbreviations
        )
        self._known = abbreviations
        self._policy = EntityKey(policy_entity(policy_key))
        self._section = EntityKey(section_entity(policy_key, part.section.eid))
        self._by_id: dict[str, ExtractedEntity] = {}
        self._relations: list[ExtractedRelation] = []
        self._dropped: Counter[str] = Counter()

    def entity(self, proposed: ProposedEntity) -> None:
        """Keep an entity, or count its rejection."""
        if proposed.id in {*self._by_id, SECTION_END, POLICY_END}:
            self._dropped[Rejection.REPEATED_ID] += 1
            return
        found = self._reader.read(proposed)
        if isinstance(found, Rejection):
            self._dropped[found] += 1
            return
        self._by_id[proposed.id] = found
        lost = len(set(proposed.aliases) - {proposed.name}) - len(found.aliases)
        if found.type in {EntityType.ROLE, EntityType.SYSTEM, EntityType.RECORD} and lost > 0:
            self._dropped[Rejection.ALIAS_NOT_SAID] += lost

    def relation(self, proposed: ProposedRelation) -> None:
        """Keep a relation, or count its rejection."""
        found = self._checked(proposed)
        if isinstance(found, Rejection):
            self._dropped[found] += 1
        else:
            self._relations.append(found)

    def result(self) -> CheckedFacts:
        """Return all that was kept."""
        entities: dict[EntityKey, ExtractedEntity] = {}
        for entity in self._by_id.values():
            entities.setdefault(entity.key, entity)
        return CheckedFacts(
            entities=tuple(entities.values()),
            relations=tuple(self._relations),
            default_relations={
                key: tuple(self._default_relations(entity)) for key, entity in entities.items()
            },
            dropped=dict(sorted(self._dropped.items())),
        )

    def _checked(self, proposed: ProposedRelation) -> ExtractedRelation | Rejection:
        if proposed.type not in list(RelationType):
            return Rejection.UNKNOWN_TYPE
        type_ = RelationType(proposed.type)
        keys = {SECTION_END: self._section, POLICY_END: self._policy}
        source, target = self._by_id.get(proposed.source), self._by_id.get(proposed.target)
        source_key = source.key if source else keys.get(proposed.source)
        target_key = target.key if target else keys.get(proposed.target)
        if source_key is None or target_key is None or source_key == target_key:
            return Rejection.UNKNOWN_END
        if not fits(type_, _type_of(source, proposed.source), _type_of(target, proposed.target)):
            return Rejection.WRONG_ENDS
        spans = self._spans(type_, proposed.quote, [end for end in (source, target) if end])
        if isinstance(spans, Rejection):
            return spans
        return ExtractedRelation(source=source_key, type=type_, target=target_key, spans=spans)

    def _spans(
        self, type_: RelationType, quote: str, ends: Sequence[ExtractedEntity]
    ) -> tuple[TextSpan, ...] | Rejection:
        """Return the spans in which the text states the relation."""
        quoted = self._finder.find(quote, is_rule=True)
        if isinstance(quoted, Rejection):
            return quoted
        if not all(self._is_said(end, quoted) for end in ends):
            return Rejection.ENDS_NOT_IN_QUOTE
        if type_ in _WORDS and not _WORDS[type_].search(quoted.description):
            return Rejection.RELATION_NOT_SAID
        return quoted.spans

    def _is_said(self, end: ExtractedEntity, quoted: Quoted) -> bool:
        """Return whether a sentence mentions an entity."""
        if any(_overlap(one, other) for one in end.spans for other in quoted.spans):
            return True
        if end.type is EntityType.ROLE:
            roles = find_roles(quoted.sentence, self._known)
            if end.key in {role.key for role in roles}:
                return True
        is_named = end.type not in NORMS | set(MEASURE_RELATION)
        return is_named and find_name(end.name, quoted.sentence) is not None

    def _default_relations(self, entity: ExtractedEntity) -> Iterator[ExtractedRelation]:
        """Yield the relations of an entity to its section, and of a rule to whom it binds."""
        has_source = any(relation.target == entity.key for relation in self._relations)
        if entity.type in NORMS:
            yield _joined(entity.key, RelationType.PART_OF, self._section, entity)
            if entity.type in NORM_RELATION and not has_source:
                roles = find_roles(entity.attributes.get("actor", ""), self._known)
                source = EntityKey(roles[0].key) if roles else self._policy
                yield _joined(source, NORM_RELATION[entity.type], entity.key, entity)
        elif entity.type in MEASURE_RELATION:
            if not has_source:
                type_ = MEASURE_RELATION[entity.type]
                yield _joined(self._section, type_, entity.key, entity)
        elif entity.type is EntityType.DEFINITION:
            yield _joined(self._section, RelationType.DEFINES, entity.key, entity)
        else:
            yield _joined(self._section, RelationType.REFERENCES, entity.key, entity)


def fits(type_: RelationType, source: EntityType, target: EntityType) -> bool:
    """Return whether a relation may have ends of these types."""
    return (
        source in _SOURCES.get(type_, frozenset(EntityType))
        and target in _TARGETS.get(type_, frozenset(EntityType))
        and (type_ is not RelationType.PART_OF or source is not EntityType.POLICY)
    )


def _type_of(entity: ExtractedEntity | None, named: str) -> EntityType:
    if entity is not None:
        return entity.type
    return EntityType.SECTION if named == SECTION_END else EntityType.POLICY


def _joined(
    source: EntityKey, type_: RelationType, target: EntityKey, said: ExtractedEntity
) -> ExtractedRelation:
    return ExtractedRelation(source=source, type=type_, target=target, spans=said.spans)


def _overlap(one: TextSpan, other: TextSpan) -> bool:
    return one.char_start < other.char_end and other.char_start < one.char_end
