"""Build an embedding space beside the one that serves, then let it serve.

Chunks of all versions are embedded in rounds, each stored for good: an interrupted build goes on
where it was. Publications go on meanwhile, in the space that serves; what they add is found missing
at the switch, and embedded before the next try. Questions are answered from the old space until the
switch, and from the new one after it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.ports import Embedder, EmbeddingSpace
from core.ports.search import SpaceState, SpaceStore

ROUND = 512
"""Texts that are embedded and stored together: a few requests, run at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What was done."""

    space: EmbeddingSpace
    """The space that serves now."""
    texts: int
    """Different texts embedded; 0: all had a vector already."""
    previous: EmbeddingSpace | None
    """The space that served before; None: none did."""

    @property
    def has_switched(self) -> bool:
        """True if another space served before, or none."""
        return self.previous is None or self.previous.identity != self.space.identity


async def build_space(
    store: SpaceStore, embedder: Embedder, *, progress: Callable[[int, int], None]
) -> Built:
    """Embed every chunk that lacks a vector in the embedder's space, and let that space serve.

    Args:
        store: The spaces.
        embedder: Embeds in the space to build.
        progress: Told how many texts of how many have a vector.

    Raises:
        OccupiedError: Another process does the same.
        TransientError: Database or embedder failed; what was stored stays, do it again.
        ContractError: The embedder broke its word; as above.
        ConfigError: The embedder refuses the key or the model.
    """
    space, texts = embedder.space, 0
    async with store.one_builder():
        previous = await store.serving()
        while True:
            await store.begin(space)
            gap = await store.gap(space)
            total = texts + gap.texts
            while wanted := await store.unembedded(space, limit=ROUND):
                progress(texts, max(total, texts + len(wanted)))
                vectors = await embedder.embed_documents(wanted)
                await store.fill(space, dict(zip(wanted, vectors, strict=True)))
                texts += len(wanted)
                progress(texts, max(total, texts))
            if not await store.switch(space):
                return Built(space=space, texts=texts, previous=previous)


async def drop_kept(store: SpaceStore) -> dict[str, int]:
    """Delete every space that does not serve, and return how many vectors each had."""
    async with store.one_builder():
        return {
            one.space.name: await store.drop(one.space)
            for one in await store.spaces()
            if one.state is not SpaceState.SERVING
        }
