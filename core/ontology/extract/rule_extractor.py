"""Extract the facts of a document by rules: the extraction that needs no model."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from core.domain.ontology import EntityType, Extraction, RelationType
from core.domain.policy import Section
from core.language.spans import TextSpan
from core.ontology.extract.comparisons import Measure
from core.ontology.extract.entities import (
    Collector,
    fingerprint,
    heading_span,
    policy_entity,
    section_entity,
    shortened,
    slug,
    title_span,
)
from core.ontology.extract.measures import measures_of
from core.ontology.extract.norms import Norm, norms_of
from core.ontology.extract.references import find_references
from core.ontology.extract.role_relations import RoleRelation, role_relations_of
from core.ontology.extract.roles import OUTSIDE, RoleMention, abbreviations, find_roles
from core.ontology.extract.scope import (
    Supersession,
    applies_to,
    header_facts,
    jurisdiction_aliases,
    jurisdiction_name,
    jurisdictions,
    supersession_in,
    where_bound,
)
from core.ontology.extract.statements import Statement, clean, statements
from core.ontology.extract.terms import PROCESS_TITLE, definitions_of, named_things
from core.ports.extraction import BY_RULES, Extracted, SourceDocument

NORM_RELATION: Mapping[EntityType, RelationType] = {
    EntityType.OBLIGATION: RelationType.REQUIRES,
    EntityType.PROHIBITION: RelationType.PROHIBITS,
    EntityType.PERMISSION: RelationType.PERMITS,
}
"""The relation from a policy, or from whoever must act, to a norm."""
MEASURE_RELATION: Mapping[EntityType, RelationType] = {
    EntityType.THRESHOLD: RelationType.HAS_THRESHOLD,
    EntityType.DEADLINE: RelationType.HAS_DEADLINE,
}
"""The relation from a norm, or a section, to what limits it."""

_DUTIES = frozenset({EntityType.OBLIGATION, EntityType.PERMISSION})
_OF_THE_POLICY = re.compile(r"(?:policy )?(?:approved|authori[sz]ed) by\b", re.IGNORECASE)
"""The first cell of the row that says who approved a policy."""


class RuleExtractor:
    """See `core.ports.extraction.Extractor`."""

    rereads = False

    async def extract(self, document: SourceDocument, /) -> Extracted:
        """See `Extractor.extract`."""
        return Extracted(extraction=await asyncio.to_thread(extract, document), by=BY_RULES)


def extract(document: SourceDocument) -> Extraction:
    """Return the facts that the rules find in a document."""
    text = document.text
    if not text.strip():
        return Extraction(entities=(), relations=(), references=())
    reader = _Reader(document)
    reader.read_policy(document.jurisdiction)
    reader.read_sections(document.sections)
    for statement in statements(text, document.sections):
        reader.read(statement)
    return Extraction(
        entities=reader.collector.entities(),
        relations=reader.collector.relations(),
        references=find_references(text, document.sections),
    )


class _Reader:
    """Reads one document into a collector."""

    def __init__(self, document: SourceDocument) -> None:
        self.collector = Collector()
        self._text = document.text
        self._key = document.policy_key
        self._title = document.title
        self._policy = policy_entity(document.policy_key)
        self._known = abbreviations(clean(document.text))

    def read_policy(self, jurisdiction: str | None) -> None:
        """Add the policy, its jurisdiction, and the facts of its header."""
        span = title_span(self._text, self._title)
        facts = header_facts(self._text)
        self.collector.entity(
            self._policy,
            EntityType.POLICY,
            self._title,
            (span,),
            aliases=facts.aliases,
            attributes={"owner": facts.owner, "jurisdiction": jurisdiction or ""},
        )
        if jurisdiction:
            place = self._jurisdiction(jurisdiction, (span,))
            self.collector.relation(self._policy, RelationType.APPLIES_TO, place, (span,))

    def read_sections(self, sections: Sequence[Section]) -> None:
        """Add the sections, each part of the one above it or of the policy."""
        above: list[Section] = []
        for section in sections:
            while above and above[-1].level >= section.level:
                above.pop()
            span = heading_span(self._text, section)
            if span is None or not (section.number or section.title):
                continue
            name = " ".join(filter(None, (section.number, section.title))) or section.eid
            key = self._section_key(section)
            self.collector.entity(key, EntityType.SECTION, clean(name), (span,))
            parent = self._section_key(above[-1]) if above else self._policy
            self.collector.relation(key, RelationType.PART_OF, parent, (span,))
            if PROCESS_TITLE.search(section.title):
                process = f"process:{self._key}:{slug(section.title)}"
                self.collector.entity(process, EntityType.PROCESS, clean(section.title), (span,))
                self.collector.relation(process, RelationType.PART_OF, key, (span,))
            above.append(section)

    def read(self, statement: Statement) -> None:
        """Add the facts of one statement."""
        roles = {role.key: role for role in find_roles(statement.words, self._known)}
        for role in roles.values():
            if role.name not in OUTSIDE:  # else only where a rule binds them
                self._role(role, statement)
        norms = [self._norm(norm, statement) for norm in norms_of(statement, self._known)]
        rules = [(key, norm) for key, norm in norms if norm.type is not EntityType.EXCEPTION]
        subjects = [key for key, _ in rules]
        self._exempt(statement, norms, rules)
        holder = self._section_key(statement.section)
        links = tuple(role_relations_of(statement.sentence, self._known))
        self._measures(statement, rules, links, holder)
        self._links(statement, rules, links, holder)
        self._definitions(statement, holder)
        self._scope(statement, subjects)
        self._responsibilities(statement)
        for role in roles:
            for subject in subjects or [holder]:
                self.collector.relation(subject, RelationType.REFERENCES, role, (statement.span,))
        for thing in named_things(statement.words):
            key = f"{thing.type.value.casefold()}:{slug(thing.name, singular=True)}"
            self.collector.entity(key, thing.type, thing.name, statement.spans)
            for subject in subjects or [holder]:
                self.collector.relation(subject, RelationType.REFERENCES, key, (statement.span,))

    def _section_key(self, section: Section) -> str:
        """Return the entity of a section; what stands before the first heading is the policy's."""
        is_headed = bool(section.number or section.title)
        return section_entity(self._key, section.eid) if is_headed else self._policy

    def _role(self, role: RoleMention, statement: Statement, *, description: str = "") -> str:
        return self.collector.entity(
            role.key,
            EntityType.ROLE,
            role.name,
            (statement.span,),
            aliases=(role.short,) if role.short else (),
            description=description,
        )

    def _jurisdiction(self, code: str, spans: Sequence[TextSpan]) -> str:
        key = f"jurisdiction:{code.casefold()}"
        return self.collector.entity(
            key,
            EntityType.JURISDICTION,
            jurisdiction_name(code),
            spans,
            aliases=jurisdiction_aliases(code),
            attributes={"code": code},
        )

    def _norm(self, norm: Norm, statement: Statement) -> tuple[str, Norm]:
        """Add a norm with its actor and its section."""
        key = f"{norm.type.value.casefold()}:{self._key}:{fingerprint(norm.sentence)}"
        spans = statement.lead_ins if norm.is_of_lead_in else statement.spans
        self.collector.entity(
            key,
            norm.type,
            norm.sentence,
            spans,
            description=norm.sentence,
            attributes={
                "actor": ", ".join(actor.name for actor in norm.actors),
                "action": norm.action,
                "condition": norm.condition,
                "modality": norm.modality.value if norm.type is not EntityType.EXCEPTION else "",
                "sentence": norm.sentence,
                "lead_in": "" if norm.is_of_lead_in else statement.lead_in_words,
            },
        )
        holder = self._section_key(statement.section)
        self.collector.relation(key, RelationType.PART_OF, holder, spans)
        is_exception = norm.type is EntityType.EXCEPTION
        bound = [self._role(actor, statement) for actor in norm.actors]
        for role in bound:
            type_ = RelationType.EXEMPTS if is_exception else RelationType.APPLIES_TO
            self.collector.relation(key, type_, role, spans)
        if not is_exception:
            for source in bound or [self._policy]:
                self.collector.relation(source, NORM_RELATION[norm.type], key, spans)
        for code in where_bound(norm.sentence):
            place = self._jurisdiction(code, spans)
            self.collector.relation(key, RelationType.APPLIES_TO, place, spans)
        return key, norm

    def _exempt(
        self,
        statement: Statement,
        norms: Sequence[tuple[str, Norm]],
        rules: Sequence[tuple[str, Norm]],
    ) -> None:
        """Relate the exception of a sentence to its rule, where it has one rule and no lead-in.

        Of several, only a reader can say which it is an exception to: of 25 that people judged, 14
        were right.
        """
        if statement.lead_ins or len(rules) != 1:
            return
        for key, norm in norms:
            if norm.type is EntityType.EXCEPTION:
                self.collector.relation(key, RelationType.EXEMPTS, rules[0][0], statement.spans)

    def _measures(
        self,
        statement: Statement,
        rules: Sequence[tuple[str, Norm]],
        links: Sequence[RoleRelation],
        holder: str,
    ) -> None:
        """Add thresholds and deadlines, related to the norms they limit, or to the section.

        One in the clause of a norm is that norm's, whatever else the sentence says.
        """
        for measure in measures_of(statement):
            key = self._measure(measure, statement)
            relation = MEASURE_RELATION[measure.type]
            own = [rule for rule, norm in rules if _holds(norm, measure.at)]
            for subject in own or [rule for rule, _ in rules] or [holder]:
                self.collector.relation(subject, relation, key, statement.spans)
                if measure.comparison == "above" and measure.type is EntityType.THRESHOLD:
                    self.collector.relation(key, RelationType.TRIGGERS, subject, statement.spans)
            if measure.type is EntityType.DEADLINE:
                continue
            for link in links:
                role = self._role(link.role, statement)
                if link.type is RelationType.APPROVED_BY:
                    self.collector.relation(key, link.type, role, statement.spans)
            if statement.kind == "row":
                for role in _approvers(statement, self._known):
                    target = self._role(role, statement)
                    self.collector.relation(key, RelationType.APPROVED_BY, target, statement.spans)

    def _measure(self, measure: Measure, statement: Statement) -> str:
        mark = fingerprint(
            "|".join((statement.sentence, measure.value, measure.unit, measure.comparison))
        )
        return self.collector.entity(
            f"{measure.type.value.casefold()}:{self._key}:{mark}",
            measure.type,
            f"{measure.words}: {shortened(statement.sentence, 120)}",
            statement.spans,
            description=statement.description,
            attributes={
                "kind": measure.kind,
                "value": measure.value,
                "unit": measure.unit,
                "comparison": measure.comparison,
                "sentence": statement.sentence,
            },
        )

    def _links(
        self,
        statement: Statement,
        rules: Sequence[tuple[str, Norm]],
        links: Sequence[RoleRelation],
        holder: str,
    ) -> None:
        """Relate norms, and sections that order a report, to who approves them or hears of them.

        What another sentence without a rule says of an approval or a report is not said of its
        whole section: of 24 such relations that people judged, 11 were right.
        """
        before = len(statement.sentence) - len(statement.words)
        for link in links:
            role = self._role(link.role, statement)
            at = link.role.start - before
            is_approval = link.type is RelationType.APPROVED_BY
            may_have = [one for one in rules if is_approval or one[1].type in _DUTIES]
            own = [rule for rule, norm in may_have if _holds(norm, at)]
            if statement.kind == "row" and _OF_THE_POLICY.match(statement.cells[0].text):
                self.collector.relation(self._policy, link.type, role, statement.spans)
                continue
            # What introduces a rule of its own says so of others.
            others = [rule for rule, norm in may_have if at >= 0 or norm.clause is None]
            for subject in own or others:
                self.collector.relation(subject, link.type, role, statement.spans)

    def _responsibilities(self, statement: Statement) -> None:
        """Add what a role does from a table of responsibilities."""
        if len(statement.cells) > 1 and "role" in statement.cells[0].header:
            duties = " ".join(cell.text for cell in statement.cells[1:])
            for role in find_roles(statement.cells[0].text, self._known)[:1]:
                self._role(role, statement, description=duties)

    def _definitions(self, statement: Statement, holder: str) -> None:
        for definition in definitions_of(statement):
            key = self.collector.entity(
                f"definition:{self._key}:{slug(definition.term, singular=True)}",
                EntityType.DEFINITION,
                definition.term,
                statement.spans,
                aliases=definition.aliases,
                description=statement.description,
                attributes={"term": definition.term, "meaning": definition.meaning},
            )
            self.collector.relation(holder, RelationType.DEFINES, key, statement.spans)

    def _scope(self, statement: Statement, norms: Sequence[str]) -> None:
        """Add whom and where the policy applies to, and what it replaces."""
        if applies_to(statement) and not norms:
            for role in find_roles(statement.words, self._known):
                target = self._role(role, statement)
                self.collector.relation(
                    self._policy, RelationType.APPLIES_TO, target, statement.spans
                )
            for code in jurisdictions(statement.words):
                place = self._jurisdiction(code, statement.spans)
                self.collector.relation(
                    self._policy, RelationType.APPLIES_TO, place, statement.spans
                )
        replaced = supersession_in(statement)
        if isinstance(replaced, Supersession):
            name = replaced.title or f"{self._title} {replaced.version}".strip()
            older = self.collector.entity(
                f"policy:{slug(name)}", EntityType.POLICY, name, statement.spans
            )
            self.collector.relation(self._policy, RelationType.SUPERSEDES, older, statement.spans)


def _holds(norm: Norm, at: int) -> bool:
    """Return whether a place in the statement's words is in the clause of a norm."""
    clause = norm.clause
    return clause is not None and clause.char_start <= at < clause.char_end


def _approvers(statement: Statement, known: Mapping[str, str]) -> list[RoleMention]:
    """Return the approvers in the columns of a table."""
    return [
        role
        for cell in statement.cells
        if "approv" in cell.header or "authori" in cell.header
        for role in find_roles(cell.text, known)
    ] or [
        role
        for cell in statement.cells[:1]
        if any("approv" in other.header for other in statement.cells[1:])
        for role in find_roles(cell.text, known)
    ]
