"""Policies, versions, sections and chunks in Postgres.

Publishing them, and reading what a scope may read.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import RowMapping, func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres import lexical_index
from core.adapters.postgres.ann_indexes import ensure_ann_indexes, is_large
from core.adapters.postgres.database import raises_transient
from core.adapters.postgres.facts import store_facts
from core.adapters.postgres.links import resolve_references, store_references
from core.adapters.postgres.locks import wait_for_publishing
from core.adapters.postgres.places import section_ref
from core.adapters.postgres.scope import LIVE, scope_parameters
from core.adapters.postgres.spaces import serving_id
from core.adapters.postgres.tables import chunks, editions, policies, policy_versions, sections
from core.domain.errors import IntegrityError, OvertakenError
from core.domain.ontology import SectionRef
from core.domain.policy import PolicyMetadata, PolicyVersion, Span, VersionId
from core.domain.question import Scope
from core.ports import EmbeddingSpace, Publication, Published, StoredVersion, Vector

_VERSIONS = f"""
SELECT v.*, p.key FROM {LIVE} live
  JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id ORDER BY p.key"""  # noqa: S608  # constants


class PostgresCorpusStore:
    """See `core.ports.CorpusStore`."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use a migrated database."""
        self._engine = engine

    @raises_transient
    async def versions_of(self, key: str, /) -> list[StoredVersion]:
        """See `CorpusStore.versions_of`."""
        query = (
            select(
                policy_versions,
                policies.c.key,
                select(func.count())
                .where(chunks.c.version_id == policy_versions.c.id)
                .scalar_subquery()
                .label("chunk_count"),
            )
            .join(policies)
            .where(policies.c.key == key, policy_versions.c.edition_until.is_(None))
            .order_by(policy_versions.c.number)
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return [
            StoredVersion(
                version_id=VersionId(row["id"]),
                number=row["number"],
                sha256=bytes(row["sha256"]),
                metadata=_metadata(row),
                has_chunks=row["chunk_count"] > 0,
                facts_hash=bytes(row["facts_hash"]) if row["facts_hash"] else None,
                facts_by=row["facts_by"],
            )
            for row in rows
        ]

    @raises_transient
    async def missing_embeddings(self, texts: Sequence[str], space: EmbeddingSpace, /) -> list[int]:
        """See `CorpusStore.missing_embeddings`."""
        hashes = [_hash(piece) for piece in texts]
        query = text(
            "SELECT DISTINCT c.content_hash FROM citebound.chunks c"
            " JOIN citebound.chunk_embeddings e ON e.chunk_id = c.id"
            " JOIN citebound.embedding_spaces s ON s.id = e.space_id"
            " WHERE c.content_hash = ANY(:hashes) AND s.provider = :provider AND s.model = :model"
            " AND s.dimensions = :dimensions AND s.revision = :revision"
        )
        async with self._engine.connect() as connection:
            known = {
                bytes(found)
                for found in await connection.scalars(
                    query,
                    {
                        "hashes": list(set(hashes)),
                        "provider": space.provider,
                        "model": space.model,
                        "dimensions": space.dimensions,
                        "revision": space.revision,
                    },
                )
            }
        missing: list[int] = []
        for index, digest in enumerate(hashes):
            if digest not in known:
                known.add(digest)
                missing.append(index)
        return missing

    @raises_transient
    async def publish(
        self,
        publication: Publication,
        /,
        *,
        after: VersionId | None,
        space: EmbeddingSpace | None,
        vectors: Mapping[str, Vector],
        on_day: date,
    ) -> Published:
        """See `CorpusStore.publish`."""
        async with self._engine.begin() as connection:
            await wait_for_publishing(connection)
            await _refuse_overtaken(connection, publication.metadata.key, after)
            edition = await _open_edition(connection, publication)
            version_id, number = await _insert_version(connection, publication, edition, on_day)
            if publication.replaces is not None:
                await _end_version(connection, publication.replaces, edition)
            section_ids = await _insert_sections(connection, publication, version_id)
            await _insert_chunks(connection, publication, version_id, section_ids)
            await store_facts(connection, publication, version_id, section_ids)
            await store_references(connection, publication, version_id, section_ids)
            await resolve_references(connection, version_id)
            if publication.chunks:
                await lexical_index.index_terms(connection, version_id)
                if space is not None:
                    space_id = await serving_id(connection, space)
                    await lexical_index.store_embeddings(connection, version_id, space_id, vectors)
        await self._index_if_large(space)
        return Published(
            version_id=VersionId(version_id),
            edition=edition,
            is_first=number == 1,
            chunks=len(publication.chunks),
            chunks_embedded=len(vectors),
            entities=len(publication.extraction.entities),
            relations=len(publication.extraction.relations),
            is_reread=publication.replaces is not None,
        )

    async def _index_if_large(self, space: EmbeddingSpace | None) -> None:
        async with self._engine.connect() as connection:
            large = await is_large(connection)
        if large:
            await ensure_ann_indexes(self._engine, space)

    @raises_transient
    async def versions(self, scope: Scope, /) -> list[PolicyVersion]:
        """See `CorpusStore.versions`."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(text(_VERSIONS), scope_parameters(scope))).mappings()
            return [
                PolicyVersion(
                    version_id=VersionId(row["id"]),
                    metadata=_metadata(row),
                    edition=row["edition_from"],
                    source_name=row["source_name"],
                )
                for row in rows
            ]

    @raises_transient
    async def current_edition(self) -> int | None:
        """See `CorpusStore.current_edition`."""
        async with self._engine.connect() as connection:
            return await connection.scalar(select(func.max(editions.c.number)))

    @raises_transient
    async def read_spans(self, spans: Sequence[Span], scope: Scope, /) -> dict[Span, str]:
        """See `CorpusStore.read_spans`."""
        query = text(
            "SELECT w.version_id, w.char_start, w.char_end,"  # noqa: S608
            " substr(v.text, w.char_start + 1, w.char_end - w.char_start) AS quote"
            " FROM unnest(CAST(:ids AS bigint[]), CAST(:starts AS int[]), CAST(:ends AS int[]))"
            "   AS w (version_id, char_start, char_end)"
            f" JOIN {LIVE} live ON live.version_id = w.version_id"
            " JOIN citebound.policy_versions v ON v.id = w.version_id"
            " WHERE 0 <= w.char_start AND w.char_start < w.char_end AND w.char_end <="
            " length(v.text)"
        )
        parameters = scope_parameters(scope) | _span_arrays(spans)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query, parameters)).all()
        return {
            Span(version_id=VersionId(row[0]), char_start=row[1], char_end=row[2]): row[3]
            for row in rows
        }

    @raises_transient
    async def has_chunks(self, scope: Scope, /) -> bool:
        """See `CorpusStore.has_chunks`."""
        query = text(
            f"SELECT EXISTS (SELECT FROM {LIVE} live JOIN citebound.chunks c USING (version_id))"  # noqa: S608
        )
        async with self._engine.connect() as connection:
            return bool(await connection.scalar(query, scope_parameters(scope)))

    @raises_transient
    async def places(self, spans: Sequence[Span], /) -> dict[Span, SectionRef]:
        """See `CorpusStore.places`."""
        query = text(
            "SELECT w.version_id, w.char_start, w.char_end, p.key, v.title, v.label,"
            " v.jurisdiction,"
            " s.eid, s.number, s.title AS section_title, s.path, v.page_starts"
            " FROM unnest(CAST(:ids AS bigint[]), CAST(:starts AS int[]), CAST(:ends AS int[]))"
            "   AS w (version_id, char_start, char_end)"
            " JOIN citebound.policy_versions v ON v.id = w.version_id"
            " JOIN citebound.policies p ON p.id = v.policy_id"
            " JOIN citebound.sections s ON s.version_id = v.id"
            "   AND s.char_start <= w.char_start AND w.char_start < s.char_end"
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query, _span_arrays(spans))).mappings().all()
        return {
            Span(
                version_id=VersionId(row["version_id"]),
                char_start=row["char_start"],
                char_end=row["char_end"],
            ): section_ref(row)
            for row in rows
        }


def _span_arrays(spans: Sequence[Span]) -> dict[str, list[int]]:
    return {
        "ids": [span.version_id for span in spans],
        "starts": [span.char_start for span in spans],
        "ends": [span.char_end for span in spans],
    }


def _hash(content: str) -> bytes:
    return hashlib.sha256(content.encode()).digest()


def _metadata(row: RowMapping) -> PolicyMetadata:
    return PolicyMetadata(
        key=row["key"],
        title=row["title"],
        label=row["label"],
        owner=row["owner"],
        jurisdiction=row["jurisdiction"],
        audience=frozenset(row["audience"]),
        tags=frozenset(row["tags"]),
        effective_from=row["effective_from"],
        effective_until=row["effective_until"],
        upload_id=row["upload_id"],
    )


async def _refuse_overtaken(connection: AsyncConnection, key: str, after: VersionId | None) -> None:
    """Refuse what was decided without having seen the newest version."""
    newest = await connection.scalar(
        select(policy_versions.c.id)
        .join(policies)
        .where(policies.c.key == key, policy_versions.c.edition_until.is_(None))
        .order_by(policy_versions.c.number.desc())
        .limit(1)
    )
    if newest != after:
        raise OvertakenError(
            f"another ingestion of this policy was faster: expected {after!r} to be the newest"
            f" version of {key!r}, got {newest!r}"
        )


async def _open_edition(connection: AsyncConnection, publication: Publication) -> int:
    newest = await connection.scalar(select(func.max(editions.c.number)))
    edition = (newest or 0) + 1
    await connection.execute(
        editions.insert().values(number=edition, note=f"{publication.metadata.key} published")
    )
    return edition


async def _end_version(connection: AsyncConnection, replaced: VersionId, edition: int) -> None:
    """Let earlier editions keep a version that this one has anew."""
    await connection.execute(
        policy_versions.update()
        .where(policy_versions.c.id == replaced)
        .values(edition_until=edition)
    )


async def _insert_version(
    connection: AsyncConnection, publication: Publication, edition: int, on_day: date
) -> tuple[int, int]:
    given = publication.metadata
    policy_id = await connection.scalar(select(policies.c.id).where(policies.c.key == given.key))
    if policy_id is None:
        policy_id = await connection.scalar(
            policies.insert().values(key=given.key).returning(policies.c.id)
        )
    newest = await connection.scalar(
        select(func.max(policy_versions.c.number)).where(policy_versions.c.policy_id == policy_id)
    )
    number = (newest or 0) + 1
    # A later version that does not say since when it holds, holds from now on: the earlier one
    # stays right for the past.
    is_later = number > 1 and publication.replaces is None
    effective_from = given.effective_from or (on_day if is_later else None)
    version_id = await connection.scalar(
        policy_versions.insert()
        .values(
            policy_id=policy_id,
            number=number,
            edition_from=edition,
            title=given.title,
            label=given.label,
            owner=given.owner,
            jurisdiction=given.jurisdiction,
            audience=sorted(given.audience),
            tags=sorted(given.tags),
            effective_from=effective_from,
            effective_until=given.effective_until,
            upload_id=given.upload_id,
            source_name=publication.source_name,
            media_type=publication.document.media_type,
            sha256=hashlib.sha256(publication.original).digest(),
            original=publication.original,
            text=publication.document.text,
            page_starts=list(publication.document.page_starts),
            notes=list(publication.document.notes),
            facts_hash=publication.extraction.sha256(),
            facts_by=publication.facts_by,
        )
        .returning(policy_versions.c.id)
    )
    if version_id is None:
        raise IntegrityError("the database returned no id for a new version")
    return version_id, number


async def _insert_sections(
    connection: AsyncConnection, publication: Publication, version_id: int
) -> dict[int, int]:
    if not publication.sections:
        raise IntegrityError(f"{publication.source_name} has no sections")
    await connection.execute(
        sections.insert(),
        [
            {
                "version_id": version_id,
                "ordinal": section.ordinal,
                "eid": section.eid,
                "number": section.number,
                "title": section.title,
                "path": list(section.path),
                "level": section.level,
                "page": section.page,
                "char_start": section.char_start,
                "body_start": section.body_start,
                "char_end": section.char_end,
            }
            for section in publication.sections
        ],
    )
    rows = await connection.execute(
        select(sections.c.ordinal, sections.c.id).where(sections.c.version_id == version_id)
    )
    return {row.ordinal: row.id for row in rows}


async def _insert_chunks(
    connection: AsyncConnection,
    publication: Publication,
    version_id: int,
    section_ids: Mapping[int, int],
) -> None:
    rows: list[dict[str, Any]] = []
    for chunk in publication.chunks:
        if (
            chunk.text != publication.document.text[chunk.char_start : chunk.char_end]
            or not chunk.text
        ):
            raise IntegrityError(f"chunk {chunk.chunk_id} is not the text at its span")
        rows.append(
            {
                "version_id": version_id,
                "section_id": section_ids[chunk.section_ordinal],
                "chunk_id": chunk.chunk_id,
                "chunk_index": chunk.chunk_index,
                "section_title": chunk.section_title,
                "page_number": chunk.page_number,
                "char_start": chunk.char_start,
                "char_end": chunk.char_end,
                "text": chunk.text,
                "content_hash": _hash(chunk.text),
            }
        )
    if rows:
        await connection.execute(chunks.insert(), rows)
