"""Build an embedding space beside the serving one, then switch to it.

Chunks of all versions are embedded in rounds, each committed: an interrupted build resumes where it
stopped. Publications continue meanwhile, in the serving space; what they add is found missing at
the switch, and embedded before the next attempt. Questions are answered from the old space until
the switch, and from the new one after it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.ports import Embedder, EmbeddingSpace
from core.ports.search import SpaceState, SpaceStore

ROUND = 128
"""Texts that are embedded and stored together: what an interruption loses, some seconds of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The result of a build."""

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
    """Embed every chunk that lacks a vector in the embedder's space, and switch to that space.

    Args:
        store: The spaces.
        embedder: Embeds in the space to build.
        progress: Called with the number of texts that have a vector, and of all.

    Raises:
        OccupiedError: Another process builds a space.
        TransientError: Database or embedder failed; what is stored stays, so run it again.
        ContractError: The embedder returned something else than vectors; as above.
        ConfigError: The key or the model was refused.
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
