"""On a large corpus search takes the HNSW indexes, and finds with them what a scan finds."""

import json

import psycopg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.search import search_statements
from core.adapters.postgres.search.search import (
    _set_hnsw,  # pyright: ignore[reportPrivateUsage]
)
from core.adapters.postgres.search.search_statements import SearchPlan

ROWS = 12_000
VERSIONS = 120
"""Each with as many chunks."""
FILL = f"""
SET session_replication_role = replica;
SELECT setseed(0.5);
INSERT INTO citebound.embedding_spaces
  (id, provider, model, dimensions, revision, fusion_weight)
  OVERRIDING SYSTEM VALUE VALUES (1, 'test', 'random', 8, '1', 0.5);
INSERT INTO citebound.chunk_embeddings (space_id, chunk_id, version_id, vector)
SELECT 1, n, 1 + n % {VERSIONS},
       CAST(l2_normalize(CAST(ARRAY(SELECT random() - 0.5 FROM generate_series(1, 8) d WHERE n > 0)
                              AS vector)) AS halfvec)
  FROM generate_series(1, {ROWS}) n;
INSERT INTO citebound.chunk_terms (chunk_id, version_id, weights)
SELECT n, 1 + n % {VERSIONS},
       CAST('{{' || (1 + n % 97) || ':' || (1 + n % 5) || ',' || (100 + n % 89) || ':1}}/1000000'
            AS sparsevec)
  FROM generate_series(1, {ROWS}) n;
SELECT citebound.build_term_index(), citebound.build_vector_index(1);
ANALYZE citebound.chunk_embeddings; ANALYZE citebound.chunk_terms;
"""  # noqa: S608  # constants
ASKED = {
    "embedding": "[0.5,0.1,-0.4,0.3,0.2,-0.1,0.6,0.2]",
    "weights": "{5:2.5,120:1.0}/1000000",
    "arm_limit": 100,
}


def statement(arm: str, *, uses_index: bool) -> str:
    """Return one arm of a search within some versions."""
    plan = SearchPlan(space_id=1, dimensions=8, uses_index=uses_index)
    made: str = getattr(search_statements, f"_{arm}")(plan)
    return (
        "WITH live AS MATERIALIZED (SELECT unnest(CAST(:versions AS bigint[])) AS version_id),"  # noqa: S608  # constants
        f" query AS MATERIALIZED (SELECT CAST(:weights AS sparsevec) AS vector), {made}"
        f" SELECT chunk_id FROM {arm}"
    )


async def test_a_large_corpus_is_searched_by_its_indexes(
    engine: AsyncEngine, database_url: str
) -> None:
    """By the plan for any scope, which a connection keeps; in a narrow one, they find as much."""
    with psycopg.connect(database_url, autocommit=True) as filling:
        filling.execute(FILL.encode())
    async with engine.connect() as connection:
        await connection.execute(text("SET plan_cache_mode = force_generic_plan"))
        # So few rows would be read one after the other: which index is taken is what counts.
        await connection.execute(text("SET enable_seqscan = off"))
        await _set_hnsw(connection)
        for arm in ("lexical_arm", "dense_arm"):
            given = ASKED | {"versions": list(range(1, VERSIONS + 1))}
            by_index = statement(arm, uses_index=True)
            plan = json.dumps(
                await connection.scalar(text(f"EXPLAIN (FORMAT JSON) {by_index}"), given)
            )
            assert "_hnsw" in plan
            assert "version_id_idx" not in plan
            for versions in (VERSIONS, VERSIONS // 20):
                given["versions"] = list(range(1, versions + 1))
                found = set((await connection.scalars(text(by_index), given)).all())
                scan = text(statement(arm, uses_index=False))
                exact = set((await connection.scalars(scan, given)).all())
                assert len(found) == len(exact) == 100
                # Of words that score alike any hundred may be taken.
                assert arm == "lexical_arm" or len(found & exact) >= 95
