"""Keep what was read in the texts last seen: a policy's sentences are read again for each question.

What a text says depends on the text alone, so nothing here ever goes stale, and a publication
leaves nothing behind but entries that are not asked for again.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_T = TypeVar("_T")

ENTRIES = 4_096
"""Texts kept by each function: the sentences of some 600 sections, a few megabytes."""
LONGEST = 3_000
"""Characters of a text that is kept: a chunk has 2,400. Long messages don't fill the memory."""


def cached_by_text(
    *, entries: int = ENTRIES, longest: int = LONGEST
) -> Callable[[Callable[[str], _T]], Callable[[str], _T]]:
    """Let a function of one text keep its last results, which must be immutable.

    Args:
        entries: Results kept.
        longest: Characters of a text whose result is kept.
    """

    def decorate(read: Callable[[str], _T]) -> Callable[[str], _T]:
        kept = lru_cache(maxsize=entries)(read)

        @wraps(read)
        def cached(text: str) -> _T:
            return kept(text) if len(text) <= longest else read(text)

        return cached

    return decorate
