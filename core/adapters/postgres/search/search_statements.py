# ruff: noqa: S608  # assembled from the constants below; every value is a parameter
"""The SQL statements of search, built with or without vectors and indexes.

Common parts, in order: `live` (versions in scope), `words` (the question's words with their idf),
`query` (the same as a vector); then candidates, their scores, and the columns of a result.
All variable values are parameters; only ids and sizes from our own tables are written into the
text, because an index on an expression is only used if the expression is the same.
"""

from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import TextClause, text

from core.adapters.postgres.engine.scope import LIVE
from core.adapters.postgres.search.indexes import LEXICAL_DIMENSIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPlan:
    """The variants of a statement."""

    space_id: int | None
    """Embedding space; None: words alone."""
    dimensions: int
    """Of the space's vectors; 0 without a space."""
    uses_index: bool
    """True: HNSW indexes; False: a scan of the scope."""


SUBSECTIONS = 40
"""Sections after a named one that may be its subsections."""

PLACE_COST = 0.03
"""Deducted from a neighbour's fused score for each rank of the hit that leads to it."""

SEARCHED = f"""
SELECT live.version_id FROM {LIVE} live
 WHERE cardinality(CAST(:policies AS text[])) = 0
    OR EXISTS (SELECT FROM citebound.policy_versions v
                 JOIN citebound.policies p ON p.id = v.policy_id
                WHERE v.id = live.version_id AND p.key = ANY(CAST(:policies AS text[])))"""
"""The versions in scope, restricted to the policies to search, if any are named."""

_QUESTION = f"""
WITH live AS MATERIALIZED ({SEARCHED}),
words AS MATERIALIZED (
  SELECT q.lexeme, q.positions, t.id,
         ln(1 + (st.chunks - coalesce(t.df, 0) + 0.5) / (coalesce(t.df, 0) + 0.5)) AS idf
    FROM unnest(to_tsvector(CAST(:configuration AS regconfig), :question)) q
    LEFT JOIN citebound.terms t ON t.term = q.lexeme
   CROSS JOIN citebound.lexical_stats st),
query AS MATERIALIZED (
  SELECT CAST('{{' || coalesce(string_agg(id || ':' || idf, ',' ORDER BY id)
                               FILTER (WHERE id IS NOT NULL), '')
              || '}}/{LEXICAL_DIMENSIONS}' AS sparsevec) AS vector
    FROM words)"""

_IN_SCOPE = "{column} = ANY(ARRAY(SELECT version_id FROM live))"
_BM25 = "-(t.weights <#> (SELECT vector FROM query))"

_SHOWN = """
SELECT c.id AS chunk_key, c.chunk_id, c.version_id, c.char_start, c.char_end, c.text,
       p.key, v.title, v.label, v.jurisdiction, v.page_starts, s.eid, s.number,
       s.path, s.title AS section_title, s.page AS section_page, {scores},
       (SELECT json_object_agg(w.lexeme, w.positions)
          FROM unnest(l.body) w WHERE w.lexeme = ANY(ARRAY(SELECT lexeme FROM words))) AS found
  FROM {source}
  JOIN citebound.chunks c ON c.id = r.chunk_id
  JOIN citebound.chunk_lexemes l ON l.chunk_id = c.id
  JOIN citebound.sections s ON s.id = c.section_id
  JOIN citebound.policy_versions v ON v.id = c.version_id
  JOIN citebound.policies p ON p.id = v.policy_id"""

_LINKS = f"""
links AS (
  SELECT h.chunk_id AS via, h.place, target.id AS section_id, NULL::int AS char_start,
         target.id = named.id AS is_exact
    FROM hit h
    JOIN citebound.cross_references x ON x.section_id = h.section_id
         AND x.char_start >= h.char_start AND x.char_end <= h.char_end
    JOIN citebound.policy_versions v ON v.policy_id = x.target_policy_id
    JOIN citebound.sections named ON named.version_id = v.id AND named.eid = x.target_eid
    JOIN citebound.sections target ON target.version_id = v.id
         AND target.ordinal BETWEEN named.ordinal AND named.ordinal + {SUBSECTIONS}
         AND (target.id = named.id OR starts_with(target.eid, named.eid || '__'))
   WHERE v.id = ANY(ARRAY(SELECT version_id FROM live))
  UNION ALL
  SELECT h.chunk_id, h.place, x.section_id, x.char_start, x.target_eid = h.eid
    FROM hit h
    JOIN citebound.cross_references x ON x.target_policy_id = h.policy_id
         AND x.target_eid = ANY(h.eids)
   WHERE x.version_id = ANY(ARRAY(SELECT version_id FROM live)))"""


