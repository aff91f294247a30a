"""Read parts of the ontology as snapshots: a few entities with their spans, relations and quotes.

Every statement is restricted to the versions in scope. A text is decompressed once for all its
spans, and scanned once for each section, since finding an offset in it takes time.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.scope import section_ref
from core.adapters.postgres.engine.transactions import reading
from core.domain.ontology import Entity, EntityKey, EntityType, Relation, RelationType, Snapshot
from core.language.lead_ins import LeadIn, lead_in_of
from core.language.spans import Span, VersionId

MOST_SPANS = 50
"""Spans of an entity that are read: a role may be named in thousands of sentences."""
MOST_ENDS = 500
"""Relations read with a few entities, at most."""
SPANS_OF_A_RELATION = 3
_ENTITIES = text("""
SELECT * FROM (
  SELECT e.id, e.key, e.type, e.name, e.aliases, e.description, e.attributes,
         pr.version_id, pr.section_id, pr.char_start, pr.char_end,
         row_number() OVER (PARTITION BY e.key
                            ORDER BY e.id, pr.version_id, pr.char_start) AS place,
         row_number() OVER (PARTITION BY e.id ORDER BY pr.version_id, pr.char_start) AS own_place
    FROM citebound.entities e JOIN citebound.provenance pr ON pr.entity_id = e.id
   WHERE e.key = ANY(:keys) AND pr.version_id = ANY(:versions)) said
 WHERE place <= :most OR own_place = 1 OR (version_id, char_start, char_end) IN (
   SELECT * FROM unnest(CAST(:at_versions AS bigint[]), CAST(:at_starts AS int[]),
                        CAST(:at_ends AS int[])))
 ORDER BY id, version_id, char_start""")
# Relations between given keys and entities of given types. Both ends are stated by every version
# that states the relation, so its own provenance decides whether it is in scope.
_RELATIONS = text("""
SELECT DISTINCT r.id, s.key AS source, t.key AS target
  FROM (SELECT id FROM citebound.entities WHERE key = ANY(:keys)) own
  JOIN citebound.relations r ON r.source_id = own.id OR r.target_id = own.id
  JOIN citebound.entities s ON s.id = r.source_id
  JOIN citebound.entities t ON t.id = r.target_id
 WHERE (s.type = ANY(:ends) AND t.key = ANY(:keys) OR t.type = ANY(:ends) AND s.key = ANY(:keys))
   AND EXISTS (SELECT FROM citebound.provenance pr
                WHERE pr.relation_id = r.id AND pr.version_id = ANY(:versions))
 ORDER BY r.id LIMIT :most""")
_SAID = text("""
SELECT * FROM (
  SELECT r.id, r.source_id, r.type, r.target_id, r.attributes,
         pr.version_id, pr.section_id, pr.char_start, pr.char_end,
         row_number() OVER (PARTITION BY r.id ORDER BY pr.version_id, pr.char_start) AS place
    FROM citebound.relations r JOIN citebound.provenance pr ON pr.relation_id = r.id
   WHERE r.id = ANY(:relations) AND pr.version_id = ANY(:versions)) said
 WHERE place <= :most ORDER BY id, version_id, char_start""")
_REFERENCES = text("""
SELECT x.version_id, x.section_id, x.char_start, x.char_end,
       'section:' || p.key || ':' || s.eid AS source,
       CASE WHEN x.target_eid IS NULL THEN 'policy:' || t.key
            ELSE 'section:' || t.key || ':' || x.target_eid END AS target
  FROM citebound.cross_references x
  JOIN citebound.sections s ON s.id = x.section_id
  JOIN citebound.policy_versions v ON v.id = x.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.policies t ON t.id = x.target_policy_id
 WHERE x.id = ANY(:references) ORDER BY x.id""")
_PLACES = text("""
WITH wanted AS (
  SELECT DISTINCT * FROM unnest(
    CAST(:ids AS bigint[]), CAST(:sections AS bigint[]), CAST(:starts AS int[]),
    CAST(:ends AS int[])) AS w (version_id, section_id, char_start, char_end)),
introduced AS MATERIALIZED (
  SELECT w.*, l.starts, l.ends
    FROM wanted w LEFT JOIN LATERAL (
      SELECT i.* FROM citebound.lead_ins i
       WHERE i.version_id = w.version_id AND i.char_start <= w.char_start
       ORDER BY i.char_start DESC LIMIT 1) l ON l.char_end > w.char_start),
