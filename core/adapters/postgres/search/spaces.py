"""Embedding spaces in Postgres: list, fill in batches, switch atomically, drop.

Filling commits each batch, so an interrupted build resumes where it stopped. Switching takes the
lock under which versions are published: what was published during the build is either in the space
or found missing.
"""

import hashlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import EngineStore, database_store
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.transactions import (
    AdvisoryLock,
    held_if_free,
    reading,
    wait_for_publishing,
)
from core.adapters.postgres.search.indexes import (
    SPACE_ID,
    drop_ann_index,
    ensure_ann_indexes,
    is_large,
    space_id_for,
    space_parameters,
    vector_literal,
)
from core.domain.errors import IntegrityError, OccupiedError, OvertakenError, UsageError
from core.ports import EmbeddingSpace, Vector
from core.ports.search import Gap, SpaceState, StoredSpace

_SPACES = text("""
SELECT s.*, counted.embedded, (SELECT count(*) FROM citebound.chunks) AS chunks
  FROM citebound.embedding_spaces s
 CROSS JOIN LATERAL (SELECT count(*) AS embedded FROM citebound.chunk_embeddings e
                      WHERE e.space_id = s.id) counted
 ORDER BY s.state <> 'serving', s.id
""")

_SERVING = text("SELECT * FROM citebound.embedding_spaces WHERE state = 'serving'")

_LACKING = """
  FROM citebound.chunks c
 WHERE NOT EXISTS (SELECT FROM citebound.chunk_embeddings e
                    WHERE e.chunk_id = c.id AND e.space_id = :space_id)"""

_GAP = text(f"""
SELECT CAST(coalesce(sum(t.chunks), 0) AS bigint) AS chunks, count(*) AS texts,
       CAST(coalesce(sum(t.characters), 0) AS bigint) AS characters
  FROM (SELECT count(*) AS chunks, max(length(c.text)) AS characters
        {_LACKING} GROUP BY c.content_hash) t
""")  # noqa: S608  # our own words

_UNEMBEDDED = text(f"""
SELECT c.text
  FROM (SELECT min(c.id) AS id {_LACKING} GROUP BY c.content_hash LIMIT :most) t
  JOIN citebound.chunks c ON c.id = t.id ORDER BY c.id
""")  # noqa: S608  # our own words

_COPY_TWINS = text(f"""
INSERT INTO citebound.chunk_embeddings (space_id, chunk_id, version_id, vector)
SELECT DISTINCT ON (c.id) e.space_id, c.id, c.version_id, e.vector
  FROM (SELECT c.id, c.version_id, c.content_hash {_LACKING}) c
  JOIN citebound.chunks twin ON twin.content_hash = c.content_hash
  JOIN citebound.chunk_embeddings e ON e.chunk_id = twin.id AND e.space_id = :space_id
ON CONFLICT DO NOTHING
""")  # noqa: S608  # our own words

_FILL = text("""
INSERT INTO citebound.chunk_embeddings (space_id, chunk_id, version_id, vector)
SELECT :space_id, c.id, c.version_id, CAST(given.vector AS halfvec)
  FROM unnest(CAST(:hashes AS bytea[]), CAST(:vectors AS text[])) AS given (hash, vector)
  JOIN citebound.chunks c ON c.content_hash = given.hash
ON CONFLICT DO NOTHING
""")


