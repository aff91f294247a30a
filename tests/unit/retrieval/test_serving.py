"""Which embedder a question gets."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.ports import EmbeddingSpace, Vector
from core.retrieval.serving_embedder import Configured, CorpusEmbedder, NoEmbedder


def space(model: str) -> EmbeddingSpace:
    return EmbeddingSpace(
        provider="test", model=model, dimensions=2, revision="1", fusion_weight=0.5
    )


@dataclass(frozen=True)
class Named:
    """An embedder that is only named."""

    model: str

    @property
    def space(self) -> EmbeddingSpace:
        return space(self.model)

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        raise NotImplementedError(texts)

    async def embed_query(self, text: str, /) -> Vector:
        raise NotImplementedError(text)


@dataclass(frozen=True)
class Stored:
    """A corpus whose space is known."""

    space: EmbeddingSpace | None

    async def serving(self) -> EmbeddingSpace | None:
        return self.space


def chosen(serving: str | None, configured: Configured, *there: str) -> CorpusEmbedder:
    known = {name: Named(name) for name in there}
    return CorpusEmbedder(
        Stored(space(serving) if serving else None),
        configured,
        lambda wanted: known.get(wanted.model, NoEmbedder(reason="no key: set it")),
    )


async def test_a_fresh_corpus_takes_what_is_set_up() -> None:
    """Nothing serves yet, so nothing can be contradicted."""
    found = await chosen(None, Named("a")).serving()
    assert (found.embedder, found.problem) == (Named("a"), None)


async def test_without_anything_there_is_a_reason() -> None:
    """Search is lexical alone, and says why."""
    found = await chosen(None, NoEmbedder(reason="no weights")).serving()
    assert (found.embedder, found.problem) == (None, "no weights")


async def test_the_space_that_serves_decides() -> None:
    """Vectors of another space can't be compared: its own embedder is used, with the cure."""
    found = await chosen("a", Named("b"), "a", "b").serving()
    assert found.embedder == Named("a")
    assert found.problem is not None
    assert "searched in test:a, which serves, though test:b is set up" in found.problem
    assert "`citebound corpus embed` switches" in found.problem


async def test_what_fits_needs_no_words() -> None:
    """Set up and serving are the same."""
    found = await chosen("a", Named("a"), "a").serving()
    assert (found.embedder, found.problem) == (Named("a"), None)


async def test_a_space_that_nothing_embeds_in() -> None:
    """There is no embedder, and the reason names the space."""
    found = await chosen("a", Named("b"), "b").serving()
    assert (found.embedder, found.problem) == (None, "test:a serves: no key: set it")
