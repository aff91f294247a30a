"""The ontology as a question reads it: what is near its words, and what is joined to that."""

import json
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import text

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.ontology.fact_index import asked_words, read_fact_words
from core.adapters.postgres.ontology.lookup import PostgresLookup
from core.adapters.postgres.ontology.ontology_parts import PartReader
from core.adapters.postgres.ontology.ontology_rows import span_of
from core.domain.knowledge import Extent, SectionText, Sought, StatedFact
from core.domain.ontology import EntityKey, EntityType, Snapshot
from core.language.spans import Span, VersionId
from core.ontology.fact_words import names_within
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


class PostgresKnowledge:
    """See `core.ports.Knowledge`."""

    def __init__(self, reader: PartReader, extent: Extent) -> None:
        """Read what is in the reader's scope, which has this extent."""
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

    @raises_transient
    async def usage(self, stems: Collection[str], /) -> Mapping[str, int]:
        """See `Knowledge.usage`."""
        rows = await self._reader.rows(_USAGE, words=sorted(stems))
        return {row["word"]: row["sections"] for row in rows}

    @raises_transient
    async def facts(self, sought: Sequence[Sought], /, *, limit: int) -> tuple[StatedFact, ...]:
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

    @raises_transient
    async def definitions(self, pairs: Collection[str], /) -> Snapshot:
        """See `Knowledge.definitions`."""
        rows = await self._reader.rows(_DEFINITIONS, pairs=sorted(pairs), most=MOST_DEFINITIONS)
        return await self._reader.part([row["key"] for row in rows])

    @raises_transient
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

    @raises_transient
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
            _TOUCHING,
            ids=[span.version_id for span in listed],
            starts=[span.char_start for span in listed],
            ends=[span.char_end for span in listed],
            types=[type_.value for type_ in types],
        )
        return await self._reader.part([row["key"] for row in rows], at=listed, ends=ends)

    @raises_transient
    async def sections_at(self, spans: Collection[Span], /) -> tuple[SectionText, ...]:
        """See `Knowledge.sections_at`."""
        listed = list(spans)
        rows = await self._reader.rows(
            _SECTIONS_AT,
            ids=[span.version_id for span in listed],
            starts=[span.char_start for span in listed],
            ends=[span.char_end for span in listed],
            reach=REACH,
        )
        return tuple(
            SectionText(
                version_id=VersionId(row["version_id"]),
                eid=row["eid"],
                char_start=row["char_start"],
                text=row["text"],
                body_start=row["body_start"],
                is_cut=row["is_cut"],
            )
            for row in rows
        )

    @raises_transient
    async def role_names(self, text: str, /) -> tuple[str, ...]:
        """See `Knowledge.role_names`."""
        rows = await self._reader.rows(_ROLES, names=list(names_within(text)))
        return tuple(sorted({name for row in rows for name in (row["name"], *row["aliases"])}))

    @raises_transient
    async def giving_way(self, policies: Collection[str], /) -> frozenset[str]:
        """See `Knowledge.giving_way`."""
        rows = await self._reader.rows(_GIVING_WAY, policies=sorted(policies))
        return frozenset(row["key"] for row in rows)
