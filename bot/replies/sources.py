"""A section and a version as people say them: "Gifts & Entertainment §3.2", "v4 · page 3"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.replies.context import Library
from bot.replies.safe_text import cut, line, short, shown, width
from core.domain.answer import ShownCitation
from core.domain.ontology import SectionRef

TITLE = 200
"""Characters of a policy's or a section's title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Quotes of one section, one after the other."""

    title: str
    """Policy and section."""
    about: str
    """Version, date, page, owner; may be empty."""
    url: str | None
    """Where it can be opened; None if nowhere."""
    quotes: tuple[ShownCitation, ...]
    """What is quoted of it; their texts are as stored."""


def sources(citations: Sequence[ShownCitation], library: Library) -> Iterator[Source]:
    """Return what an answer rests on; neighbours of one section share its name."""
    for _, group in groupby(citations, key=lambda one: (one.span.version_id, one.place)):
        quotes = tuple(group)
        place = quotes[0].place
        yield Source(
            title=section_title(place),
            about=" · ".join(_about(place, quotes[0].effective_from, library)),
            url=library.url(place),
            quotes=quotes,
        )


def section_title(place: SectionRef) -> str:
    """Return policy, country and section on one line."""
    country = f" ({line(place.jurisdiction, limit=20)})" if place.jurisdiction else ""
    section = _section(place)
    joint = " " if section[:1] == "\N{SECTION SIGN}" else ", "
    name = f"{line(place.policy_title, limit=TITLE) or 'Policy'}{country}"
    return f"{name}{joint}{section}" if section else name


def numbers(quotes: Sequence[ShownCitation]) -> str:
    """Return the marks of quotes that stand together: "[1]", "[2][3]"."""
    return "".join(f"[{quote.number}]" for quote in quotes)


def _section(place: SectionRef) -> str:
    number = line(place.number or "", limit=40)
    sign = "§" if number[:1].isdigit() else ""
    parts = (f"{sign}{number}" if number else "", line(place.title, limit=TITLE))
    return " ".join(part for part in parts if part)


def _about(place: SectionRef, effective_from: str | None, library: Library) -> Iterator[str]:
    if place.version_label:
        label = line(place.version_label, limit=60)
        yield f"version {label}" if label[:1].isdigit() else label
    if effective_from:
        yield f"in force since {line(effective_from, limit=20)}"
    if place.page is not None:
        yield f"page {place.page}"
    owner = library.owner(place)
    if owner:
        yield f"owner {line(owner, limit=80)}"


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
