"""The ontology of one edition as one scope may see it: to be read in parts, or read whole."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.scope import LIVE, scope_parameters, section_ref
from core.adapters.postgres.ontology.fact_index import index_missing
from core.adapters.postgres.ontology.knowledge import PostgresKnowledge
from core.adapters.postgres.ontology.ontology_parts import PartReader
from core.adapters.postgres.ontology.ontology_rows import (
    entities_of,
    references_of,
    relations_of,
    span_of,
)
from core.domain.errors import EmptyCorpusError
from core.domain.knowledge import Extent
from core.domain.ontology import EntityKey, SectionRef, Snapshot
from core.domain.question import Scope
from core.language.lead_ins import LeadIn, lead_in_of
from core.language.spans import Span
from core.ontology.fact_words import GENERATION

_EXTENT = f"""
SELECT array_agg(v.id ORDER BY v.id) AS versions, array_agg(DISTINCT v.jurisdiction) AS countries,
       coalesce(sum(i.facts), 0) AS facts, coalesce(sum(i.sections), 0) AS sections,
       count(*) FILTER (WHERE i.generation IS DISTINCT FROM :generation) AS unindexed
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  LEFT JOIN citebound.fact_indexes i ON i.version_id = v.id"""  # noqa: S608  # constants

_VERSIONS = f"""
SELECT v.id, p.key, v.title, v.label, v.jurisdiction, v.page_starts, v.text
  FROM {LIVE} live JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id"""  # noqa: S608  # constants

_SECTIONS = """
SELECT id, version_id, eid, number, title, path FROM citebound.sections WHERE version_id =
ANY(:versions)"""

_ENTITIES = """
SELECT e.id, e.key, e.type, e.name, e.aliases, e.description, e.attributes,
       pr.version_id, pr.section_id, pr.char_start, pr.char_end
  FROM citebound.provenance pr JOIN citebound.entities e ON e.id = pr.entity_id
 WHERE pr.version_id = ANY(:versions) ORDER BY e.id, pr.version_id, pr.char_start"""

_RELATIONS = """
SELECT r.id, r.source_id, r.type, r.target_id, r.attributes,
       pr.version_id, pr.section_id, pr.char_start, pr.char_end
  FROM citebound.provenance pr JOIN citebound.relations r ON r.id = pr.relation_id
 WHERE pr.version_id = ANY(:versions) ORDER BY r.id, pr.version_id, pr.char_start"""

_LEAD_INS = """
SELECT version_id, char_start, char_end, starts, ends FROM citebound.lead_ins
 WHERE version_id = ANY(:versions) ORDER BY version_id, char_start"""

_REFERENCES = """
SELECT x.version_id, x.section_id, x.char_start, x.char_end,
       'section:' || p.key || ':' || s.eid AS source,
       CASE WHEN x.target_eid IS NULL THEN 'policy:' || t.key
            ELSE 'section:' || t.key || ':' || x.target_eid END AS target
  FROM citebound.cross_references x
  JOIN citebound.sections s ON s.id = x.section_id
  JOIN citebound.policy_versions v ON v.id = x.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.policies t ON t.id = x.target_policy_id
 WHERE x.version_id = ANY(:versions) ORDER BY x.id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Texts and sections of the versions in scope."""

    versions: Mapping[int, RowMapping]
    sections: Mapping[int, RowMapping]

    def quote(self, row: RowMapping) -> str:
        content: str = self.versions[row["version_id"]]["text"]
        return content[row["char_start"] : row["char_end"]]

    def place(self, row: RowMapping) -> SectionRef:
        version, section = self.versions[row["version_id"]], self.sections[row["section_id"]]
        named = {"section_title": section["title"], "title": version["title"]}
        return section_ref({**version, **section, **named, "char_start": row["char_start"]})


class PostgresOntologyStore:
    """See `core.ports.OntologyStore`."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use a migrated database."""
        self._engine = engine

    @raises_transient
    async def open(self, scope: Scope, /) -> PostgresKnowledge:
        """See `OntologyStore.open`.

        A version is never changed, and the edition says which are in force: what is published later
        does not show.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        edition, found = await self._extent(scope)
        if found["unindexed"]:
            # Published by an earlier release while this one was already running.
            await index_missing(self._engine)
            edition, found = await self._extent(scope)
        return PostgresKnowledge(
            PartReader(self._engine, edition=edition, versions=found["versions"] or ()),
            Extent(
                edition=edition,
                facts=found["facts"],
                sections=found["sections"],
                countries=frozenset(found["countries"] or ()),
            ),
        )

    async def _extent(self, scope: Scope) -> tuple[int, RowMapping]:
        async with self._engine.connect() as connection:
            edition = await _edition(connection, scope)
            found = await connection.execute(
                text(_EXTENT),
                scope_parameters(scope) | {"scope_edition": edition, "generation": GENERATION},
            )
            return edition, found.mappings().one()

    @raises_transient
    async def snapshot(self, scope: Scope, /) -> Snapshot:
        """See `OntologyStore.snapshot`.

        Read in one transaction, so that no publication falls in between.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            edition = await _edition(connection, scope)
            versions = await _rows(connection, _VERSIONS, scope_parameters(scope))
            wanted = {"versions": [row["id"] for row in versions]}
            source = _Source(
                versions={row["id"]: row for row in versions},
                sections={row["id"]: row for row in await _rows(connection, _SECTIONS, wanted)},
            )
            entity_rows = await _rows(connection, _ENTITIES, wanted)
            relation_rows = await _rows(connection, _RELATIONS, wanted)
            reference_rows = await _rows(connection, _REFERENCES, wanted)
            introduced = await _rows(connection, _LEAD_INS, wanted)
        entities = entities_of(entity_rows)
        keys = {row["id"]: EntityKey(row["key"]) for row in entity_rows}
        relations = relations_of(relation_rows, keys)
        relations += references_of(reference_rows, {entity.key for entity in entities})
        said: dict[Span, RowMapping] = {
            span_of(row): row
            for rows in (entity_rows, relation_rows, reference_rows)
            for row in rows
        }
        return Snapshot(
            edition=edition,
            entities=tuple(entities),
            relations=tuple(relations),
            quotes={span: source.quote(row) for span, row in said.items()},
            places={span: source.place(row) for span, row in said.items()},
            lead_ins=_lead_ins(said, introduced, source),
        )


def _lead_ins(
    spans: Iterable[Span], introduced: Sequence[RowMapping], source: _Source
) -> dict[Span, LeadIn]:
    """Return what introduces the item or row in which each span begins."""
    starts = [(row["version_id"], row["char_start"]) for row in introduced]
    found: dict[Span, LeadIn] = {}
    for span in spans:
        place = bisect_right(starts, (span.version_id, span.char_start)) - 1
        row = introduced[place] if place >= 0 else None
        if row and row["version_id"] == span.version_id and row["char_end"] > span.char_start:
            text: str = source.versions[span.version_id]["text"]
            chain = [
                (start, end, text[start:end])
                for start, end in zip(row["starts"], row["ends"], strict=True)
            ]
            lead_in = lead_in_of(span.version_id, chain)
            found |= {span: lead_in} if lead_in else {}
    return found


async def _edition(connection: AsyncConnection, scope: Scope) -> int:
    edition = scope.edition
    if edition is None:
        edition = await connection.scalar(text("SELECT max(number) FROM citebound.editions"))
    if edition is None:
        raise EmptyCorpusError
    return edition


async def _rows(
    connection: AsyncConnection, query: str, parameters: Mapping[str, Any]
) -> Sequence[RowMapping]:
    return (await connection.execute(text(query), parameters)).mappings().all()
