"""Models of text beside the one that reasons: embedder, reranker, and readers of single texts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from core.domain.question import Deployment, SelfTopic

Vector: TypeAlias = tuple[float, ...]
"""Unit norm; its length is the embedder's `dimensions`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpace:
    """A space in which vectors are comparable."""

    provider: str
    """`local`, `voyage`."""
    model: str
    """The provider's name of the model."""
    dimensions: int
    """Length of its vectors."""
    revision: str
    """Identifies the weights: a hash or a date."""
    fusion_weight: float
    """Weight of BM25 in the fused score, in [0, 1]; tuned for the embedder on labelled
    questions."""
    is_measured: bool = field(default=True, repr=False, compare=False)
    """True if relevance was fitted on cosines of this space; False: its cosines only order
    chunks."""

    @property
    def name(self) -> str:
        """Its name for people."""
        return f"{self.provider}:{self.model}"

    @property
    def identity(self) -> tuple[str, str, int, str]:
        """What makes vectors comparable: everything but the fusion weight."""
        return (self.provider, self.model, self.dimensions, self.revision)


class Embedder(Protocol):
    """Turns texts into vectors. Safe from many tasks; heavy work is off the event loop."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""
        ...

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """Return one vector for each text, in order."""
        ...

    async def embed_query(self, text: str, /) -> Vector:
        """Return the question's vector."""
        ...


class Reranker(Protocol):
    """Scores texts by reading each with the question. Safe from many tasks."""

    @property
    def name(self) -> str:
        """Its name in the trace."""
        ...

    async def rerank(self, question: str, texts: Sequence[str], /) -> list[float]:
        """Return a score in [0, 1] for each text, in order; higher is nearer.

        The scores order texts of one question. They are no probabilities.
        """
        ...


class OffTopic(Protocol):
    """Recognises messages that have nothing to do with a company. Safe from many tasks."""

    async def likelihood(self, text: str, /) -> float:
        """Return how likely a message is about none of a company's affairs, in [0, 1].

        Raises:
            ContractError: The model can't be run; take the message for a question about policies.
        """
        ...


class SelfQuestions(Protocol):
    """Recognises what a message asks of the assistant itself. Safe from many tasks."""

    async def likelihoods(self, text: str, /) -> Mapping[SelfTopic, float]:
        """Return how likely each topic is what a text asks, in [0, 1]; what is left: none of them.

        Raises:
            ContractError: The model can't be run; take the message for a question about policies.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutUs:
    """What is needed to answer questions about the assistant itself."""

    recognise: SelfQuestions | None = None
    """None: only those that are asked in the plainest words are recognised."""
    deployment: Deployment = field(default_factory=Deployment)
    """What is true here."""


class EnglishWords(Protocol):
    """A list of common English words. Safe from many tasks."""

    async def among(self, words: Collection[str], /) -> frozenset[str]:
        """Return which of these words, in lower case, are on the list."""
        ...


class Reader(Protocol):
    """A cross-encoder that reads a question with a text, and scores whether the text answers it.

    Safe to share; never blocks the event loop.
    """

    @property
    def name(self) -> str:
        """Name and revision of the weights, for the record."""
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