SECTION = text(f"""
SELECT c.id AS chunk_key, c.chunk_id, c.version_id, c.char_start, c.char_end, c.text,
       p.key, v.title, v.label, v.jurisdiction, v.page_starts, s.eid, s.number,
       s.path, s.title AS section_title, s.page AS section_page
  FROM {LIVE} live
  JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id AND p.key = lower(:policy)
  JOIN citebound.sections named ON named.version_id = v.id
       AND (CAST(:section AS text) IS NULL
            OR lower(:section) IN (lower(named.eid), lower(named.number), lower(named.title)))
  JOIN citebound.sections s ON s.version_id = v.id
       AND (s.id = named.id OR (CAST(:section AS text) IS NOT NULL
                                AND starts_with(s.eid, named.eid || '__')))
  JOIN citebound.chunks c ON c.section_id = s.id
 ORDER BY c.version_id, c.char_start, c.id LIMIT :most""")
"""The chunks of a section and its subsections, or of all sections, in text order."""
BY_KEY = text(f"""
SELECT c.id AS chunk_key, c.chunk_id, c.version_id, c.char_start, c.char_end, c.text,
       p.key, v.title, v.label, v.jurisdiction, v.page_starts, s.eid, s.number,
       s.path, s.title AS section_title, s.page AS section_page
  FROM {LIVE} live
  JOIN citebound.policy_versions v ON v.id = live.version_id
  JOIN citebound.policies p ON p.id = v.policy_id
  JOIN citebound.chunks c ON c.version_id = v.id AND c.id = ANY(CAST(:keys AS bigint[]))
  JOIN citebound.sections s ON s.id = c.section_id""")
"""Chunks by their keys, those in scope."""


@lru_cache(maxsize=32)
def hits_statement(plan: SearchPlan) -> TextClause:
    """Return the statement that finds the pool of candidates.

    Parameters: those of the scope, `configuration`, `question`, `arm_limit`, `pool`; with a space
    `embedding` and `lexical_weight`. Gives at least one row; without a candidate its chunk is null.
    Data of the question is only in the first row.
    """
    arms = [_lexical_arm(plan)]
    union = "SELECT chunk_id FROM lexical_arm"
    if plan.space_id is not None:
        arms.append(_dense_arm(plan))
        union += " UNION SELECT chunk_id FROM dense_arm"
    parts = [
        _QUESTION,
        *arms,
        f"candidates AS ({union})",
        _scored(plan),
        "best AS MATERIALIZED (SELECT max(bm25) AS bm25 FROM scored)",
        "pool AS MATERIALIZED (SELECT *, row_number() OVER () AS place FROM"
        " (SELECT * FROM scored WHERE bm25 > 0 OR cosine IS NOT NULL"
        f" ORDER BY {_fused(plan)} DESC, chunk_id LIMIT :pool) p)",
        f"shown AS ({_SHOWN.format(scores='r.bm25, r.cosine, r.place', source='pool r')})",
    ]
    return text(
        ",\n".join(parts)
        + """
SELECT shown.*, (SELECT bm25 FROM best) AS best_bm25,
       CASE WHEN coalesce(place, 1) = 1 THEN
         (SELECT json_agg(json_build_array(lexeme, positions, idf)) FROM words) END AS words
  FROM (VALUES (true)) AS once LEFT JOIN shown ON true ORDER BY place"""
    )


