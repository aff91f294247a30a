"""Which words are English, so that a rare one is not taken for a slip of the pen."""

from collections.abc import Collection
from typing import Protocol


class EnglishWords(Protocol):
    """A list of common English words. Safe from many tasks."""

    async def among(self, words: Collection[str], /) -> frozenset[str]:
        """Return which of these words, in lower case, are on the list."""
        ...
