"""The sources of an answer in rich text: where each stands, and its words.

A quote is shown whole or says that it is not: a shortened one names its full length. Slack refuses
a message whose blocks hold more than some 13,000 characters, so quotes share a budget.
"""

from collections.abc import Iterable, Iterator

from bot.replies.closest import ShownPassage
from bot.replies.policy_links import Library
from bot.replies.quote_budget import SHOWN, Room, missing, more_sources
from bot.replies.source_labels import Source, numbers, section_title, sources
from bot.slack.blocks.elements import Block, quoted, rich, said, to_policy, words
from core.domain.answer import ShownCitation
from core.domain.ontology import SectionRef
from core.domain.run import Json


def source_blocks(citations: tuple[ShownCitation, ...], library: Library) -> list[Block]:
    """Return a block for each source that is shown, and one that says what is not; at most 6."""
    room = Room()
    found = list(sources(citations, library))
    blocks = [rich(*_source(source, library, room)) for source in found[:SHOWN]]
    return [
        *blocks,
        *(
            [rich(said(words(more_sources(found[SHOWN:]), italic=True)))]
            if len(found) > SHOWN
            else []
        ),
    ]


def source_list(citations: tuple[ShownCitation, ...], library: Library) -> Block:
    """Return the same in one block."""
    elements = (block["elements"] for block in source_blocks(citations, library))
    return rich(*(part for some in elements if isinstance(some, list) for part in some))


def passage_elements(passage: ShownPassage, library: Library) -> Iterator[Block]:
    """Return where the closest passage stands, and its words."""
    yield said(_title(passage.source))
    taken = Room().take(passage.quotation, library.hosts)
    yield quoted(words(f"{taken.text} {passage.marks}"))
    if not taken.is_whole:
        yield said(words(missing(taken.text, passage.quotation), italic=True))


def nearest_items(places: Iterable[SectionRef], library: Library) -> Iterator[list[Json]]:
    """Return sections by name, with links."""
    for place in places:
        yield to_policy(section_title(place), library.url(place))


def _source(source: Source, library: Library, room: Room) -> Iterator[Block]:
    yield said(words(f"{numbers(source.quotes)} "), _title(source))
    several = len(source.quotes) > 1
    for quote in source.quotes:
        taken = room.take(quote.quote, library.hosts)
        mark = words(f"[{quote.number}] ", bold=True) if several else []
        if taken.text:
            yield quoted(mark, words(taken.text))
        if not taken.is_whole:
            yield said(mark, words(missing(taken.text, quote.quote), italic=True))


def _title(source: Source) -> list[Json]:
    about = words(f"  {source.about}", italic=True) if source.about else []
    return [*to_policy(source.title, source.url), *about]
