"""The indexes of search: words and vectors of a version, and the HNSW indexes of a large corpus.

- A version is indexed inside the transaction that publishes it. Publication is serialised by the
  caller; otherwise two transactions could lose counts.
- A chunk's words and their positions are stored (`chunk_lexemes`), so that weighting never reads
  text.
- `terms.df` and `lexical_stats` count the chunks of all versions, in force or not: how rare a word
  is depends on the company's language, not on the day. The idf is applied at query time.
- Weights depend on the mean length. They keep the mean with which they were computed until the true
  one has drifted by `MEAN_DRIFT`; then all chunks are weighted again, more and more rarely as a
  corpus grows: in the publication itself, or of a large corpus afterwards, version by version.
"""

import hashlib
from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.transactions import connected, wait_for_publishing
from core.domain.errors import IntegrityError
from core.ports import EmbeddingSpace, Vector
from core.retrieval import ranking

LEXICAL_DIMENSIONS = 1_000_000
"""Size of the term space of `chunk_terms`: the most that ids in `terms` may reach."""
EXACT_LIMIT = 20_000
"""Chunks in scope up to which scanning beats the indexes."""
SPACE_ID = (
    "SELECT id FROM citebound.embedding_spaces WHERE provider = CAST(:space_provider AS text)"
    " AND model = CAST(:space_model AS text) AND dimensions = CAST(:space_dimensions AS int)"
    " AND revision = CAST(:space_revision AS text)"
)
"""A scalar query; its parameters come from `space_parameters`."""
VECTORS_A_STATEMENT = 1_000
"""Limits the parameters of one statement to a few megabytes."""
_LEXEMES = text("""
INSERT INTO citebound.chunk_lexemes (chunk_id, version_id, body, heading, words, heading_words)
SELECT t.id, t.version_id, t.body, t.heading,
       (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(t.body)),
       (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(t.heading))
  FROM (SELECT c.id, c.version_id,
               to_tsvector(CAST(:configuration AS regconfig),
                           translate(c.text, :plain_from, :plain_to)) AS body,
               to_tsvector(CAST(:configuration AS regconfig),
                           translate(v.title || ' ' || array_to_string(s.path, ' '),
                                     :plain_from, :plain_to)) AS heading
          FROM citebound.chunks c
          JOIN citebound.sections s ON s.id = c.section_id
          JOIN citebound.policy_versions v ON v.id = c.version_id
         WHERE c.version_id = :version_id
           -- A chunk that is only a heading is no candidate.
           AND (c.char_end > s.body_start OR s.body_start = s.char_start)) t
""")
_NEW_TERMS = text("""
INSERT INTO citebound.terms (term, df)
SELECT DISTINCT term, 0
  FROM (SELECT unnest(tsvector_to_array(body) || tsvector_to_array(heading)) AS term
          FROM citebound.chunk_lexemes WHERE version_id = :version_id) found
 -- Not ON CONFLICT alone: that would use up an id for each known term.
 WHERE NOT EXISTS (SELECT FROM citebound.terms known WHERE known.term = found.term)
ON CONFLICT (term) DO NOTHING
""")
_COUNT_TERMS = text("""
UPDATE citebound.terms t SET df = t.df + found.chunks
  FROM (SELECT term, count(*) AS chunks
          FROM citebound.chunk_lexemes l, unnest(tsvector_to_array(l.body)) AS term
         WHERE l.version_id = :version_id GROUP BY term) found
 WHERE t.term = found.term
""")
_COUNT_VERSION = text("""
INSERT INTO citebound.indexed_versions (version_id, chunks)
SELECT :version_id, count(*) FROM citebound.chunk_lexemes WHERE version_id = :version_id
""")
_COUNT_CHUNKS = text("""
UPDATE citebound.lexical_stats st
   SET chunks = st.chunks + new.chunks, words = st.words + new.words,
       heading_words = st.heading_words + new.heading_words
  FROM (SELECT count(*) AS chunks, coalesce(sum(words), 0) AS words,
               coalesce(sum(heading_words), 0) AS heading_words
          FROM citebound.chunk_lexemes WHERE version_id = :version_id) new
""")
_MEANS = text("""
SELECT mean_words, mean_heading_words, words, heading_words,
       abs(words - mean_words) > :drift * mean_words
         OR abs(heading_words - mean_heading_words) > :drift * mean_heading_words AS has_drifted
  FROM (SELECT mean_words, mean_heading_words,
               greatest(1, words / greatest(1, chunks)::float) AS words,
               greatest(1, heading_words / greatest(1, chunks)::float) AS heading_words
          FROM citebound.lexical_stats) st
""")
_FOLLOW_MEAN = text(
    "UPDATE citebound.lexical_stats"
    " SET mean_words = :mean_words, mean_heading_words = :mean_heading_words"
)
_INDEXED = text("SELECT version_id FROM citebound.indexed_versions ORDER BY version_id")
_UNWEIGH = text(
    "DELETE FROM citebound.chunk_terms"
    " WHERE CAST(:version_id AS bigint) IS NULL OR version_id = :version_id"
)
_WEIGH = text("""
INSERT INTO citebound.chunk_terms (chunk_id, version_id, weights)
SELECT l.chunk_id, l.version_id, CAST(
         '{' || coalesce(w.pairs, '') || '}/' || CAST(:dimensions AS text) AS sparsevec)
  FROM citebound.chunk_lexemes l
 CROSS JOIN (SELECT CAST(:mean_words AS float) AS mean_words,
                    CAST(:mean_heading_words AS float) AS mean_heading_words) st
 CROSS JOIN LATERAL (
    SELECT string_agg(heaviest.id || ':' || heaviest.weight, ',' ORDER BY heaviest.id) AS pairs
      FROM (SELECT t.id, sum(f.share * f.tf * (:k1 + 1)
                             / (f.tf + :k1 * (1 - :b + :b * f.length / f.mean)))::real AS weight
              FROM (SELECT lexeme, cardinality(positions) AS tf, 1.0::float AS share,
                           l.words AS length, st.mean_words AS mean
                      FROM unnest(l.body)
                    UNION ALL
                    SELECT lexeme, cardinality(positions), :heading_weight,
                           l.heading_words, st.mean_heading_words
                      FROM unnest(l.heading)) f
              JOIN citebound.terms t ON t.term = f.lexeme
             GROUP BY t.id ORDER BY weight DESC, t.id LIMIT :max_terms) heaviest) w
 WHERE CAST(:version_id AS bigint) IS NULL OR l.version_id = :version_id
""")
_SPACE = text("""
SELECT id FROM citebound.embedding_spaces
 WHERE provider = :provider AND model = :model AND dimensions = :dimensions
   AND revision = :revision
""")
_NEW_SPACE = text("""
INSERT INTO citebound.embedding_spaces (provider, model, dimensions, revision, fusion_weight)
VALUES (:provider, :model, :dimensions, :revision, :fusion_weight)
ON CONFLICT (provider, model, dimensions, revision) DO UPDATE SET model = EXCLUDED.model
RETURNING id
""")
_STORE_VECTORS = text("""
INSERT INTO citebound.chunk_embeddings (space_id, chunk_id, version_id, vector)
SELECT :space_id, c.id, c.version_id, CAST(given.vector AS halfvec)
  FROM unnest(CAST(:hashes AS bytea[]), CAST(:vectors AS text[])) AS given (hash, vector)
  JOIN citebound.chunks c ON c.content_hash = given.hash AND c.version_id = :version_id
ON CONFLICT DO NOTHING
""")
_COPY_VECTORS = text("""
INSERT INTO citebound.chunk_embeddings (space_id, chunk_id, version_id, vector)
SELECT DISTINCT ON (c.id) :space_id, c.id, c.version_id, e.vector
  FROM citebound.chunks c
  JOIN citebound.chunks twin ON twin.content_hash = c.content_hash AND twin.id <> c.id
  JOIN citebound.chunk_embeddings e ON e.chunk_id = twin.id AND e.space_id = :space_id
 WHERE c.version_id = :version_id
ON CONFLICT DO NOTHING
""")
_WITHOUT_VECTOR = text("""
SELECT count(*) FROM citebound.chunks c
 WHERE c.version_id = :version_id AND NOT EXISTS (
   SELECT FROM citebound.chunk_embeddings e WHERE e.chunk_id = c.id AND e.space_id = :space_id)
""")


