"""On a large corpus search takes the HNSW indexes, and finds with them what a scan finds."""

import json

import psycopg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.search.search import (
    _set_hnsw,  # pyright: ignore[reportPrivateUsage]
)
from tests.chunk_rows import arm, fill

ROWS = 12_000
VERSIONS = 120
"""Each with as many chunks."""
DIMENSIONS = 8
ASKED = {
    "embedding": "[0.5,0.1,-0.4,0.3,0.2,-0.1,0.6,0.2]",
    "weights": "{5:2.5,120:1.0}/1000000",
    "arm_limit": 100,
}


async def test_a_large_corpus_is_searched_by_its_indexes(
    engine: AsyncEngine, database_url: str
) -> None:
    """By the plan for any scope, which a connection keeps; in a narrow one, they find as much."""
    with psycopg.connect(database_url, autocommit=True) as filling:
        filling.execute(fill(ROWS, versions=VERSIONS, dimensions=DIMENSIONS).encode())
    async with engine.connect() as connection:
        await connection.execute(text("SET plan_cache_mode = force_generic_plan"))
        # So few rows would be read one after the other: which index is taken is what counts.
        await connection.execute(text("SET enable_seqscan = off"))
        await _set_hnsw(connection)
        for name in ("lexical_arm", "dense_arm"):
            given = ASKED | {"versions": list(range(1, VERSIONS + 1))}
            by_index, scan = (
                arm(name, dimensions=DIMENSIONS, uses_index=uses_index)
                for uses_index in (True, False)
            )
            plan = json.dumps(
                await connection.scalar(text(f"EXPLAIN (FORMAT JSON) {by_index}"), given)
            )
            assert "_hnsw" in plan
            assert "version_id_idx" not in plan
            for versions in (VERSIONS, VERSIONS // 20):
                given["versions"] = list(range(1, versions + 1))
                found = set((await connection.scalars(by_index, given)).all())
                exact = set((await connection.scalars(scan, given)).all())
                assert len(found) == len(exact) == 100
                # Of words that score alike any hundred may be taken.
                assert name == "lexical_arm" or len(found & exact) >= 95
