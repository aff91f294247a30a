"""Hybrid search in Postgres: words and vectors in one statement, within the scope.

The first statement takes the best candidates of each arm, gives each both scores and returns the
best by their weighted sum, with the positions of the question's words; `core.retrieval` then ranks
them by wording. The second, in the same snapshot, follows cross-references of the hits. Both join
the versions in force in the scope, so no chunk outside it is ever scored.

Below `EXACT_LIMIT` chunks in scope the arms scan; above, they use the HNSW indexes of
`ensure_ann_indexes`, with iterative scans: otherwise a filtered search finds nothing for people who
may read little.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import RowMapping, TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.scope import scope_parameters, section_ref
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.search.indexes import (
    EXACT_LIMIT,
    SPACE_ID,
    space_parameters,
    vector_literal,
)
from core.adapters.postgres.search.search_statements import (
    BY_KEY,
    SEARCHED,
    SECTION,
    SearchPlan,
    hits_statement,
    neighbours_statement,
)
from core.domain.errors import ConfigError
from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.domain.question import Scope
from core.language.spans import Span
from core.ports import EmbeddingSpace, SearchRequest, SearchResult
from core.retrieval import ranking
from core.retrieval.ranking import Closeness, Wording, closeness, wording
from core.retrieval.relevance import Features, relevance

SECTION_LIMIT = 40
"""Chunks of a section returned, at most."""
POLICY_LIMIT = 400
"""Chunks of a whole policy: some 200 pages."""
ARM_LIMIT = 100
"""Candidates of each arm."""
HNSW_SETTINGS = {
    "hnsw.iterative_scan": "strict_order",
    "hnsw.ef_search": "200",
    "hnsw.max_scan_tuples": "200000",
    "hnsw.scan_mem_multiplier": "8",
}
"""By its defaults a scan ends after 20,000 tuples, which a scope of one in a hundred passes by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One request, as both statements need it."""

    request: SearchRequest
    lexical_weight: float
    is_measured: bool
    """False: cosines order chunks, but relevance is not calibrated on them."""
    parameters: Mapping[str, object]
    plan: SearchPlan
    searched: int
    """Chunks in scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """The question's words and scores, from the database."""

    wording: Wording
    highest_bm25: float
    best_bm25: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    """Properties of the corpus on which the plan depends."""

    readable: int
    """Chunks in scope."""
    space_id: int | None
    """Of the space asked for; None: there is none."""

    @property
    def uses_index(self) -> bool:
        """Return whether the scope is too large to scan."""
        return self.readable > EXACT_LIMIT


@database_store
class PostgresChunkSearch:
    """See `core.ports.ChunkSearch`.

    `space` is that of embeddings in requests that name no other; None: these search by words alone.
    """

    def __init__(self, engine: AsyncEngine, space: EmbeddingSpace | None) -> None:
        self._engine = engine
        self._space = space

    async def search(self, request: SearchRequest, /) -> SearchResult:
        """See `ChunkSearch.search`.

        Raises:
            TransientError: The database failed; ask again.
        """
        # Committed, though it only reads: psycopg forgets prepared statements on a rollback.
        async with connected(self._engine, "REPEATABLE READ") as connection, connection.begin():
            asked = await self._ask(connection, request)
            rows = await _rows(connection, hits_statement(asked.plan), asked.parameters)
            found = [row for row in rows if row["chunk_key"] is not None]
            question = _question(rows[0])
            hits = list(request.given) or _rank(asked, question, found)[: request.limit]
            neighbours = await self._neighbours(connection, asked, question, hits)
        return SearchResult(hits=tuple(hits), neighbours=tuple(neighbours), searched=asked.searched)

    async def section(
        self, policy_key: str, section: str | None, scope: Scope, /
    ) -> tuple[RetrievedChunk, ...]:
        """See `ChunkSearch.section`; at most `SECTION_LIMIT` chunks, or `POLICY_LIMIT` of all."""
        most = POLICY_LIMIT if section is None else SECTION_LIMIT
        named = {"policy": policy_key, "section": section, "most": most}
        async with connected(self._engine, "REPEATABLE READ") as connection, connection.begin():
            rows = await _rows(connection, SECTION, scope_parameters(scope) | named)
        return tuple(_unscored(rows).values())

    async def read(
        self, keys: Collection[ChunkKey], scope: Scope, /
    ) -> Mapping[ChunkKey, RetrievedChunk]:
        """See `core.agent.search_log.ChunkReader.read`."""
        given = scope_parameters(scope) | {"keys": list(keys)}
        async with connected(self._engine, "REPEATABLE READ") as connection, connection.begin():
            return _unscored(await _rows(connection, BY_KEY, given))

    async def _ask(self, connection: AsyncConnection, request: SearchRequest) -> _Asked:
        space = (request.space or self._space) if request.embedding is not None else None
        corpus = await _look_at(connection, request, space)
        space_id, uses_index = corpus.space_id, corpus.uses_index
        if uses_index:
            await _set_hnsw(connection)
        parameters = scope_parameters(request.scope) | {
            **_searched(request),
            "configuration": ranking.CONFIGURATION,
            "question": ranking.plain(request.text),
            "arm_limit": max(ARM_LIMIT, request.limit),
            "pool": max(ranking.POOL, request.limit),
        }
        if space is None or space_id is None or request.embedding is None:
            return _Asked(
                request=request,
                lexical_weight=1.0,
                is_measured=True,
                parameters=parameters,
                plan=SearchPlan(space_id=None, dimensions=0, uses_index=uses_index),
                searched=corpus.readable,
            )
        return _Asked(
            request=request,
            lexical_weight=space.fusion_weight,
            is_measured=space.is_measured,
            parameters=parameters
            | {
                "embedding": vector_literal(request.embedding),
                "lexical_weight": space.fusion_weight,
            },
            plan=SearchPlan(space_id=space_id, dimensions=space.dimensions, uses_index=uses_index),
            searched=corpus.readable,
        )

    async def _neighbours(
        self,
        connection: AsyncConnection,
        asked: _Asked,
        question: _Question,
        hits: Sequence[RetrievedChunk],
    ) -> list[RetrievedChunk]:
        if asked.request.neighbours < 1 or not hits:
            return []
        parameters = {
            **asked.parameters,
            "hits": [hit.chunk_key for hit in hits],
            "neighbours": asked.request.neighbours,
            "best_bm25": question.best_bm25,
        }
        rows = await _rows(connection, neighbours_statement(asked.plan), parameters)
        score = {hit.chunk_key: hit.score for hit in hits}
        return [
            _chunk(
                row,
                question,
                near,
                cosine=row["cosine"] if asked.is_measured else None,
                score=score[row["via"]],
                via=ChunkKey(row["via"]),
            )
            for row, near in zip(rows, _closeness(question, rows), strict=True)
        ]