async def index_terms(connection: AsyncConnection, version_id: int) -> None:
    """Index a version's chunks by their words.

    Call it once for each version, after its chunks were inserted, in the same transaction.
    """
    version = {"version_id": version_id}
    plain = {"plain_from": ranking.PLAIN_FROM, "plain_to": ranking.PLAIN_TO}
    await connection.execute(_LEXEMES, version | plain | {"configuration": ranking.CONFIGURATION})
    for statement in (_NEW_TERMS, _COUNT_TERMS, _COUNT_VERSION, _COUNT_CHUNKS):
        await connection.execute(statement, version)
    stored = (await connection.execute(_MEANS, {"drift": ranking.MEAN_DRIFT})).one()
    if not stored.has_drifted or await is_large(connection):
        await _weigh(connection, version_id, stored.mean_words, stored.mean_heading_words)
        return
    await connection.execute(_UNWEIGH, {"version_id": None})
    await _weigh(connection, None, stored.words, stored.heading_words)
    await _follow(connection, stored.words, stored.heading_words)


async def weigh_anew(engine: AsyncEngine) -> None:
    """Weigh the chunks of a large corpus again if the mean length has drifted.

    Publications wait for one version at a time. Until all are weighed the mean stays as it was, so
    that after a crash all of it is done again.
    """
    async with engine.connect() as connection:
        now = (await connection.execute(_MEANS, {"drift": ranking.MEAN_DRIFT})).one()
    weighed: set[int] = set()
    while now.has_drifted:
        async with engine.begin() as connection:
            await wait_for_publishing(connection)
            waiting = set((await connection.scalars(_INDEXED)).all()) - weighed
            if not waiting:
                await _follow(connection, now.words, now.heading_words)
                return
            version_id = min(waiting)
            await connection.execute(_UNWEIGH, {"version_id": version_id})
            await _weigh(connection, version_id, now.words, now.heading_words)
        weighed.add(version_id)


