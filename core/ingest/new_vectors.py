"""Embed what is new of a file: texts of other chunks and earlier versions have vectors already."""

from collections.abc import Callable, Sequence

from core.ports import CorpusStore, Embedder, Vector

EMBEDDED_AT_ONCE = 128
"""Chunks of one call of the embedder, which divides them among all cores: some seconds of one, so
that it is seen how far it is."""
WatchEmbedding = Callable[[int, int], None]
"""Told how many chunks of a file have vectors, of how many."""


async def embed_new(
    texts: Sequence[str],
    *,
    store: CorpusStore,
    embedder: Embedder | None,
    watch: WatchEmbedding | None,
) -> dict[str, Vector]:
    """Return a vector for each text that has none yet.

    Args:
        texts: of the chunks.
        store: knows which of them have vectors in the embedder's space.
        embedder: makes the others; None: none gets one.
        watch: told how far it is; None: nobody is.

    Raises:
        TransientError: The database or the embedder failed.
    """
    if embedder is None:
        return {}
    missing = await store.missing_embeddings(texts, embedder.space)
    new = [texts[index] for index in missing]
    vectors: list[Vector] = []
    for start in range(0, len(new), EMBEDDED_AT_ONCE):
        if watch is not None:
            watch(start, len(new))
        vectors += await embedder.embed_documents(new[start : start + EMBEDDED_AT_ONCE])
    if watch is not None:
        watch(len(new), len(new))
    return dict(zip(new, vectors, strict=True))
