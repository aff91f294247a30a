"""The rules of an edition within a scope, as far as contradictions are sought among them.

A fraction of the whole ontology, which would take seconds and hundreds of megabytes to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.scope import LIVE, page_of, scope_parameters, section_ref
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.ontology.fact_index import index_missing
from core.adapters.postgres.ontology.ontology_parts import entities_of, relations_of, span_of
from core.domain.ontology import (
    EntityKey,
    EntityType,
    RelationType,
    SectionRef,
    Snapshot,
)
from core.domain.question import Scope
from core.language.spans import Span
from core.ontology.graphs.conflicts import gives_way

_TYPES = (
    EntityType.OBLIGATION,
    EntityType.PROHIBITION,
    EntityType.PERMISSION,
    EntityType.THRESHOLD,
    EntityType.DEADLINE,
    EntityType.JURISDICTION,
)
_VERSIONS = text(f"""
SELECT v.id, p.key, v.title, v.label, v.jurisdiction, v.page_starts, v.text, i.gives_way
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  LEFT JOIN citebound.fact_indexes i ON i.version_id = v.id""")  # noqa: S608  # constants
_SECTIONS = text("""
SELECT id, eid, number, title AS section_title, page AS section_page, path
  FROM citebound.sections
 WHERE version_id = ANY(:versions)""")
_ENTITIES = text("""
SELECT e.id, e.key, e.type, e.name, e.aliases, e.description, e.attributes,
       pr.version_id, pr.section_id, pr.char_start, pr.char_end
  FROM citebound.provenance pr JOIN citebound.entities e ON e.id = pr.entity_id
 WHERE pr.version_id = ANY(:versions) AND e.type = ANY(:types)
 ORDER BY e.id, pr.version_id, pr.char_start""")
_RELATIONS = text("""
SELECT r.id, r.source_id, r.type, r.target_id, r.attributes,
       pr.version_id, pr.section_id, pr.char_start, pr.char_end
  FROM citebound.provenance pr JOIN citebound.relations r ON r.id = pr.relation_id
  JOIN citebound.entities t ON t.id = r.target_id AND t.type = :country
 WHERE pr.version_id = ANY(:versions) AND r.type = :applies
 ORDER BY r.id, pr.version_id, pr.char_start""")
_REFERENCES = text("""
SELECT version_id, section_id, char_start, char_end FROM citebound.cross_references
 WHERE version_id = ANY(:versions) AND target_policy_id IS NOT NULL""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What `find_conflicts_of` reads."""

    snapshot: Snapshot
    """Rules and the countries to which they apply, with quote and place of where each was said
    last."""
    giving_way: frozenset[str]
    """Policies that give way to local rules."""


async def read_rules(engine: AsyncEngine, scope: Scope) -> Rules:
    """Read the rules in force, in one transaction."""
    await index_missing(engine)  # else nobody knows whether what an earlier release stored defers
    async with connected(engine, "REPEATABLE READ") as connection:

        async def rows(query: Any, **given: object) -> list[RowMapping]:
            return list((await connection.execute(query, given)).mappings())

        edition = await connection.scalar(text("SELECT max(number) FROM citebound.editions")) or 0
        found = await rows(_VERSIONS, **scope_parameters(scope))
        ids = [row["id"] for row in found]
        sections = {row["id"]: row for row in await rows(_SECTIONS, versions=ids)}
        said = await rows(_ENTITIES, versions=ids, types=[one.value for one in _TYPES])
        joined = await rows(
            _RELATIONS,
            versions=ids,
            country=EntityType.JURISDICTION.value,
            applies=RelationType.APPLIES_TO.value,
        )
        references = await rows(_REFERENCES, versions=ids)
    places = _Places({row["id"]: row for row in found}, sections)
    entities = entities_of(said)
    last = {max(entity.spans) for entity in entities}
    by_span = {span: row for row in said if (span := span_of(row)) in last}
    giving_way = {row["key"] for row in found if row["gives_way"]}
    giving_way |= {
        place.policy_key
        for row in references
        if gives_way(places.quote(row), place := places.place(row))
    }
    return Rules(
        snapshot=Snapshot(
            edition=edition,
            entities=tuple(entities),
            relations=tuple(
                relations_of(joined, {row["id"]: EntityKey(row["key"]) for row in said})
            ),
            quotes={span: places.quote(row) for span, row in by_span.items()},
            places={span: places.place(row) for span, row in by_span.items()},
            lead_ins={},
        ),
        giving_way=frozenset(giving_way),
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Quotes and places of rows; most rows of a section share its place."""

    versions: Mapping[int, RowMapping]
    sections: Mapping[int, RowMapping]
    _known: dict[tuple[int, int | None], SectionRef] = field(default_factory=dict, init=False)

    def quote(self, row: RowMapping) -> str:
        span: Span = span_of(row)
        content: str = self.versions[span.version_id]["text"]
        return content[span.char_start : span.char_end]

    def place(self, row: RowMapping) -> SectionRef:
        version, section = self.versions[row["version_id"]], self.sections[row["section_id"]]
        on = section["id"], page_of(version["page_starts"], row["char_start"])
        if on not in self._known:
            self._known[on] = section_ref({**version, **section, "char_start": row["char_start"]})
        return self._known[on]
