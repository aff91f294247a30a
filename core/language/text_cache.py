"""Spare the reading of texts: keep what was read in the last ones, and look at words first.

A policy's sentences are read again for each question, and by dozens of patterns, few of which
match. What a text says depends on the text alone, so nothing here ever goes stale, and a
publication leaves nothing behind but entries that are not asked for again.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
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


_WORD = re.compile(r"\w+")
_LIKE_I = {0x130: "i", 0x131: "i"}
"""Turkish letters that a pattern takes for an "i" where it ignores case; folding leaves them."""
_SENTENCES = 256
"""Texts whose words are kept: one sentence is looked at by all patterns, and then the next."""


@cached_by_text(entries=_SENTENCES)
def words_of(text: str) -> frozenset[str]:
    """Return what stands between word boundaries in `text`, in lower case."""
    if text.isascii():
        return frozenset(_WORD.findall(text.lower()))
    return frozenset(map(str.casefold, _WORD.findall(text.translate(_LIKE_I))))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sign:
    """What all matches of a slow pattern contain, and is found soon: a short pattern or a word."""

    pattern: re.Pattern[str] | None = None
    """Finds it in a text in lower case; None if it is a word."""
    words: frozenset[str] = frozenset()
    """Or else it is one of these."""

    def is_in(self, text: str, folded: str) -> bool:
        """Return whether a text has it.

        Args:
            text: The text.
            folded: The same in lower case.
        """
        if self.pattern is not None and self.pattern.search(folded):
            return True
        return bool(self.words) and not self.words.isdisjoint(words_of(text))
