"""A section and a version as people say them: "Gifts & Entertainment §3.2", "v4 · page 3"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.replies.policy_links import Library
from bot.replies.text import line
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
