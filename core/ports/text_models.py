"""Models of text beside the one that reasons: embedder, reranker, and readers of single texts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

Vector: TypeAlias = tuple[float, ...]
"""Unit norm; its length is the embedder's `dimensions`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """Where vectors are comparable."""

    provider: str
    """`local`, `voyage`."""
    model: str
    """The provider's name of the model."""
    dimensions: int
    """Length of its vectors."""
    revision: str
    """What pins the weights: a hash or a date."""
    fusion_weight: float
    """Weight of BM25 in the fused score, in [0, 1]; tuned for the embedder on labelled
    questions."""
    is_measured: bool = field(default=True, repr=False, compare=False)
    """True if relevance was fitted on cosines of this space; False: its cosines order chunks, and
    say nothing about relevance."""

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.provider}:{self.model}"

    @property
    def identity(self) -> tuple[str, str, int, str]:
        """What makes vectors comparable: all but how they are weighed."""
        return (self.provider, self.model, self.dimensions, self.revision)


class Embedder(Protocol):
    """Text to vectors. Safe from many tasks; heavy work is off the event loop."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""
        ...

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """Return one vector a text, in order."""
        ...

    async def embed_query(self, text: str, /) -> Vector:
        """Return the question's vector."""
        ...


class Reranker(Protocol):
    """Reads question and text together. Safe from many tasks."""

    @property
    def name(self) -> str:
        """What the trace calls it."""
        ...

    async def rerank(self, question: str, texts: Sequence[str], /) -> list[float]:
        """Return a score in [0, 1] for each text, in order; higher is nearer.

        The scores order texts of one question. They are no probabilities.
        """
        ...


class OffTopic(Protocol):
    """Tells the weather from the works council. Safe from many tasks."""

    async def likelihood(self, text: str, /) -> float:
        """Return how likely a message is about none of a company's affairs, in [0, 1].

        Raises:
            ContractError: The model can't be run; take the message for a question about policies.
        """
        ...


class EnglishWords(Protocol):
    """A list of common English words. Safe from many tasks."""

    async def among(self, words: Collection[str], /) -> frozenset[str]:
        """Return which of these words, in lower case, are on the list."""
        ...


class Reader(Protocol):
    """Reads a question with a text. Safe to share; never blocks the event loop."""

    @property
    def name(self) -> str:
        """Identity with the revision of the weights, as it stands in the record."""
        ...

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        """Return a logit for each text, in order; higher answers better.

        Each text as `core.language.reader_text.reader_text` writes it. A pair's score
        depends on nothing but the pair. Logits are no probabilities: they go through a fitted
        acceptance.

        Raises:
            ContractError: Nothing was read; go on without scores.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCheck:
    """What came of calling a provider's models once, for `citebound doctor --live`."""

    worked: bool
    """True if every model that is set up answered as it should."""
    found: str
    """What came back or what went wrong, one line, without the key."""
