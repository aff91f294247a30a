"""Retrieve evidence for a question: embed it, search in scope, say what went wrong on the way.

A failing embedder is no reason to give no answer: search goes on by words alone, with a warning in
the trace. A failing database is one.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.domain.errors import CiteboundError
from core.domain.question import Scope
from core.ports import ChunkSearch, Embedder, SearchRequest, SearchResult, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What was found, and how."""

    result: SearchResult
    """Hits and neighbours."""
    embedding_used: bool
    """False: words alone."""
    warnings: tuple[str, ...]
    """What was done without, for the trace."""
    took_ms: float
    """Embedding and search together."""


class Retriever:
    """Hybrid search where there is an embedder, lexical search where there is none."""

    def __init__(
        self,
        search: ChunkSearch,
        embedder: Embedder | None,
        *,
        monotonic_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Take the search, and the embedder of the space it searches.

        Args:
            search: Applies the scope.
            embedder: None: words alone.
            monotonic_s: Seconds of a clock that never goes back.
        """
        self._search = search
        self._embedder = embedder
        self._monotonic_s = monotonic_s

    async def retrieve(
        self, question_text: str, scope: Scope, *, depth: int, neighbours: int
    ) -> Retrieved:
        """Find chunks for a question.

        Args:
            question_text: The question, standing alone.
            scope: What may be found.
            depth: Hits wanted, from 1.
            neighbours: Cross-referenced chunks to add at most.

        Raises:
            TransientError: The database failed.
        """
        started_s = self._monotonic_s()
        embedding: Vector | None = None
        warnings: list[str] = []
        if self._embedder is not None:
            try:
                embedding = await self._embedder.embed_query(question_text)
            except CiteboundError as error:
                warnings.append(f"searched by words alone: {error}")
        result = await self._search.search(
            SearchRequest(
                text=question_text,
                embedding=embedding,
                scope=scope,
                limit=depth,
                neighbours=neighbours,
            )
        )
        return Retrieved(
            result=result,
            embedding_used=embedding is not None,
            warnings=tuple(warnings),
            took_ms=(self._monotonic_s() - started_s) * 1_000,
        )
