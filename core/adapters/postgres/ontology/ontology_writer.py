"""Store extracted facts with their provenance, and the readings of sections by a model."""

import asyncio
import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import EngineStore, database_store
from core.adapters.postgres.engine.json_rows import (
    batches,
    bytes_in_json,
    json_rows,
    rows_parameter,
)
from core.adapters.postgres.engine.rows import row_of
from core.adapters.postgres.engine.tables import entities, extracted_sections, provenance, relations
from core.adapters.postgres.ontology.fact_index import index_of, store_index
from core.domain.errors import ContractError, IntegrityError
from core.domain.json_value import Json
from core.domain.ontology import ExtractedEntity, ExtractedRelation
from core.domain.policy import Section
from core.domain.proposals import ProposedFacts, facts_from_json, facts_to_json
from core.ports import Publication
from core.ports.extraction import SectionReading

_ENTITY = ("key", "content_hash", "type", "name", "aliases", "description", "attributes")
_RELATION = ("source_id", "type", "target_id", "attributes")

_ENTITIES = text(f"""
WITH given AS MATERIALIZED (
  SELECT * FROM {json_rows(entities, _ENTITY, "n int")}),
added AS (
  INSERT INTO citebound.entities ({", ".join(_ENTITY)})
  SELECT {", ".join(_ENTITY)} FROM given ORDER BY n
      ON CONFLICT DO NOTHING RETURNING id, key, content_hash)
SELECT coalesce(a.id, e.id) FROM given g
  LEFT JOIN added a ON a.key = g.key AND a.content_hash = g.content_hash
  LEFT JOIN citebound.entities e ON e.key = g.key AND e.content_hash = g.content_hash
 ORDER BY g.n""")  # noqa: S608  # constants
_ENTITIES_SAID = text(f"""
INSERT INTO citebound.provenance (version_id, section_id, entity_id, char_start, char_end)
SELECT :version, section_id, entity_id, char_start, char_end
  FROM {json_rows(provenance, ("section_id", "entity_id", "char_start", "char_end"), "n int")}
 ORDER BY n RETURNING id, entity_id, char_start, char_end""")  # noqa: S608  # constants
_RELATIONS_SAID = text(f"""
WITH given AS MATERIALIZED (
  SELECT * FROM {
    json_rows(relations, _RELATION, "sections bigint[], starts int[], ends int[], n int")
}),
added AS (
  INSERT INTO citebound.relations ({", ".join(_RELATION)})
  SELECT {", ".join(_RELATION)} FROM given ORDER BY n
      ON CONFLICT DO NOTHING RETURNING id, source_id, type, target_id)
INSERT INTO citebound.provenance (version_id, relation_id, section_id, char_start, char_end)
SELECT :version, coalesce(a.id, r.id), said.section_id, said.char_start, said.char_end
  FROM given g
  LEFT JOIN added a ON a.source_id = g.source_id AND a.type = g.type AND a.target_id = g.target_id
  LEFT JOIN citebound.relations r
    ON r.source_id = g.source_id AND r.type = g.type AND r.target_id = g.target_id
 CROSS JOIN LATERAL unnest(g.sections, g.starts, g.ends)
       WITH ORDINALITY AS said (section_id, char_start, char_end, place)
 ORDER BY g.n, said.place""")  # noqa: S608  # constants


async def store_facts(
    connection: AsyncConnection,
    publication: Publication,
    version_id: int,
    section_ids: Mapping[int, int],
) -> None:
    """Store and index a version's facts within the publishing transaction.

    A fact with the same content as before keeps its row. Otherwise it gets a row of its own: its
    audience may differ, and earlier editions keep what they stated.
    """
    extraction = publication.extraction
    locate = _Locator(publication.sections, section_ids)
    entity_ids = await _store_entities(connection, extraction.entities)
    said = await _store_places(connection, extraction.entities, entity_ids, version_id, locate)
    said += _places_of(extraction.relations, version_id, locate)
    document = publication.document
    version = row_of(publication.metadata, id=version_id, page_starts=document.page_starts)
    version["text"] = document.text
    sections = {
        section_ids[section.ordinal]: row_of(
            section, section_title=section.title, section_page=section.page
        )
        for section in publication.sections
    }
    # Seconds of work for a long document, which the database has too: both at once.
    index = asyncio.get_running_loop().run_in_executor(None, index_of, version, sections, said)
    await _store_relations(connection, extraction.relations, entity_ids, version_id, locate)
    await store_index(connection, await index)


class _Locator:
    """Finds the section of an offset; sections are in text order."""

    def __init__(self, sections: Sequence[Section], ids: Mapping[int, int]) -> None:
        self._starts = [section.char_start for section in sections]
        self._ids = [ids[section.ordinal] for section in sections]

    def __call__(self, offset: int) -> int:
        return self._ids[max(0, bisect_right(self._starts, offset) - 1)]


async def _store_entities(
    connection: AsyncConnection, found: Sequence[ExtractedEntity]
) -> dict[str, int]:
    ids: list[int | None] = []
    for batch in batches(found):
        rows = [_entity(entity) | {"n": n} for n, entity in enumerate(batch)]
        ids += await connection.scalars(_ENTITIES, {"rows": rows_parameter(rows)})
    known = {
        str(entity.key): id_ for entity, id_ in zip(found, ids, strict=True) if id_ is not None
    }
    if len(known) < len(found):
        raise IntegrityError("the database returned no id for an entity")
    return known


