"""The ontology of one edition within a scope: read piece by piece, or as a whole."""

import json
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import EngineStore, database_store
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.scope import LIVE, scope_parameters, section_ref, span_arrays
from core.adapters.postgres.engine.transactions import connected, reading
from core.adapters.postgres.ontology.fact_index import asked_words, index_missing, read_fact_words
from core.adapters.postgres.ontology.lookup import PostgresLookup
from core.adapters.postgres.ontology.ontology_parts import (
    PartReader,
    entities_of,
    references_of,
    relations_of,
    span_of,
)
from core.domain.errors import EmptyCorpusError
from core.domain.ontology import (
    EntityKey,
    EntityType,
    Extent,
    SectionPassage,
    SectionRef,
    Snapshot,
    SoughtWord,
    StatedFact,
)
from core.domain.question import Scope
from core.language.lead_ins import LeadIn, lead_in_of
from core.language.spans import Span
from core.ontology.fact_words import GENERATION, names_within
from core.ontology.graphs.ranking import MOST_DEFINITIONS

REACH = 6_000
"""Characters of a long section that are read before and after what is asked for."""

_USAGE = text("""
SELECT word, sum(sections) AS sections FROM citebound.word_counts
 WHERE word = ANY(:words) AND version_id = ANY(:versions) GROUP BY word HAVING sum(sections) > 0""")

_FACTS = text("""
WITH sought AS (
  SELECT * FROM jsonb_to_recordset(CAST(:sought AS jsonb)) AS s (words text[], weight int)),
near AS (
  SELECT w.provenance_id, w.entity_id, sum(s.weight) AS hits
    FROM sought s JOIN citebound.fact_words w ON w.words && s.words
   WHERE w.version_id = ANY(:versions)
   GROUP BY w.provenance_id, w.entity_id
   ORDER BY hits DESC, w.entity_id, w.provenance_id LIMIT :most)
SELECT e.key, pr.version_id, pr.char_start, pr.char_end, w.words
  FROM near
  JOIN citebound.fact_words w ON w.provenance_id = near.provenance_id
  JOIN citebound.provenance pr ON pr.id = near.provenance_id
  JOIN citebound.entities e ON e.id = near.entity_id
 ORDER BY near.hits DESC, near.entity_id, near.provenance_id""")

_DEFINITIONS = text("""
SELECT key FROM citebound.entity_words
 WHERE words && CAST(:pairs AS text[]) AND version_id = ANY(:versions) AND type = 'Definition'
 GROUP BY key ORDER BY min(entity_id) LIMIT :most""")

_TOUCHING = text("""
SELECT DISTINCT e.key
  FROM unnest(CAST(:ids AS bigint[]), CAST(:starts AS int[]), CAST(:ends AS int[]))
       AS w (version_id, char_start, char_end)
  JOIN citebound.provenance pr ON pr.version_id = w.version_id
       AND pr.char_start < w.char_end AND w.char_start < pr.char_end
  JOIN citebound.entities e ON e.id = pr.entity_id
 WHERE w.version_id = ANY(:versions) AND e.type = ANY(:types)""")

_SECTIONS_AT = text("""
WITH wanted AS (
  SELECT s.id, min(w.char_start) AS first, max(w.char_end) AS last
    FROM unnest(CAST(:ids AS bigint[]), CAST(:starts AS int[]), CAST(:ends AS int[]))
         AS w (version_id, char_start, char_end)
    JOIN citebound.sections s ON s.version_id = w.version_id
     AND s.char_start <= w.char_start AND w.char_start < s.char_end
   WHERE w.version_id = ANY(:versions) GROUP BY s.id),
near AS (
  SELECT s.id, s.version_id, s.eid, s.ordinal, s.body_start, s.char_end AS section_end,
         CASE WHEN w.first - s.char_start > :reach THEN w.first - :reach ELSE s.char_start END
           AS char_start,
         least(s.char_end, w.last + :reach) AS char_end
    FROM wanted w JOIN citebound.sections s ON s.id = w.id)
SELECT n.version_id, n.eid, n.char_start, n.char_end < n.section_end AS is_cut,
       CASE WHEN n.char_start <= n.body_start THEN n.body_start - n.char_start END AS body_start,
       substr(v.text, n.char_start + 1, n.char_end - n.char_start) AS text
  FROM near n JOIN citebound.policy_versions v ON v.id = n.version_id
 ORDER BY n.version_id, n.ordinal""")

# A text of a few hundred words may hold thousands of names, so they are hashed, not compared.
_ROLES = text("""
WITH asked AS (SELECT unnest(CAST(:names AS text[])) AS name),
roles AS MATERIALIZED (
  SELECT entity_id, unnest(names) AS name FROM citebound.entity_words
   WHERE type = 'Role' AND version_id = ANY(:versions))
SELECT DISTINCT e.name, e.aliases
  FROM citebound.entities e
 WHERE e.id IN (SELECT r.entity_id FROM asked JOIN roles r ON r.name = asked.name)""")