texts AS MATERIALIZED (
  SELECT v.id, v.text || '' AS text FROM citebound.policy_versions v
   WHERE v.id IN (SELECT version_id FROM wanted) AND v.id = ANY(:versions)),
stretches AS MATERIALIZED (
  SELECT near.*, substr(t.text, first + 1, last - first) AS text
    FROM (SELECT version_id, section_id, min(least(char_start, starts[1])) AS first,
                 max(char_end) AS last
            FROM introduced GROUP BY version_id, section_id) near
    JOIN texts t ON t.id = near.version_id)
SELECT w.version_id, w.char_start, w.char_end, p.key, v.title, v.label, v.jurisdiction,
       s.eid, s.number, s.title AS section_title, s.page AS section_page, s.path,
       ARRAY(SELECT start FROM unnest(v.page_starts) WITH ORDINALITY AS o (start, place)
              WHERE start <= w.char_start OR place = 1) AS page_starts,
       substr(t.text, w.char_start - t.first + 1, w.char_end - w.char_start) AS quote,
       w.starts, w.ends,
       ARRAY(SELECT substr(t.text, o.first - t.first + 1, o.last - o.first)
               FROM unnest(w.starts, w.ends) WITH ORDINALITY AS o (first, last, place)
              ORDER BY o.place) AS leads
  FROM introduced w
  JOIN stretches t ON t.version_id = w.version_id AND t.section_id = w.section_id
  JOIN citebound.policy_versions v ON v.id = w.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.sections s ON s.id = w.section_id""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """Relations to read, by the ids of their rows."""

    relations: Sequence[int] = ()
    """Ids of `relations`."""
    references: Sequence[int] = ()
    """Ids of `cross_references`."""


class PartReader:
    """Reads parts of an edition for the versions in a scope."""

    def __init__(self, engine: AsyncEngine, *, edition: int, versions: Sequence[int]) -> None:
        self._engine = engine
        self.edition = edition
        self.versions = list(versions)

    async def rows(self, query: Any, **given: object) -> Sequence[RowMapping]:
        """Return the rows of a statement about the versions in scope."""
        async with reading(self._engine) as connection:
            return await self._rows(connection, query, given)

    async def _rows(
        self, connection: AsyncConnection, query: Any, given: Mapping[str, object]
    ) -> Sequence[RowMapping]:
        found = await connection.execute(query, {"versions": self.versions, **given})
        return found.mappings().all()

    async def part(
        self,
        keys: Collection[str],
        *,
        at: Collection[Span] = (),
        ends: Collection[EntityType] = (),
        edges: Edges | None = None,
        in_order: bool = False,
        most_spans: int = MOST_SPANS,
    ) -> Snapshot:
        """Return entities with their relations, as `Knowledge.entities` says.

        Args:
            keys: Of the entities.
            at: Spans that are read of an entity with very many.
            ends: Read the relations to entities of these types too, with their other ends.
            edges: Read these relations; their ends must be among the keys.
            in_order: Put the entities in the order of the keys.
            most_spans: Spans of an entity that are read, the first ones.
        """
        async with reading(self._engine) as connection:
            wanted = dict.fromkeys(keys)
            edges = edges or Edges()
            if ends and wanted:
                found = await self._rows(
                    connection,
                    _RELATIONS,
                    {"keys": list(wanted), "ends": [one.value for one in ends], "most": MOST_ENDS},
                )
                edges = Edges(relations=[row["id"] for row in found])
                wanted |= dict.fromkeys(
                    key for row in found for key in (row["source"], row["target"])
                )
            entity_rows = await self._entity_rows(connection, list(wanted), at, most_spans)
            relation_rows = (
                await self._rows(
                    connection,
                    _SAID,
                    {"relations": list(edges.relations), "most": SPANS_OF_A_RELATION},
                )
                if edges.relations
                else ()
            )
            reference_rows = (
                await self._rows(connection, _REFERENCES, {"references": list(edges.references)})
                if edges.references
                else ()
            )
            said = [*entity_rows, *relation_rows, *reference_rows]
            places = await self._places(connection, said)
        entities = entities_of(entity_rows)
        if in_order:
            order = {key: number for number, key in enumerate(wanted)}
            entities.sort(key=lambda entity: order[entity.key])
        relations: list[Relation] = relations_of(
            relation_rows, {row["id"]: EntityKey(row["key"]) for row in entity_rows}
        )
        relations += references_of(reference_rows, {entity.key for entity in entities})
        return Snapshot(
            edition=self.edition,
            entities=tuple(entities),
            relations=tuple(relations),
            quotes={span_of(row): row["quote"] for row in places},
            places={span_of(row): section_ref(row) for row in places},
            lead_ins={span_of(row): found for row in places if (found := _lead_in(row))},
        )

    async def _entity_rows(
        self, connection: AsyncConnection, keys: Sequence[str], at: Collection[Span], most: int
    ) -> Sequence[RowMapping]:
        if not keys:
            return ()
        return await self._rows(
            connection,
            _ENTITIES,
            {
                "keys": keys,
                "most": most,
                "at_versions": [span.version_id for span in at],
                "at_starts": [span.char_start for span in at],
                "at_ends": [span.char_end for span in at],
            },
        )

    async def _places(
        self, connection: AsyncConnection, rows: Sequence[RowMapping]
    ) -> Sequence[RowMapping]:
        if not rows:
            return ()
        return await self._rows(
            connection,
            _PLACES,
            {
                "ids": [row["version_id"] for row in rows],
                "sections": [row["section_id"] for row in rows],
                "starts": [row["char_start"] for row in rows],
                "ends": [row["char_end"] for row in rows],
            },
        )


