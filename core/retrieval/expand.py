"""Put hits and their neighbours together into one pack: pure, after search.

Hits keep their order. Each neighbour stands behind the hit whose cross-reference led to it, where
a reader would look for it.
"""

from collections.abc import Sequence

from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey


def pack(
    hits: Sequence[RetrievedChunk], neighbours: Sequence[RetrievedChunk], *, most: int
) -> tuple[RetrievedChunk, ...]:
    """Return at most `most` chunks, none twice: hits that fit, then neighbours as there is room.

    Args:
        hits: Best first.
        neighbours: Nearest to the question first, `via` set.
        most: Size of the pack, from 0.
    """
    chosen: dict[ChunkKey, RetrievedChunk] = {}
    for chunk in (*hits, *neighbours):
        if len(chosen) >= most:
            break
        chosen.setdefault(chunk.chunk_key, chunk)
    places = {chunk.chunk_key: place for place, chunk in enumerate(chosen.values())}
    return tuple(sorted(chosen.values(), key=lambda chunk: _place(chunk, places)))


def _place(chunk: RetrievedChunk, places: dict[ChunkKey, int]) -> tuple[int, int]:
    """Return the place of the hit that a chunk belongs to, then the chunk's own."""
    own = places[chunk.chunk_key]
    return (own if chunk.via is None else places.get(chunk.via, own), own)
