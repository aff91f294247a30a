"""Store extracted facts with their provenance, and the readings of sections by a model."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.tables import entities, extracted_sections, provenance, relations
from core.adapters.postgres.ontology.fact_index import index_facts
from core.domain.errors import ContractError, IntegrityError
from core.domain.json_value import Json
from core.domain.ontology import ExtractedEntity, ExtractedRelation
from core.domain.policy import Section
from core.domain.proposals import ProposedFacts, facts_from_json, facts_to_json
from core.language.spans import TextSpan
from core.ports import Publication
from core.ports.extraction import SectionReading

_T = TypeVar("_T")
BATCH = 2_000
"""Rows of a statement; Postgres takes at most 65,535 parameters."""


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
    entity_ids = await _store_entities(connection, extraction.entities)
    relation_ids = await _store_relations(connection, extraction.relations, entity_ids)
    locate = _Locator(publication.sections, section_ids)
    rows = [
        _said(version_id, locate, span, entity_id=entity_ids[entity.key])
        for entity in extraction.entities
        for span in entity.spans
    ]
    rows += [
        _said(version_id, locate, span, relation_id=relation_id)
        for relation, relation_id in zip(extraction.relations, relation_ids, strict=True)
        for span in relation.spans
    ]
    for batch in _batches(rows):
        await connection.execute(provenance.insert(), batch)
    await index_facts(connection, version_id)


class _Locator:
    """Finds the section of an offset; sections are in text order."""

    def __init__(self, sections: Sequence[Section], ids: Mapping[int, int]) -> None:
        self._starts = [section.char_start for section in sections]
        self._ids = [ids[section.ordinal] for section in sections]

    def __call__(self, offset: int) -> int:
        return self._ids[max(0, bisect_right(self._starts, offset) - 1)]


def _said(
    version_id: int,
    locate: _Locator,
    span: TextSpan,
    *,
    entity_id: int | None = None,
    relation_id: int | None = None,
) -> dict[str, Any]:
    return {
        "version_id": version_id,
        "section_id": locate(span.char_start),
        "entity_id": entity_id,
        "relation_id": relation_id,
        "char_start": span.char_start,
        "char_end": span.char_end,
    }


async def _store_entities(
    connection: AsyncConnection, found: Sequence[ExtractedEntity]
) -> dict[str, int]:
    ids: dict[str, int] = {}
    for batch in _batches([_entity(entity) for entity in found]):
        await connection.execute(insert(entities).on_conflict_do_nothing(), batch)
        rows = await connection.execute(
            select(entities.c.key, entities.c.content_hash, entities.c.id).where(
                entities.c.key.in_([entity["key"] for entity in batch])
            )
        )
        known = {(row.key, bytes(row.content_hash)): row.id for row in rows}
        ids |= {entity["key"]: known[entity["key"], entity["content_hash"]] for entity in batch}
    return ids


def _entity(entity: ExtractedEntity) -> dict[str, Any]:
    content: dict[str, Any] = {
        "type": entity.type.value,
        "name": entity.name,
        "aliases": list(entity.aliases),
        "description": entity.description,
        "attributes": dict(entity.attributes),
    }
    written = json.dumps(content, sort_keys=True).encode()
    return content | {"key": entity.key, "content_hash": hashlib.sha256(written).digest()}


async def _store_relations(
    connection: AsyncConnection, found: Sequence[ExtractedRelation], entity_ids: Mapping[str, int]
) -> list[int]:
    ids: dict[tuple[int, str, int], int] = {}
    wanted: list[tuple[int, str, int]] = []
    for relation in found:
        if relation.source not in entity_ids or relation.target not in entity_ids:
            raise IntegrityError(
                f"relation {relation.source} {relation.type} {relation.target} lacks an end"
            )
        wanted.append(
            (entity_ids[relation.source], relation.type.value, entity_ids[relation.target])
        )
    for batch in _batches(list(zip(wanted, found, strict=True))):
        added = [
            {"source_id": s, "type": t, "target_id": o, "attributes": dict(relation.attributes)}
            for (s, t, o), relation in batch
        ]
        await connection.execute(insert(relations).on_conflict_do_nothing(), added)
        sources = {key[0] for key, _ in batch}
        rows = await connection.execute(
            select(
                relations.c.id, relations.c.source_id, relations.c.type, relations.c.target_id
            ).where(relations.c.source_id.in_(sources))
        )
        ids |= {(row.source_id, row.type, row.target_id): row.id for row in rows}
    return [ids[key] for key in wanted]


def _batches(items: Sequence[_T]) -> Iterable[Sequence[_T]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


class PostgresExtractedSections:
    """See `core.ports.extraction.ExtractedSections`. Safe from many processes."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @raises_transient
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

    @raises_transient
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