@database_store
class PostgresSpaceStore(EngineStore):
    """See `core.ports.search.SpaceStore`."""

    async def serving(self) -> EmbeddingSpace | None:
        """See `SpaceStore.serving`."""
        async with reading(self._engine) as connection:
            row = (await connection.execute(_SERVING)).one_or_none()
        return None if row is None else _space(row)

    async def spaces(self) -> list[StoredSpace]:
        """See `SpaceStore.spaces`."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_SPACES)).all()
        return [
            StoredSpace(
                space=_space(row),
                state=SpaceState(row.state),
                embedded=row.embedded,
                missing=row.chunks - row.embedded,
            )
            for row in rows
        ]

    async def begin(self, space: EmbeddingSpace, /) -> None:
        """See `SpaceStore.begin`."""
        async with self._engine.begin() as connection:
            space_id = await space_id_for(connection, space)
            await connection.execute(
                text(
                    "UPDATE citebound.embedding_spaces SET state = 'building'"
                    " WHERE id = :space_id AND state = 'kept'"
                ),
                {"space_id": space_id},
            )
            await connection.execute(_COPY_TWINS, {"space_id": space_id})

    async def gap(self, space: EmbeddingSpace, /) -> Gap:
        """See `SpaceStore.gap`."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(_GAP, {"space_id": await _id(connection, space)})).one()
        return Gap(chunks=row.chunks, texts=row.texts, characters=row.characters)

    async def unembedded(self, space: EmbeddingSpace, /, *, limit: int) -> list[str]:
        """See `SpaceStore.unembedded`."""
        async with self._engine.connect() as connection:
            parameters = {"space_id": await _id(connection, space), "most": limit}
            return list(await connection.scalars(_UNEMBEDDED, parameters))

    async def fill(self, space: EmbeddingSpace, vectors: Mapping[str, Vector], /) -> None:
        """See `SpaceStore.fill`."""
        async with self._engine.begin() as connection:
            await connection.execute(
                _FILL,
                {
                    "space_id": await space_id_for(connection, space),
                    "hashes": [hashlib.sha256(content.encode()).digest() for content in vectors],
                    "vectors": [vector_literal(vector) for vector in vectors.values()],
                },
            )

    async def switch(self, space: EmbeddingSpace, /) -> int:
        """See `SpaceStore.switch`.

        On a large corpus the index is built first, while the other space still serves.
        """
        async with self._engine.connect() as connection:
            large = await is_large(connection)
        if large:
            await ensure_ann_indexes(self._engine, space)
        async with self._engine.begin() as connection:
            await wait_for_publishing(connection)
            space_id = await space_id_for(connection, space)
            missing = await connection.scalar(
                text(f"SELECT count(*) {_LACKING}"),
                {"space_id": space_id},
            )
            if not missing:
                await _serve(connection, space_id)
            return missing or 0

    async def drop(self, space: EmbeddingSpace, /) -> int:
        """See `SpaceStore.drop`."""
        async with self._engine.begin() as connection:
            row = (
                await connection.execute(
                    text(
                        "SELECT id, state FROM citebound.embedding_spaces"  # noqa: S608
                        f" WHERE id = ({SPACE_ID}) FOR UPDATE"
                    ),
                    space_parameters(space),
                )
            ).one_or_none()
            if row is None:
                return 0
            if row.state == SpaceState.SERVING:
                raise UsageError(f"{space.name} serves: switch to another space first")
            of_space = {"space_id": row.id}
            deleted = await connection.execute(
                text("DELETE FROM citebound.chunk_embeddings WHERE space_id = :space_id"), of_space
            )
            await connection.execute(
                text("DELETE FROM citebound.embedding_spaces WHERE id = :space_id"), of_space
            )
        await drop_ann_index(self._engine, row.id)
        return deleted.rowcount

    @asynccontextmanager
    async def one_builder(self) -> AsyncGenerator[None]:
        """Be the only process that fills spaces.

        Raises:
            OccupiedError: Another one does.
        """
        async with held_if_free(self._engine, AdvisoryLock.FILLING_SPACES) as is_ours:
            if not is_ours:
                raise OccupiedError(
                    "another process is embedding this corpus: wait until it is done"
                )
            yield


async def _id(connection: AsyncConnection, space: EmbeddingSpace) -> int:
    """Return the id of a space; 0 if it was never begun."""
    return await connection.scalar(text(SPACE_ID), space_parameters(space)) or 0


async def serving_id(connection: AsyncConnection, space: EmbeddingSpace) -> int:
    """Return the id of the serving space, in a transaction that publishes.

    Where none serves yet, this one does from now on.

    Raises:
        OvertakenError: Another space serves; embed in that one.
    """
    row = (await connection.execute(_SERVING)).one_or_none()
    if row is None:
        space_id = await space_id_for(connection, space)
        await _serve(connection, space_id)
        return space_id
    serving = _space(row)
    if serving.identity != space.identity:
        raise OvertakenError(
            f"the corpus is embedded in {serving.name} by now, not in {space.name}"
        )
    return row.id


async def _serve(connection: AsyncConnection, space_id: int) -> None:
    """Make a space the serving one, and keep the previous one."""
    await connection.execute(
        text("UPDATE citebound.embedding_spaces SET state = 'kept' WHERE state = 'serving'")
    )
    done = await connection.execute(
        text("UPDATE citebound.embedding_spaces SET state = 'serving' WHERE id = :space_id"),
        {"space_id": space_id},
    )
    if done.rowcount != 1:
        raise IntegrityError(f"there is no embedding space {space_id}")


def _space(row: "Row[tuple[object, ...]]") -> EmbeddingSpace:
    return record(EmbeddingSpace, row, is_measured=True)