async def _look_at(
    connection: AsyncConnection, request: SearchRequest, space: EmbeddingSpace | None
) -> _Corpus:
    """Read the properties of the corpus, and have statements planned once for each connection.

    Planning takes longer than half of the scan; one plan serves all scopes, since the text of the
    statement decides whether an arm scans or uses the index. The space is looked up each time: it
    may have been dropped.
    """
    row = (
        await connection.execute(
            text(
                "SELECT sum(chunks) AS readable,"  # noqa: S608
                " set_config('plan_cache_mode', 'force_generic_plan', true),"
                f" ({SPACE_ID}) AS space_id FROM citebound.indexed_versions"
                f" WHERE version_id = ANY(ARRAY({SEARCHED}))"
            ),
            scope_parameters(request.scope) | space_parameters(space) | _searched(request),
        )
    ).one()
    return _Corpus(readable=int(row.readable or 0), space_id=row.space_id)


def _searched(request: SearchRequest) -> dict[str, object]:
    return {"policies": sorted(request.policies)}


async def _set_hnsw(connection: AsyncConnection) -> None:
    """Enable iterative scans for this transaction.

    Raises:
        ConfigError: pgvector does not know the setting: a wrong name would only be a warning.
    """
    # A session knows the settings once pgvector's library is loaded, by the first use of a type.
    await connection.execute(text("SELECT CAST('[1]' AS halfvec)"))
    for name, value in HNSW_SETTINGS.items():
        known = await connection.scalar(
            text("SELECT set_config(:name, :value, true) FROM pg_settings WHERE name = :name"),
            {"name": name, "value": value},
        )
        if known != value:
            raise ConfigError(f"pgvector does not know {name}: 0.8 or later is needed")


async def _rows(
    connection: AsyncConnection, statement: TextClause, parameters: Mapping[str, object]
) -> Sequence[RowMapping]:
    return (await connection.execute(statement, parameters)).mappings().all()


def _question(row: RowMapping) -> _Question:
    words: list[tuple[str, list[int], float]] = row["words"] or []
    idf = {term: weight for term, _, weight in words}
    return _Question(
        wording=wording({term: at for term, at, _ in words}, idf),
        highest_bm25=ranking.highest_score(sum(idf.values())),
        best_bm25=float(row["best_bm25"] or 0.0),
    )


def _closeness(question: _Question, rows: Sequence[RowMapping]) -> list[Closeness]:
    return closeness(question.wording, [row["found"] or {} for row in rows])


def _rank(asked: _Asked, question: _Question, rows: Sequence[RowMapping]) -> list[RetrievedChunk]:
    candidates = [
        ranking.Candidate(
            chunk_key=ChunkKey(row["chunk_key"]),
            bm25=row["bm25"],
            cosine=row["cosine"],
            closeness=near,
        )
        for row, near in zip(rows, _closeness(question, rows), strict=True)
    ]
    by_key = {ChunkKey(row["chunk_key"]): row for row in rows}
    ranked = ranking.rank(
        candidates, best_bm25=question.best_bm25, lexical_weight=asked.lexical_weight
    )
    return [
        _chunk(
            by_key[place.candidate.chunk_key],
            question,
            place.candidate.closeness,
            cosine=place.candidate.cosine if asked.is_measured else None,
            score=place.score,
        )
        for place in ranked[: asked.request.limit]
    ]


def _unscored(rows: Sequence[RowMapping]) -> dict[ChunkKey, RetrievedChunk]:
    return {
        ChunkKey(row["chunk_key"]): RetrievedChunk(
            chunk_key=ChunkKey(row["chunk_key"]),
            chunk_id=row["chunk_id"],
            span=_span(row),
            text=row["text"],
            place=section_ref(row),
            lexical_score=0.0,
            dense_score=None,
            score=0.0,
            relevance=0.0,
        )
        for row in rows
    }


def _span(row: RowMapping) -> Span:
    return record(Span, row)


def _chunk(
    row: RowMapping,
    question: _Question,
    near: Closeness,
    *,
    cosine: float | None,
    score: float,
    via: ChunkKey | None = None,
) -> RetrievedChunk:
    highest = question.highest_bm25
    lexical_score = min(1.0, max(0.0, row["bm25"] / highest)) if highest > 0 else 0.0
    return record(
        RetrievedChunk,
        row,
        span=_span(row),
        place=section_ref(row),
        lexical_score=lexical_score,
        dense_score=cosine,
        score=score,
        relevance=relevance(
            Features(lexical_score=lexical_score, cosine=cosine, coverage=near.coverage)
        ),
        via=via,
        coverage=near.coverage,
    )
