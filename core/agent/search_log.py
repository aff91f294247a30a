"""The searches of one run: kept with the record, and given again when it is replayed.

What a search finds depends on more than edition and scope: on how rare words are in all that was
ever published, and above some size on an approximate index. So a replay takes what was found then,
and a new search is only compared with it. Texts are read from the corpus, never from the record.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Protocol

from core.domain.codec import json_of, value_of
from core.domain.evidence import RetrievedChunk
from core.domain.json_value import JsonObject
from core.domain.policy import ChunkKey
from core.domain.question import Scope
from core.ports import SearchResult
from core.retrieval.retriever import ChunkRetriever, Query, Retrieved

_ASKED = "text depth neighbours policies"
_NUMBERS = ("lexical_score", "dense_score", "score", "relevance", "coverage")


class SearchLog:
    """A retriever that keeps what it found."""

    def __init__(self, retriever: ChunkRetriever) -> None:
        self._retriever = retriever
        self._made: list[JsonObject] = []

    @property
    def made(self) -> tuple[JsonObject, ...]:
        """The searches so far, as they are recorded."""
        return tuple(self._made)

    async def retrieve(self, query: Query, /) -> Retrieved:
        """See `Retriever.retrieve`."""
        found = await self._retriever.retrieve(query)
        self._made.append({"asked": json_of(query, _ASKED), **_found_json(found)})
        return found

    async def section(
        self, policy_key: str, section: str | None, scope: Scope
    ) -> tuple[RetrievedChunk, ...]:
        """See `ChunkSearch.section`."""
        return await self._retriever.section(policy_key, section, scope)


class ChunkReader(Protocol):
    """Reads chunks by their keys."""

    async def read(
        self, keys: Collection[ChunkKey], scope: Scope, /
    ) -> Mapping[ChunkKey, RetrievedChunk]:
        """Return those that are in the scope, without scores."""
        ...


@dataclass(slots=True, eq=False)
class RecordedSearches:
    """A retriever that gives what was found then; what was not searched then is searched now."""

    recorded: Sequence[JsonObject]
    _: KW_ONLY
    chunks: ChunkReader
    live: ChunkRetriever
    unreadable: frozenset[str] = field(default_factory=frozenset, init=False)
    """Ids of the chunks found then that nobody of the scope may read now."""

    async def retrieve(self, query: Query, /) -> Retrieved:
        """See `Retriever.retrieve`."""
        asked = json_of(query, _ASKED)
        stored = next((made for made in self.recorded if made["asked"] == asked), None)
        if stored is not None:
            return await self._read(stored, query.scope)
        return await self.live.retrieve(query)

    async def section(
        self, policy_key: str, section: str | None, scope: Scope
    ) -> tuple[RetrievedChunk, ...]:
        """See `ChunkSearch.section`."""
        return await self.live.section(policy_key, section, scope)

    async def _read(self, stored: JsonObject, scope: Scope) -> Retrieved:
        rows: list[Mapping[str, Any]] = stored["chunks"]
        read = await self.chunks.read([ChunkKey(row["key"]) for row in rows], scope)
        gone = {row["id"] for row in rows if ChunkKey(row["key"]) not in read}
        self.unreadable |= gone
        chunks = [
            replace(
                read[ChunkKey(row["key"])],
                via=None if row["via"] is None else ChunkKey(row["via"]),
                **dict(zip(_NUMBERS, row["numbers"], strict=True)),
            )
            for row in rows
            if row["id"] not in gone
        ]
        return Retrieved(
            result=SearchResult(
                hits=tuple(chunk for chunk in chunks if chunk.via is None),
                neighbours=tuple(chunk for chunk in chunks if chunk.via is not None),
                searched=stored["searched"],
            ),
            embedding_used=stored["embedding_used"],
            warnings=tuple(stored["warnings"]),
            took_ms=0.0,
            space=stored["space"],
            reranker=stored["reranker"],
            logits={ChunkKey(row["key"]): row["logit"] for row in rows if row["logit"] is not None},
            is_degraded=stored["is_degraded"],
        )

    async def moved(self, scope: Scope) -> int:
        """Search again, and return how many searches find other chunks, or another order, now."""
        count = 0
        for stored in self.recorded:
            found = await self.live.retrieve(value_of(Query, stored["asked"], _ASKED, scope=scope))
            then = [row["key"] for row in stored["chunks"]]
            count += then != [row["key"] for row in _found_json(found)["chunks"]]
        return count


def _found_json(found: Retrieved) -> JsonObject:
    """Return a search's result as it is recorded: keys and numbers, no text of a policy."""
    return {
        **json_of(found, "result.searched embedding_used space reranker warnings is_degraded"),
        "chunks": [
            {
                "id": chunk.chunk_id,
                "key": chunk.chunk_key,
                "via": chunk.via,
                "numbers": [getattr(chunk, name) for name in _NUMBERS],
                "logit": found.logits.get(chunk.chunk_key),
            }
            for chunk in (*found.result.hits, *found.result.neighbours)
        ],
    }
