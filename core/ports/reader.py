"""Says whether a text answers a question: a small cross-encoder that reads both together."""

from collections.abc import Sequence
from typing import Protocol


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
