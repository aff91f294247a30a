"""How likely sentences mean what a question says, word by word."""

from collections.abc import Sequence

import numpy as np
import pytest

from core.agent.extractive import similarity
from core.agent.extractive.similarity import OTHER, Similarity
from core.domain.errors import ContractError
from core.ports import EmbeddingSpace, Vector
from core.ports.tokens import TokenVectors

WORDS = {"gift": (1.0, 0.0, 0.0), "present": (0.8, 0.6, 0.0), "trip": (0.0, 0.0, 1.0)}
"""A gift is nearly a present, and a trip is neither."""
SPACE = EmbeddingSpace(
    provider="test", model="words", dimensions=3, revision="1", fusion_weight=0.5
)


class WordEmbedder:
    """Knows three words; counts what it reads."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.fails = False

    @property
    def space(self) -> EmbeddingSpace:
        return SPACE

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        return [WORDS[text] for text in texts]

    async def embed_query(self, text: str, /) -> Vector:
        return WORDS[text]

    async def embed_tokens(self, texts: Sequence[str], /) -> list[TokenVectors]:
        if self.fails:
            raise ContractError("no weights")
        self.read += texts
        return [_read(text) for text in texts]


def _read(text: str) -> TokenVectors:
    at = 0
    offsets: list[tuple[int, int]] = []
    for word in text.split():
        at = text.index(word, at)
        offsets.append((at, at + len(word)))
    rows = np.array([WORDS[word] for word in text.split()], dtype=np.float32)
    return TokenVectors(offsets=tuple(offsets), vectors=rows.tobytes(), dimensions=3)


async def test_each_word_finds_the_nearest_one() -> None:
    """(1 * .8 + .5 * 1) / 1.5: "gift" finds "present", "trip" itself, each at its weight."""
    weights = {"gift": 1.0, "trip": 0.5}
    found = await Similarity(WordEmbedder()).likeness("gift trip", weights, ["trip present"])
    assert found == pytest.approx([1.3 / 1.5])


async def test_a_word_that_tells_little_counts_little() -> None:
    """What is none of the telling words counts OTHER."""
    found = await Similarity(WordEmbedder()).likeness("gift trip", {"gift": 1.0}, ["gift", "trip"])
    assert found == pytest.approx([1 / (1 + OTHER), OTHER / (1 + OTHER)])


async def test_a_text_without_words_is_like_nothing() -> None:
    """Neither an empty text nor an empty question divides by nothing."""
    words = Similarity(WordEmbedder())
    assert await words.likeness("gift", {"gift": 1.0}, [""]) == [0.0]
    assert await words.likeness("", {}, ["gift"]) == [0.0]


async def test_a_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read is kept, up to a bound."""
    monkeypatch.setattr(similarity, "KEPT_TEXTS", 2)
    embedder = WordEmbedder()
    words = Similarity(embedder)
    for _ in range(2):
        await words.likeness("gift", {"gift": 1.0}, ["present"])
    assert embedder.read == ["gift", "present"]
    await words.likeness("gift", {"gift": 1.0}, ["trip", "present"])
    await words.likeness("gift", {"gift": 1.0}, ["trip"])
    assert embedder.read == ["gift", "present", "trip", "gift"]


async def test_without_an_embedder_there_is_no_likeness() -> None:
    """No embedder, one that fails, or one that knows texts alone: ranking goes by words."""
    failing = WordEmbedder()
    failing.fails = True
    for words in (Similarity(None), Similarity(failing)):
        assert await words.likeness("gift", {"gift": 1.0}, ["gift"]) is None
