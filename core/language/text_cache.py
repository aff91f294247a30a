"""Spare the reading of texts: keep what was read in the last ones, and look at words first.

A policy's sentences are read again for each question, and by dozens of patterns, few of which
match. What a text says depends on the text alone, so nothing here ever goes stale, and a
publication leaves nothing behind but entries that are not asked for again.
"""

import re
from collections.abc import Callable, Iterable, Iterator
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


def word_set(text: str) -> frozenset[str]:
    """Return words that are written separated by spaces."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordPattern:
    """A pattern that is tried only where a text has a word that all its matches need.

    Most sentences have none, and to find that out by itself a pattern takes many times as long.
    """

    pattern: re.Pattern[str]
    """In which the words stand between word boundaries."""
    words: frozenset[str]
    """In lower case; each match has at least one."""

    def search(self, text: str) -> re.Match[str] | None:
        """See `re.Pattern.search`."""
        return None if self.words.isdisjoint(words_of(text)) else self.pattern.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """See `re.Pattern.match`."""
        return None if self.words.isdisjoint(words_of(text)) else self.pattern.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """See `re.Pattern.finditer`."""
        return iter(()) if self.words.isdisjoint(words_of(text)) else self.pattern.finditer(text)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenedPattern:
    """A pattern that is tried only at words with which its matches begin.

    A choice of many words is slow to find nothing at each letter.
    """

    pattern: re.Pattern[str]
    """Which matches only from the beginning of a word."""
    opening: frozenset[str]
    """The first words of its matches, in lower case."""
    opens_with_digits: bool = False
    """True where they may begin with a number in digits as well."""

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """See `re.Pattern.finditer`."""
        return self.matches_at(text, self.openings(text))

    def openings(self, text: str) -> list[int]:
        """Return where the words begin with which a match may, in order."""
        return [
            word.start()
            for word in _WORD.finditer(text)
            if (said := word[0]).casefold() in self.opening
            or (self.opens_with_digits and said[0].isdecimal())
        ]

    def matches_at(self, text: str, openings: Iterable[int]) -> Iterator[re.Match[str]]:
        """Yield the matches that begin at one of some offsets, in order, none inside another."""
        end = 0
        for start in openings:
            if start >= end:
                found = self.pattern.match(text, start)
                if found is not None:
                    end = found.end()
                    yield found


def word_pattern(pattern: str, *, words: str, flags: re.RegexFlag = re.IGNORECASE) -> WordPattern:
    """Return a pattern of which each match has one of some words, given in lower case."""
    return WordPattern(pattern=re.compile(pattern, flags), words=word_set(words))
