"""How much of each quote a message shows: all of it, or as much as there is room for.

A message says of each whether that is all; what is not shown stands under "Show evidence".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.replies.source_labels import Source, numbers
from bot.replies.text import cut, short, shown, width

SHOWN = 5
"""Sources of a message; the evidence has all."""
QUOTE = 1_200
QUOTES = 4_500
"""Characters of one quote, and of all quotes of a message."""
LEAST_QUOTE = 80
"""Characters below which a quote is rather left to the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What is shown of a quote, and whether that is all of it."""

    text: str
    """Fit to be shown; empty where there is no room."""
    is_whole: bool
    """False: `missing` says what is not shown."""


@dataclass(slots=True)
class Room:
    """What quotes may still take."""

    left: int = QUOTES
    """Characters."""

    def take(self, quote: str, hosts: frozenset[str]) -> Taken:
        """Return as much of a quote as there is room for; nothing of one that has none."""
        limit = min(QUOTE, self.left)
        if limit < min(LEAST_QUOTE, width(quote)):
            return Taken(text="", is_whole=False)
        taken = short(quote, limit, hosts)
        self.left -= width(taken)
        is_whole = len(quote) <= limit and taken == shown(quote, hosts)
        return Taken(text=taken, is_whole=is_whole)


def missing(taken: str, whole: str) -> str:
    """Return where the rest of a quote is."""
    if not taken:
        return f"The quote ({width(whole):,} characters) is under “Show evidence”."
    return (
        f"Shortened here: the quote has {width(whole):,} characters,"
        " all of them under “Show evidence”."
    )


def more_sources(rest: Sequence[Source]) -> str:
    """Return where sources are that a message does not show."""
    marks = "".join(numbers(source.quotes) for source in rest)
    return cut(f"{marks} are under “Show evidence”.", 300)
