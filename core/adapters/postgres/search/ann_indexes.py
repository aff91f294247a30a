"""Approximate indexes: needed once a corpus is too large to scan for every question."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.ports import EmbeddingSpace

EXACT_LIMIT = 20_000
"""Chunks in scope up to which scanning beats the indexes."""

SPACE_ID = (
    "SELECT id FROM citebound.embedding_spaces WHERE provider = CAST(:space_provider AS text)"
    " AND model = CAST(:space_model AS text) AND dimensions = CAST(:space_dimensions AS int)"
    " AND revision = CAST(:space_revision AS text)"
)
"""A scalar query; its parameters come from `space_parameters`."""


async def ensure_ann_indexes(engine: AsyncEngine, space: EmbeddingSpace | None) -> None:
    """Build the HNSW indexes, concurrently; a no-op for those that are there.

    Takes minutes on a large corpus; reading and publishing go on. Needed above `EXACT_LIMIT`.
    """
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await _drop_unfinished(connection)
        await connection.execute(
            text(
                "CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_terms_weights_hnsw"
                " ON citebound.chunk_terms USING hnsw (weights sparsevec_ip_ops)"
            )
        )
        space_id = await find_space(connection, space) if space else None
        if space is not None and space_id is not None:
            await connection.execute(
                text(
                    f"CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_embeddings_{space_id}_hnsw"
                    " ON citebound.chunk_embeddings USING hnsw"
                    f" (CAST(vector AS halfvec({space.dimensions})) halfvec_ip_ops)"
                    f" WHERE space_id = {space_id}"
                )
            )


async def _drop_unfinished(connection: AsyncConnection) -> None:
    """Drop indexes whose building was interrupted: they are there, and of no use.

    One that is being built now is left: whoever builds it holds a lock on its table.
    """
    unfinished = await connection.scalars(
        text(
            "SELECT i.indexrelid::regclass::text FROM pg_index i"
            " WHERE NOT i.indisvalid AND i.indexrelid::regclass::text LIKE 'citebound.%hnsw'"
            " AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p"
            "                  WHERE p.relid = i.indrelid)"
        )
    )
    for name in unfinished.all():
        await connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {name}"))


async def drop_ann_index(engine: AsyncEngine, space_id: int) -> None:
    """Drop the index of a space that was dropped; a no-op if it had none."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(
            text(f"DROP INDEX CONCURRENTLY IF EXISTS citebound.chunk_embeddings_{space_id:d}_hnsw")
        )


async def find_space(connection: AsyncConnection, space: EmbeddingSpace) -> int | None:
    """Return the id of the space; None: nothing was embedded in it yet."""
    return await connection.scalar(text(SPACE_ID), space_parameters(space))


def space_parameters(space: EmbeddingSpace | None) -> dict[str, object]:
    """Return the values of the parameters in `SPACE_ID`; without a space it finds none."""
    return {
        "space_provider": space.provider if space else None,
        "space_model": space.model if space else None,
        "space_dimensions": space.dimensions if space else None,
        "space_revision": space.revision if space else None,
    }


async def is_large(connection: AsyncConnection) -> bool:
    """Say whether the corpus has more chunks than an exact scan should read."""
    counted = await connection.scalar(text("SELECT sum(chunks) FROM citebound.indexed_versions"))
    return bool(counted and counted > EXACT_LIMIT)