def _entity(entity: ExtractedEntity) -> dict[str, Any]:
    content: dict[str, Any] = {
        "type": entity.type.value,
        "name": entity.name,
        "aliases": list(entity.aliases),
        "description": entity.description,
        "attributes": dict(entity.attributes),
    }
    written = json.dumps(content, sort_keys=True).encode()
    digest = hashlib.sha256(written).digest()
    return content | {"key": entity.key, "content_hash": bytes_in_json(digest)}


async def _store_places(
    connection: AsyncConnection,
    found: Sequence[ExtractedEntity],
    entity_ids: Mapping[str, int],
    version_id: int,
    locate: _Locator,
) -> list[dict[str, Any]]:
    """Store where each entity is said, and return it as the index reads it."""
    said: list[dict[str, Any]] = []
    by_id = {entity_ids[entity.key]: entity for entity in found}
    rows = [
        row_of(span, section_id=locate(span.char_start), entity_id=entity_id)
        for entity_id, entity in by_id.items()
        for span in dict.fromkeys(entity.spans)
    ]
    for batch in batches(rows):
        given = [row | {"n": n} for n, row in enumerate(batch)]
        stored = await connection.execute(
            _ENTITIES_SAID, {"version": version_id, "rows": rows_parameter(given)}
        )
        ids = {(row.entity_id, row.char_start, row.char_end): row.id for row in stored}
        said += [
            _said(by_id[row["entity_id"]], row, version_id)
            | {"provenance_id": ids[row["entity_id"], row["char_start"], row["char_end"]]}
            for row in batch
        ]
    return sorted(said, key=lambda row: (row["entity_id"], row["char_start"]))


def _said(entity: ExtractedEntity, row: Mapping[str, Any], version_id: int) -> dict[str, Any]:
    return row_of(entity, **row, version_id=version_id, id=row["entity_id"])


async def _store_relations(
    connection: AsyncConnection,
    found: Sequence[ExtractedRelation],
    entity_ids: Mapping[str, int],
    version_id: int,
    locate: _Locator,
) -> None:
    """Store relations, and where each is said."""
    for batch in batches(found):
        rows = [
            _relation(relation, entity_ids, locate) | {"n": n} for n, relation in enumerate(batch)
        ]
        await connection.execute(
            _RELATIONS_SAID, {"version": version_id, "rows": rows_parameter(rows)}
        )


def _relation(
    relation: ExtractedRelation, entity_ids: Mapping[str, int], locate: _Locator
) -> dict[str, Any]:
    if relation.source not in entity_ids or relation.target not in entity_ids:
        raise IntegrityError(
            f"relation {relation.source} {relation.type} {relation.target} lacks an end"
        )
    return {
        "source_id": entity_ids[relation.source],
        "type": relation.type.value,
        "target_id": entity_ids[relation.target],
        "attributes": dict(relation.attributes),
        "sections": [locate(span.char_start) for span in relation.spans],
        "starts": [span.char_start for span in relation.spans],
        "ends": [span.char_end for span in relation.spans],
    }


def _places_of(
    found: Sequence[ExtractedRelation], version_id: int, locate: _Locator
) -> list[dict[str, Any]]:
    """Return where relations are said, each place once, as the index reads it."""
    spans = dict.fromkeys(span for relation in found for span in relation.spans)
    return [
        row_of(span, entity_id=None, version_id=version_id, section_id=locate(span.char_start))
        for span in spans
    ]


@database_store
class PostgresExtractedSections(EngineStore):
    """See `core.ports.extraction.ExtractedSections`. Safe from many processes."""

    async def find(
        self, keys: Sequence[bytes], /, *, model: str, prompt: str
    ) -> dict[bytes, ProposedFacts]:
        """See `ExtractedSections.find`.

        Raises:
            IntegrityError: A stored reading is damaged.
        """
        if not keys:
            return {}
        kept = extracted_sections.c
        query = select(kept.section_hash, kept.proposals).where(
            kept.section_hash.in_(keys), kept.model == model, kept.prompt == prompt
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        return {bytes(row.section_hash): _proposals(row.proposals) for row in rows}

    async def put(
        self,
        key: bytes,
        reading: SectionReading,
        /,
        *,
        model: str,
        prompt: str,
        dropped: Mapping[str, int],
    ) -> None:
        """See `ExtractedSections.put`."""
        row = insert(extracted_sections).values(
            section_hash=key,
            model=model,
            prompt=prompt,
            proposals=facts_to_json(reading.proposals),
            dropped=dict(dropped),
            usage=asdict(reading.tokens),
            cost_usd=reading.cost_usd,
        )
        async with self._engine.begin() as connection:
            await connection.execute(row.on_conflict_do_nothing())


def _proposals(stored: Json) -> ProposedFacts:
    try:
        return facts_from_json(stored)
    except ContractError as error:
        raise IntegrityError(f"a kept reading of a section is damaged: {error}") from error
