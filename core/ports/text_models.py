"""Says whether a text answers a question: a small cross-encoder that reads both together."""

from collections.abc import Collection, Sequence
from typing import Protocol


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
