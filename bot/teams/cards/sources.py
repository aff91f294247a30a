"""The sources of an answer in its card: where each stands, and its words.

A quote is shown whole or says that it is not. A card holds 28 kB, so quotes share a budget.
"""

from collections.abc import Iterator

from bot.replies.policy_links import Library
from bot.replies.quote_budget import SHOWN, Room, missing, more_sources
from bot.replies.source_labels import Source, numbers, sources
from bot.teams.cards.elements import Card, container, rich, run, small, told
from core.domain.answer import ShownCitation


def source_items(
    citations: tuple[ShownCitation, ...], library: Library, *, quotes: int
) -> list[Card]:
    """Return what is shown of the sources; `quotes`: how many characters all quotes may take."""
    room = Room(left=quotes)
    found = list(sources(citations, library))
    items = [item for source in found[:SHOWN] for item in _source(source, library, room)]
    return [*items, *([small(more_sources(found[SHOWN:]))] if len(found) > SHOWN else [])]


def _source(source: Source, library: Library, room: Room) -> Iterator[Card]:
    mark = run(f"{numbers(source.quotes)} ", weight="Bolder")
    title = run(source.title, url=source.url, weight="Bolder")
    yield rich(mark, title, spacing="Medium")
    if source.about:
        yield small(source.about)
    several = len(source.quotes) > 1
    for quote in source.quotes:
        taken = room.take(quote.quote, library.hosts)
        if taken.text:
            first = f"[{quote.number}] " if several else ""
            shown = f"{first}“{taken.text}{'”' if taken.is_whole else ''}"
            yield container(told(shown), style="emphasis", spacing="Small")
        if not taken.is_whole:
            yield small(missing(taken.text, quote.quote))