_GIVING_WAY = text("""
SELECT p.key FROM citebound.fact_indexes i
  JOIN citebound.policy_versions v ON v.id = i.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
 WHERE i.gives_way AND i.version_id = ANY(:versions) AND p.key = ANY(:policies)""")


@database_store
class PostgresKnowledge:
    """See `core.ports.Knowledge`."""

    def __init__(self, reader: PartReader, extent: Extent) -> None:
        self._reader = reader
        self._extent = extent
        self._lookup = PostgresLookup(reader)

    @property
    def extent(self) -> Extent:
        """See `Knowledge.extent`."""
        return self._extent

    @property
    def lookup(self) -> PostgresLookup:
        """See `Knowledge.lookup`."""
        return self._lookup

    async def usage(self, stems: Collection[str], /) -> Mapping[str, int]:
        """See `Knowledge.usage`."""
        rows = await self._reader.rows(_USAGE, words=sorted(stems))
        return {row["word"]: row["sections"] for row in rows}

    async def facts(self, sought: Sequence[SoughtWord], /, *, limit: int) -> tuple[StatedFact, ...]:
        """See `Knowledge.facts`."""
        asked = [
            {"words": asked_words(one.words, (one.beginning,)), "weight": one.weight}
            for one in sought
        ]
        rows = await self._reader.rows(_FACTS, sought=json.dumps(asked), most=limit)
        return tuple(
            StatedFact(
                entity=EntityKey(row["key"]),
                span=span_of(row),
                sentence=said.sentence,
                heading=said.heading,
                title=said.title,
            )
            for row in rows
            for said in [read_fact_words(row["words"])]
        )

    async def definitions(self, pairs: Collection[str], /) -> Snapshot:
        """See `Knowledge.definitions`."""
        rows = await self._reader.rows(_DEFINITIONS, pairs=sorted(pairs), most=MOST_DEFINITIONS)
        return await self._reader.part([row["key"] for row in rows])

    async def entities(
        self,
        keys: Collection[EntityKey],
        /,
        *,
        at: Collection[Span] = (),
        ends: Collection[EntityType] = (),
    ) -> Snapshot:
        """See `Knowledge.entities`."""
        return await self._reader.part(keys, at=at, ends=ends)

    async def touching(
        self,
        spans: Collection[Span],
        types: Collection[EntityType],
        /,
        *,
        ends: Collection[EntityType] = (),
    ) -> Snapshot:
        """See `Knowledge.touching`."""
        listed = list(spans)
        rows = await self._reader.rows(
            _TOUCHING, **span_arrays(listed), types=[type_.value for type_ in types]
        )
        return await self._reader.part([row["key"] for row in rows], at=listed, ends=ends)

    async def sections_at(self, spans: Collection[Span], /) -> tuple[SectionPassage, ...]:
        """See `Knowledge.sections_at`."""
        listed = list(spans)
        rows = await self._reader.rows(_SECTIONS_AT, **span_arrays(listed), reach=REACH)
        return tuple(record(SectionPassage, row) for row in rows)

    async def role_names(self, text: str, /) -> tuple[str, ...]:
        """See `Knowledge.role_names`."""
        rows = await self._reader.rows(_ROLES, names=list(names_within(text)))
        return tuple(sorted({name for row in rows for name in (row["name"], *row["aliases"])}))

    async def giving_way(self, policies: Collection[str], /) -> frozenset[str]:
        """See `Knowledge.giving_way`."""
        rows = await self._reader.rows(_GIVING_WAY, policies=sorted(policies))
        return frozenset(row["key"] for row in rows)


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
SELECT id, version_id, eid, number, title, page AS section_page, path FROM citebound.sections
 WHERE version_id = ANY(:versions)"""

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


@database_store
class PostgresOntologyStore(EngineStore):
    """See `core.ports.OntologyStore`."""

    async def open(self, scope: Scope, /) -> PostgresKnowledge:
        """See `OntologyStore.open`; what is published later does not show."""
        edition, found = await self._extent(scope)
        if found["unindexed"]:
            # Published by an earlier release while this one was already running.
            await index_missing(self._engine)
            edition, found = await self._extent(scope)
        return PostgresKnowledge(
            PartReader(self._engine, edition=edition, versions=found["versions"] or ()),
            record(Extent, found, edition=edition, countries=frozenset(found["countries"] or ())),
        )

    async def _extent(self, scope: Scope) -> tuple[int, RowMapping]:
        async with reading(self._engine) as connection:
            edition = await _edition(connection, scope)
            found = await connection.execute(
                text(_EXTENT),
                scope_parameters(scope) | {"scope_edition": edition, "generation": GENERATION},
            )
            return edition, found.mappings().one()

    async def snapshot(self, scope: Scope, /) -> Snapshot:
        """See `OntologyStore.snapshot`.

        Read in one transaction, so that no publication falls in between.

        Raises:
            EmptyCorpusError: Nothing was ever published.
        """
        async with connected(self._engine, "REPEATABLE READ") as connection:
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
