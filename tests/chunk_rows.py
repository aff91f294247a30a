"""Rows of chunks as a large corpus has them, made in the database, with their indexes."""

from sqlalchemy import TextClause, text

from core.adapters.postgres.search import search_statements
from core.adapters.postgres.search.search_statements import SearchPlan


def fill(rows: int, *, versions: int, dimensions: int) -> str:
    """Return the SQL that makes chunks of random vectors and words, spread over some versions."""
    return f"""
SET session_replication_role = replica;
SELECT setseed(0.5);
INSERT INTO citebound.embedding_spaces
  (id, provider, model, dimensions, revision, fusion_weight)
  OVERRIDING SYSTEM VALUE VALUES (1, 'test', 'random', {dimensions}, '1', 0.5);
INSERT INTO citebound.chunk_embeddings (space_id, chunk_id, version_id, vector)
SELECT 1, n, 1 + n % {versions},
       CAST(l2_normalize(CAST(ARRAY(
         SELECT random() - 0.5 FROM generate_series(1, {dimensions}) d WHERE n > 0
       ) AS vector)) AS halfvec)
  FROM generate_series(1, {rows}) n;
INSERT INTO citebound.chunk_terms (chunk_id, version_id, weights)
SELECT n, 1 + n % {versions},
       CAST('{{' || (1 + n % 97) || ':' || (1 + n % 5) || ',' || (100 + n % 89) || ':1}}/1000000'
            AS sparsevec)
  FROM generate_series(1, {rows}) n;
SELECT citebound.build_term_index(), citebound.build_vector_index(1);
ANALYZE citebound.chunk_embeddings; ANALYZE citebound.chunk_terms;
"""  # noqa: S608  # constants


def arm(name: str, *, dimensions: int, uses_index: bool) -> TextClause:
    """Return one arm of a search within `:versions`, by `:embedding` and `:weights`."""
    plan = SearchPlan(space_id=1, dimensions=dimensions, uses_index=uses_index)
    made: str = getattr(search_statements, f"_{name}")(plan)
    return text(
        "WITH live AS MATERIALIZED (SELECT unnest(CAST(:versions AS bigint[])) AS version_id),"  # noqa: S608  # constants
        f" query AS MATERIALIZED (SELECT CAST(:weights AS sparsevec) AS vector), {made}"
        f" SELECT chunk_id FROM {name}"
    )