async def _follow(connection: AsyncConnection, words: float, heading_words: float) -> None:
    means = {"mean_words": words, "mean_heading_words": heading_words}
    await connection.execute(_FOLLOW_MEAN, means)


async def _weigh(
    connection: AsyncConnection, version_id: int | None, words: float, heading_words: float
) -> None:
    """Store the weights of a version's chunks, or of all, by these mean lengths."""
    await connection.execute(
        _WEIGH,
        {
            "version_id": version_id,
            "mean_words": words,
            "mean_heading_words": heading_words,
            "dimensions": LEXICAL_DIMENSIONS,
            "heading_weight": ranking.HEADING_WEIGHT,
            "max_terms": ranking.MAX_TERMS,
            "k1": ranking.K1,
            "b": ranking.B,
        },
    )


async def space_id_for(connection: AsyncConnection, space: EmbeddingSpace) -> int:
    """Return the id of a space, registering it the first time."""
    values = {
        "provider": space.provider,
        "model": space.model,
        "dimensions": space.dimensions,
        "revision": space.revision,
    }
    found = await connection.scalar(_SPACE, values)
    if found is None:
        found = await connection.scalar(_NEW_SPACE, values | {"fusion_weight": space.fusion_weight})
    if not isinstance(found, int):
        raise IntegrityError(
            f"expected an id of the embedding space {space.model!r}, got {found!r}"
        )
    return found


async def store_embeddings(
    connection: AsyncConnection, version_id: int, space_id: int, vectors: Mapping[str, Vector]
) -> None:
    """Store a vector for each chunk of a version: a given one, or that of an equal chunk.

    Args:
        connection: The publishing transaction.
        version_id: The version; its chunks are stored.
        space_id: See `space_id_for`.
        vectors: Chunk text to vector, for texts without a vector in the space.

    Raises:
        IntegrityError: A chunk has no vector; roll back.
    """
    target = {"version_id": version_id, "space_id": space_id}
    given = list(vectors.items())
    for start in range(0, len(given), VECTORS_A_STATEMENT):
        batch = given[start : start + VECTORS_A_STATEMENT]
        await connection.execute(
            _STORE_VECTORS,
            target
            | {
                "hashes": [hashlib.sha256(content.encode()).digest() for content, _ in batch],
                "vectors": [vector_literal(vector) for _, vector in batch],
            },
        )
    await connection.execute(_COPY_VECTORS, target)
    missing = await connection.scalar(_WITHOUT_VECTOR, target)
    if missing:
        raise IntegrityError(f"{missing} chunks of version {version_id} have no vector")


def vector_literal(vector: Vector) -> str:
    """Return a vector as pgvector reads it."""
    return f"[{','.join(f'{value:.7g}' for value in vector)}]"


async def ensure_ann_indexes(engine: AsyncEngine, space: EmbeddingSpace | None) -> None:
    """Build the HNSW indexes unless they exist.

    Takes minutes on a large corpus; searches go on, publications wait. Needed above `EXACT_LIMIT`.
    """
    async with connected(engine, "AUTOCOMMIT") as connection:
        await connection.execute(text("SELECT citebound.build_term_index()"))
        space_id = await find_space(connection, space) if space else None
        if space_id is not None:
            await connection.execute(
                text("SELECT citebound.build_vector_index(:space_id)"), {"space_id": space_id}
            )


async def drop_ann_index(engine: AsyncEngine, space_id: int) -> None:
    """Drop the index of a dropped space, if it had one."""
    async with connected(engine, "AUTOCOMMIT") as connection:
        await connection.execute(
            text("SELECT citebound.drop_vector_index(:space_id)"), {"space_id": space_id}
        )


async def find_space(connection: AsyncConnection, space: EmbeddingSpace) -> int | None:
    """Return the id of a space; None: nothing was embedded in it yet."""
    return await connection.scalar(text(SPACE_ID), space_parameters(space))


def space_parameters(space: EmbeddingSpace | None) -> dict[str, object]:
    """Return the parameters of `SPACE_ID`; without a space it finds none."""
    return {
        "space_provider": space.provider if space else None,
        "space_model": space.model if space else None,
        "space_dimensions": space.dimensions if space else None,
        "space_revision": space.revision if space else None,
    }


async def is_large(connection: AsyncConnection) -> bool:
    """Return whether the corpus has more chunks than an exact scan should read."""
    counted = await connection.scalar(text("SELECT sum(chunks) FROM citebound.indexed_versions"))
    return bool(counted and counted > EXACT_LIMIT)
