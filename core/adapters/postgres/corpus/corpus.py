"""The corpus in Postgres: publishes versions of policies."""

from collections.abc import Mapping, Sequence
from datetime import date

from sqlalchemy import RowMapping, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus_reader import PostgresCorpusReader
from core.adapters.postgres.corpus.cross_references import resolve_references, store_references
from core.adapters.postgres.corpus.publication_events import record_publication
from core.adapters.postgres.corpus.publishing import (
    content_hash,
    end_version,
    insert_chunks,
    insert_sections,
    insert_version,
    note_file,
    note_readers,
    open_edition,
    refuse_overtaken,
)
from core.adapters.postgres.corpus.source_changes import note_version
from core.adapters.postgres.corpus.untold_editions import note_untold
from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.rows import record, row_of
from core.adapters.postgres.engine.tables import policy_versions, sections
from core.adapters.postgres.engine.transactions import wait_for_publishing
from core.adapters.postgres.ontology.ontology_writer import store_facts
from core.adapters.postgres.search import indexes
from core.adapters.postgres.search.indexes import ensure_ann_indexes, is_large, weigh_anew
from core.adapters.postgres.search.spaces import serving_id
from core.domain.policy import Chunk, Section, Withdrawal
from core.ingest import READING
from core.language.spans import VersionId
from core.ports import EmbeddingSpace, Publication, Published, StoredVersion, Vector
from core.ports.corpus import StoredDocument

_VERSIONS_OF = text(
    "SELECT v.*, v.id AS version_id, p.key, f.path AS read_from, w.edition,"
    " w.withdrawn_from AS since, w.is_file_gone, w.reason,"
    " EXISTS (SELECT FROM citebound.chunks c WHERE c.version_id = v.id) AS has_chunks"
    " FROM citebound.policies p JOIN citebound.policy_versions v ON v.policy_id = p.id"
    " LEFT JOIN citebound.policy_files f ON f.policy_id = p.id"
    " LEFT JOIN LATERAL (SELECT * FROM citebound.withdrawals w WHERE w.policy_id = p.id"
    "  AND w.edition > v.edition_from ORDER BY w.edition DESC LIMIT 1) w ON true"
    " WHERE p.key = :key AND v.edition_until IS NULL ORDER BY v.number"
)

_OUTDATED = text("""
SELECT p.key FROM citebound.policies p
 CROSS JOIN LATERAL (SELECT * FROM citebound.policy_versions v
                      WHERE v.policy_id = p.id AND v.edition_until IS NULL
                      ORDER BY v.number DESC LIMIT 1) v
 WHERE v.reading < :reading
   AND NOT EXISTS (SELECT FROM citebound.withdrawals w
                    WHERE w.policy_id = p.id AND w.edition > v.edition_from)
 ORDER BY p.key""")
_CHUNKS = text("""
SELECT c.*, s.ordinal AS section_ordinal
  FROM citebound.chunks c JOIN citebound.sections s ON s.id = c.section_id
 WHERE c.version_id = :version ORDER BY c.chunk_index""")


@database_store
class PostgresCorpusStore(PostgresCorpusReader):
    """See `core.ports.CorpusStore`."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, operator: str) -> None:
        super().__init__(engine)
        self._ledger = ledger
        self._operator = operator

    async def versions_of(self, key: str, /) -> list[StoredVersion]:
        """See `CorpusStore.versions_of`."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_VERSIONS_OF, {"key": key})).mappings().all()
        return [record(StoredVersion, row, withdrawal=_withdrawal(row)) for row in rows]

    async def note_file(self, key: str, path: str, /) -> None:
        """See `CorpusStore.note_file`."""
        async with self._engine.begin() as connection:
            await note_file(connection, key, path)

    async def outdated(self) -> list[str]:
        """See `CorpusStore.outdated`."""
        async with self._engine.connect() as connection:
            return list(await connection.scalars(_OUTDATED, {"reading": READING}))

    async def document(self, version: VersionId, /) -> StoredDocument:
        """See `CorpusStore.document`."""
        of_version = select(policy_versions).where(policy_versions.c.id == version)
        its_sections = select(sections).where(sections.c.version_id == version)
        async with self._engine.connect() as connection:
            row = (await connection.execute(of_version)).mappings().one()
            parts = await connection.execute(its_sections.order_by(sections.c.ordinal))
            pieces = await connection.execute(_CHUNKS, {"version": version})
        return record(
            StoredDocument,
            row,
            sections=tuple(record(Section, part) for part in parts),
            chunks=tuple(record(Chunk, piece) for piece in pieces),
        )

    async def note_reading(self, version: VersionId, /) -> None:
        """See `CorpusStore.note_reading`."""
        noted = policy_versions.update().where(policy_versions.c.id == version)
        async with self._engine.begin() as connection:
            await connection.execute(noted.values(reading=READING))

    async def missing_embeddings(self, texts: Sequence[str], space: EmbeddingSpace, /) -> list[int]:
        """See `CorpusStore.missing_embeddings`."""
        hashes = [content_hash(piece) for piece in texts]
        query = text(
            "SELECT DISTINCT c.content_hash FROM citebound.chunks c"
            " JOIN citebound.chunk_embeddings e ON e.chunk_id = c.id"
            " JOIN citebound.embedding_spaces s ON s.id = e.space_id"
            " WHERE c.content_hash = ANY(:hashes) AND s.provider = :provider AND s.model = :model"
            " AND s.dimensions = :dimensions AND s.revision = :revision"
        )
        async with self._engine.connect() as connection:
            given = {"hashes": list(set(hashes)), **row_of(space)}
            known = {bytes(found) for found in await connection.scalars(query, given)}
        missing: list[int] = []
        for index, digest in enumerate(hashes):
            if digest not in known:
                known.add(digest)
                missing.append(index)
        return missing

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
            await refuse_overtaken(connection, publication, after)
            key = publication.metadata.key
            edition = await open_edition(connection, f"{key} published")
            row = await insert_version(connection, publication, edition, on_day)
            version_id = row.version_id
            if publication.replaces is not None:
                await end_version(connection, publication.replaces, edition)
            if publication.read_from is not None:
                await note_file(connection, key, publication.read_from)
            await note_readers(connection, publication, edition)
            section_ids = await insert_sections(connection, publication, version_id)
            await insert_chunks(connection, publication, version_id, section_ids)
            await store_facts(connection, publication, version_id, section_ids)
            await store_references(connection, publication, version_id, section_ids)
            await resolve_references(connection, version_id=version_id, policy_id=row.policy_id)
            if publication.chunks:
                await indexes.index_terms(connection, version_id)
                if space is not None:
                    space_id = await serving_id(connection, space)
                    await indexes.store_embeddings(connection, version_id, space_id, vectors)
            await record_publication(
                connection,
                self._ledger,
                publication,
                edition=edition,
                version_id=version_id,
                after=after,
                operator=self._operator,
            )
            await note_untold(connection, edition, run=publication.run, operator=self._operator)
            await note_version(connection, publication.source, key, version_id)
        await self._index_if_large(space)
        return Published(
            version_id=VersionId(version_id),
            edition=edition,
            is_first=row.number == 1,
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
            await weigh_anew(self._engine)
            await ensure_ann_indexes(self._engine, space)


def _withdrawal(row: RowMapping) -> Withdrawal | None:
    return None if row["edition"] is None else record(Withdrawal, row)
