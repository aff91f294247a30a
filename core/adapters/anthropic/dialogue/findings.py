"""Facts of the ontology as findings: what was shown to the model and may be cited.

A finding is an entity with one of its spans. A span that only a relation has belongs to an entity
that has it too, if there is one; else it is no finding, and is not shown as citable. Policies and
sections state nothing: what stands there is a heading.
"""

from collections.abc import Iterable, Mapping, Sequence

from core.agent.planning.facts import findings_of
from core.domain.evidence import Context, Finding
from core.domain.ontology import Entity, EntityKey, EntityType, RelationType, Snapshot
from core.domain.run import Json
from core.language.spans import Span, VersionId
from core.ontology.fact_words import NAMING, STATED
from core.ontology.tools.tool_results import is_statement
from core.ontology.whole_rule import context_of
from core.ports import Knowledge

NEAR = 3
"""Findings whose neighbourhood is read ahead."""
JOINED = 6
"""Neighbours read ahead at most."""
_HEADINGS = frozenset({EntityType.POLICY, EntityType.SECTION})
_FACTS = frozenset(EntityType) - _HEADINGS
_LOOSE = frozenset({RelationType.PART_OF, RelationType.REFERENCES})


class Findings:
    """Findings of one run, each span once, in the order in which they were established."""

    def __init__(self, knowledge: Knowledge) -> None:
        """Begin with none."""
        self._knowledge = knowledge
        self._found: dict[Span, Finding] = {}
        self._context: dict[Span, Context] = {}

    @property
    def all(self) -> tuple[Finding, ...]:
        """All findings."""
        return tuple(self._found.values())

    @property
    def context(self) -> tuple[Context, ...]:
        """What was shown beside the findings, as it belongs to their rules."""
        return tuple(self._context.values())

    async def complete(self) -> tuple[Context, ...]:
        """Add what belongs to the rules of the findings, and return what is new of it."""
        belonging = await context_of(self.all, self._knowledge)
        new = {
            one.span: one
            for one in belonging
            if one.span not in self._context and one.span not in self._found
        }
        self._context |= new
        return tuple(new.values())

    def extend(self, found: Iterable[Finding]) -> None:
        """Add what was found elsewhere, as far as it states something."""
        for finding in found:
            if is_statement(finding.text, finding.place):
                self._found.setdefault(finding.span, finding)

    async def read(self, evidence: Sequence[Json]) -> list[Finding]:
        """Add the items of a tool's evidence that are facts of an entity, and return them."""
        told = {span: key for item in evidence for span, key in _told(item)}
        if not told:
            return []
        part = await self._knowledge.touching(told.keys(), _FACTS, ends=NAMING)
        named = {entity.key: entity for entity in part.entities}
        owners = {
            span: named[key].key
            if key in named and span in named[key].spans
            else _owner(span, part)
            for span, key in told.items()
        }
        stated = {span: key for span, key in owners.items() if key and part.quotes.get(span)}
        self.extend(findings_of(stated, part))
        return [self._found[span] for span in stated if span in self._found]

    async def join(self) -> None:
        """Add what a relation joins to the nearest findings: exceptions, limits, deadlines."""
        near = {finding.entity for finding in self.all[:NEAR]}
        part = await self._knowledge.entities(near, ends=STATED)
        known = {entity.key: entity for entity in part.entities}
        wanted: dict[Span, EntityKey] = {}
        for relation in part.relations:
            other = relation.target if relation.source in near else relation.source
            entity = known.get(other)
            if relation.type in _LOOSE or entity is None or entity.type not in STATED:
                continue
            span = entity.spans[0]
            if span not in self._found and len(wanted) < JOINED and part.quotes.get(span):
                wanted.setdefault(span, entity.key)
        if wanted:
            joined = await self._knowledge.entities(
                set(wanted.values()), at=wanted.keys(), ends=NAMING
            )
            self.extend(findings_of(wanted, joined))


def span_of(item: Json) -> Span | None:
    """Return the span of an item of a tool's evidence; None if it has none."""
    if not isinstance(item, Mapping):
        return None
    version, start, end = (item.get(name) for name in ("version_id", "char_start", "char_end"))
    if not (isinstance(version, int) and isinstance(start, int) and isinstance(end, int)):
        return None
    return Span(version_id=VersionId(version), char_start=start, char_end=end)


def _told(item: Json) -> Iterable[tuple[Span, EntityKey]]:
    """Yield the span of an item of evidence, with the entity that it is given for."""
    span = span_of(item)
    if span is not None and isinstance(item, Mapping):
        yield span, EntityKey(str(item.get("entity")))


def _owner(span: Span, part: Snapshot) -> EntityKey | None:
    """Return the entity that a span belongs to: one that answers by itself, if there is one."""
    own: Sequence[Entity] = [
        entity for entity in part.entities if entity.type in _FACTS and span in entity.spans
    ]
    stated = [entity for entity in own if entity.type in STATED]
    return stated[-1].key if stated else own[0].key if own else None
