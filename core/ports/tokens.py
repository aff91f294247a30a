"""Words in their context to vectors: how two texts are compared word by word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenVectors:
    """The tokens of one text, in order."""

    offsets: tuple[tuple[int, int], ...]
    """Where each stands: half-open, in code points."""
    vectors: bytes
    """A row a token, each of unit norm: float32 in the machine's byte order, row by row."""
    dimensions: int
    """Length of a row."""


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that also tells what it makes of each word. Safe from many tasks."""

    async def embed_tokens(self, texts: Sequence[str], /) -> list[TokenVectors]:
        """Return the tokens of each text, in order; none for a text without words."""
        ...