def _lead_in(row: RowMapping) -> LeadIn | None:
    chain = zip(row["starts"] or (), row["ends"] or (), row["leads"], strict=True)
    return lead_in_of(VersionId(row["version_id"]), chain)


def span_of(row: Mapping[Any, Any]) -> Span:
    """Return the span of a row."""
    return record(Span, row)


def entities_of(rows: Sequence[Mapping[Any, Any]]) -> list[Entity]:
    """Return entities from rows for each of their spans, in order of `id`, version and offset.

    The row that was stored first gives an entity its name.
    """
    spans: dict[str, list[Span]] = defaultdict(list)
    said: dict[str, dict[int, Mapping[Any, Any]]] = defaultdict(dict)
    for row in rows:
        said[row["key"]].setdefault(row["id"], row)
        spans[row["key"]].append(span_of(row))
    return [
        _entity(list(by_id.values()), tuple(dict.fromkeys(spans[key])))
        for key, by_id in said.items()
    ]


def _entity(rows: Sequence[Mapping[Any, Any]], spans: tuple[Span, ...]) -> Entity:
    name: str = rows[0]["name"]
    aliases = dict.fromkeys(alias for row in rows for alias in (row["name"], *row["aliases"]))
    attributes: dict[str, str] = {}
    for row in rows:
        attributes = row["attributes"] | attributes
    return Entity(
        key=EntityKey(rows[0]["key"]),
        type=EntityType(rows[0]["type"]),
        name=name,
        aliases=tuple(alias for alias in aliases if alias != name),
        description=next((row["description"] for row in rows if row["description"]), ""),
        attributes=attributes,
        spans=spans,
    )


def relations_of(rows: Sequence[RowMapping], keys: Mapping[int, EntityKey]) -> list[Relation]:
    """Return relations from rows for each of their spans, in order of `id`.

    Args:
        rows: With `source_id` and `target_id`.
        keys: Of the entities; a relation is left out unless both ends are among them.
    """
    spans: dict[tuple[EntityKey, str, EntityKey], list[Span]] = defaultdict(list)
    first: dict[tuple[EntityKey, str, EntityKey], RowMapping] = {}
    for row in rows:
        if row["source_id"] in keys and row["target_id"] in keys:
            ends = keys[row["source_id"]], row["type"], keys[row["target_id"]]
            first.setdefault(ends, row)
            spans[ends].append(span_of(row))
    return [
        Relation(
            source=ends[0],
            type=RelationType(ends[1]),
            target=ends[2],
            attributes=row["attributes"],
            spans=tuple(dict.fromkeys(spans[ends])),
        )
        for ends, row in first.items()
    ]


def references_of(rows: Sequence[RowMapping], known: Collection[EntityKey]) -> list[Relation]:
    """Return cross-references as relations; one is left out unless both ends are known."""
    spans: dict[tuple[EntityKey, EntityKey], list[Span]] = defaultdict(list)
    for row in rows:
        ends = EntityKey(row["source"]), EntityKey(row["target"])
        if ends[0] in known and ends[1] in known:
            spans[ends].append(span_of(row))
    return [
        Relation(
            source=ends[0],
            type=RelationType.REFERENCES,
            target=ends[1],
            attributes={},
            spans=tuple(dict.fromkeys(found)),
        )
        for ends, found in spans.items()
    ]