@lru_cache(maxsize=32)
def neighbours_statement(plan: SearchPlan) -> TextClause:
    """Return the statement that follows the cross-references of hits, both ways.

    A hit refers to a section with its subsections; others refer to a hit by its section or one that
    contains it. Exact references come first (both linked passages in a pack of 15: XRefRAG dev .85
    to .97), then those closest to the question.

    Parameters: those of `hits_statement`, `hits` (best first), `neighbours`, `best_bm25`.
    """
    parts = [
        _QUESTION,
        """hit AS MATERIALIZED (
  SELECT g.chunk_id, g.place, c.section_id, c.char_start, c.char_end, v.policy_id, s.eid,
         ARRAY(SELECT array_to_string((string_to_array(s.eid, '__'))[1 : n], '__')
                 FROM generate_series(1, cardinality(string_to_array(s.eid, '__'))) n) AS eids
    FROM unnest(CAST(:hits AS bigint[])) WITH ORDINALITY AS g (chunk_id, place)
    JOIN citebound.chunks c ON c.id = g.chunk_id
    JOIN citebound.sections s ON s.id = c.section_id
    JOIN citebound.policy_versions v ON v.id = c.version_id)""",
        _LINKS.strip(),
        """candidates AS (
  SELECT DISTINCT ON (c.id) c.id AS chunk_id, k.via, k.place, k.is_exact
    FROM links k JOIN citebound.chunks c ON c.section_id = k.section_id
     AND (k.char_start IS NULL OR (c.char_start <= k.char_start AND k.char_start < c.char_end))
   WHERE c.id <> ALL(CAST(:hits AS bigint[]))
   ORDER BY c.id, k.is_exact DESC, k.place)""",
        _scored(plan, " k.via, k.place, k.is_exact,"),
        f"nearest AS MATERIALIZED (SELECT *, {_fused(plan, best=':best_bm25')}"
        f" - {PLACE_COST} * place AS nearness FROM scored"
        " ORDER BY is_exact DESC, nearness DESC, chunk_id LIMIT :neighbours)",
    ]
    shown = _SHOWN.format(scores="r.bm25, r.cosine, r.via", source="nearest r")
    return text(
        ",\n".join(parts) + shown + " ORDER BY r.is_exact DESC, r.nearness DESC, r.chunk_id"
    )


def _lexical_arm(plan: SearchPlan) -> str:
    return _arm(
        plan,
        "lexical_arm",
        "weights <#> (SELECT vector FROM query)",
        f"chunk_terms WHERE {_in_scope(plan)}",
    )


def _dense_arm(plan: SearchPlan) -> str:
    return _arm(
        plan,
        "dense_arm",
        _distance(plan, "vector"),
        f"chunk_embeddings WHERE space_id = {plan.space_id} AND {_in_scope(plan)}",
    )


def _in_scope(plan: SearchPlan) -> str:
    """Return what limits an arm to the scope.

    The planner takes an array of unknown length for ten versions, and their index for the cheaper:
    where the HNSW index is wanted, no index fits the condition.
    """
    return _IN_SCOPE.format(column="(version_id + 0)" if plan.uses_index else "version_id")


def _arm(plan: SearchPlan, name: str, distance: str, source: str) -> str:
    """Return the nearest rows of one arm. OFFSET 0 forces a scan with one product for each row."""
    if plan.uses_index:
        nearest = f"SELECT chunk_id FROM citebound.{source} ORDER BY {distance} LIMIT :arm_limit"
    else:
        nearest = (
            "SELECT chunk_id FROM"
            f" (SELECT chunk_id, {distance} AS distance FROM citebound.{source} OFFSET 0) a"
            " ORDER BY distance LIMIT :arm_limit"
        )
    return f"{name} AS MATERIALIZED ({nearest})"


def _distance(plan: SearchPlan, column: str) -> str:
    """Return the negative cosine, as the inner product of unit vectors.

    Only the index needs the column's size; a scan needs no cast.
    """
    vector = f"halfvec({plan.dimensions})"
    shown = f"CAST({column} AS {vector})" if plan.uses_index else column
    return f"{shown} <#> CAST(:embedding AS {vector})"


def _scored(plan: SearchPlan, more: str = "") -> str:
    """Return the candidates with both scores; those without words (headings) are left out.

    Scalar subqueries look up a few hundred rows, whatever the planner expects.
    """
    cosine = "CAST(NULL AS float)"
    if plan.space_id is not None:
        cosine = (
            f"(SELECT -({_distance(plan, 'e.vector')}) FROM citebound.chunk_embeddings e"
            f" WHERE e.chunk_id = k.chunk_id AND e.space_id = {plan.space_id})"
        )
    return (
        "scored AS MATERIALIZED (SELECT * FROM (SELECT k.chunk_id,"
        f"{more} (SELECT {_BM25} FROM citebound.chunk_terms t WHERE t.chunk_id = k.chunk_id)"
        f" AS bm25, {cosine} AS cosine FROM candidates k) s"
        " WHERE bm25 IS NOT NULL)"
    )


def _fused(plan: SearchPlan, best: str = "(SELECT bm25 FROM best)") -> str:
    words = f"coalesce(bm25 / nullif(CAST({best} AS float), 0), 0)"
    if plan.space_id is None:
        return words
    weight = "CAST(:lexical_weight AS float)"
    return f"{weight} * {words} + (1 - {weight}) * coalesce(cosine, 0)"
