"""The sources of an answer in rich text: where each stands, and its words.

A quote is shown whole or says that it is not: a shortened one names its full length. Slack refuses
a message whose blocks hold more than some 13,000 characters, so quotes share a budget.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.replies.library import Library
from bot.replies.places import Source, numbers, section_title, sources
from bot.replies.text import cut, short, shown, width
from bot.slack.elements import Block, quoted, rich, said, to_policy, words
from core.domain.answer import ShownCitation
from core.domain.ontology import SectionRef
from core.domain.run import Json

SHOWN = 5
"""Sources of a message; the evidence has all."""
QUOTE = 1_200
QUOTES = 4_500
"""Characters of one quote, and of all quotes of a message."""
LEAST_QUOTE = 80
"""Characters below which a quote is rather left to the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """What is shown of a quote, and whether that is all of it."""

    text: str
    is_whole: bool


@dataclass(slots=True)
class _Room:
    """What quotes may still take."""

    left: int = QUOTES

    def take(self, quote: str, hosts: frozenset[str]) -> _Taken:
        """Return as much of a quote as there is room for; nothing of one that has none."""
        limit = min(QUOTE, self.left)
        if limit < min(LEAST_QUOTE, width(quote)):
            return _Taken(text="", is_whole=False)
        taken = short(quote, limit, hosts)
        self.left -= width(taken)
        is_whole = len(quote) <= limit and taken == shown(quote, hosts)
        return _Taken(text=taken, is_whole=is_whole)


def source_blocks(citations: tuple[ShownCitation, ...], library: Library) -> list[Block]:
    """Return a block for each source that is shown, and one that says what is not; at most 6."""
    room = _Room()
    found = list(sources(citations, library))
    blocks = [rich(*_source(source, library, room)) for source in found[:SHOWN]]
    return [*blocks, *([rich(_more(found[SHOWN:]))] if len(found) > SHOWN else [])]


def source_list(citations: tuple[ShownCitation, ...], library: Library) -> Block:
    """Return the same in one block."""
    elements = (block["elements"] for block in source_blocks(citations, library))
    return rich(*(part for some in elements if isinstance(some, list) for part in some))


def nearest_items(places: Iterable[SectionRef], library: Library) -> Iterator[list[Json]]:
    """Return sections by name, with links."""
    for place in places:
        yield to_policy(section_title(place), library.url(place))


def _source(source: Source, library: Library, room: _Room) -> Iterator[Block]:
    about = words(f"  {source.about}", italic=True) if source.about else []
    yield said(words(f"{numbers(source.quotes)} "), to_policy(source.title, source.url), about)
    several = len(source.quotes) > 1
    for quote in source.quotes:
        taken = room.take(quote.quote, library.hosts)
        mark = words(f"[{quote.number}] ", bold=True) if several else []
        if taken.text:
            yield quoted(mark, words(taken.text))
        if not taken.is_whole:
            yield said(mark, words(_missing(taken.text, quote.quote), italic=True))


def _missing(taken: str, whole: str) -> str:
    if not taken:
        return f"The quote ({width(whole):,} characters) is under “Show evidence”."
    return (
        f"Shortened here: the quote has {width(whole):,} characters,"
        " all of them under “Show evidence”."
    )


def _more(rest: list[Source]) -> Block:
    marks = "".join(numbers(source.quotes) for source in rest)
    return said(words(cut(f"{marks} are under “Show evidence”.", 300), italic=True))
