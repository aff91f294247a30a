"""The sources of an answer: how sections are named, and how much of each quote is shown.

A section and a version stand as people say them: "Gifts & Entertainment §3.2", "v4 · page 3". A
quote is shown whole or says that it is not; what is not shown stands under "Show evidence".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.replies.context import Library
from bot.replies.safe_text import cut, line, short, shown, width
from core.domain.answer import ShownCitation
from core.domain.ontology import PageKind, SectionRef
from core.language.interface.texts import Text, as_it_is
from core.language.languages import Language

TITLE = 200
"""Characters of a policy's or a section's title."""
SHOWN = 5
"""Sources of a message; the evidence has all."""
QUOTE = 1_200
QUOTES = 4_500
"""Characters of one quote, and of all quotes of a message."""
LEAST_QUOTE = 80
"""Characters; a quote that would be cut shorter is left to the evidence view."""


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


def sources(
    citations: Sequence[ShownCitation], library: Library, language: Language = Language.ENGLISH
) -> Iterator[Source]:
    """Return what an answer rests on; neighbours of one section share its name."""
    for _, group in groupby(citations, key=lambda one: (one.span.version_id, one.place)):
        quotes = tuple(group)
        place = quotes[0].place
        yield Source(
            title=section_title(place, language),
            about=" · ".join(
                one.of(language) for one in _about(place, quotes[0].effective_from, library)
            ),
            url=library.url(place),
            quotes=quotes,
        )


def section_title(place: SectionRef, language: Language = Language.ENGLISH) -> str:
    """Return policy, country and section on one line."""
    country = f" ({line(place.jurisdiction, limit=20)})" if place.jurisdiction else ""
    section = _section(place)
    joint = " " if section[:1] == "\N{SECTION SIGN}" else ", "
    name = f"{line(place.policy_title, limit=TITLE) or POLICY.of(language)}{country}"
    return f"{name}{joint}{section}" if section else name


def numbers(quotes: Sequence[ShownCitation]) -> str:
    """Return the marks of quotes that stand together: "[1]", "[2][3]"."""
    return "".join(f"[{quote.number}]" for quote in quotes)


def _section(place: SectionRef) -> str:
    number = line(place.number or "", limit=40)
    sign = "§" if number[:1].isdigit() else ""
    parts = (f"{sign}{number}" if number else "", line(place.title, limit=TITLE))
    return " ".join(part for part in parts if part)


POLICY = Text("Policy", "Richtlinie")
_VERSION = Text("version {label}", "Fassung {label}")
_IN_FORCE = Text("in force since {day}", "in Kraft seit {day}")
_PAGES: Mapping[PageKind, Text] = {
    "page": Text("page {page}", "Seite {page}"),
    "slide": Text("slide {page}", "Folie {page}"),
    "row": Text("row {page} of the sheet", "Zeile {page} des Blatts"),
}
_OWNER = Text("owner {name}", "verantwortlich: {name}")
_VERIFIED = Text("verified by {name}", "geprüft von {name}")
_CLASSIFIED = Text("classified {name}", "eingestuft als {name}")


def _about(place: SectionRef, effective_from: str | None, library: Library) -> Iterator[Text]:
    if place.version_label:
        label = line(place.version_label, limit=60)
        yield _VERSION.format(label=label) if label[:1].isdigit() else as_it_is(label)
    if effective_from:
        yield _IN_FORCE.format(day=line(effective_from, limit=20))
    if place.page is not None:
        yield _PAGES[place.page_kind].format(page=place.page)
    owner = library.owner(place)
    if owner:
        yield _OWNER.format(name=line(owner, limit=80))
    verifier, sensitivity = library.verifier(place), library.sensitivity(place)
    if verifier:
        yield _VERIFIED.format(name=line(verifier, limit=80))
    if sensitivity:
        yield _CLASSIFIED.format(name=line(sensitivity.name, limit=40))


_UNDER_EVIDENCE = Text(
    "The quote ({count} characters) is under “Show evidence”.",
    "Das Zitat ({count} Zeichen) steht unter „Belege anzeigen“.",
)
_SHORTENED = Text(
    "Shortened here: the quote has {count} characters, all of them under “Show evidence”.",
    "Hier gekürzt: Das Zitat hat {count} Zeichen; ganz steht es unter „Belege anzeigen“.",
)
_MORE_SOURCES = Text(
    "{marks} are under “Show evidence”.", "{marks} stehen unter „Belege anzeigen“."
)


def count_of(number: int) -> Text:
    """Return a count with its thousands set apart: "1,200", "1.200"."""
    return Text(f"{number:,}", f"{number:,}".replace(",", "."))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuote:
    """The part of a quote that fits into a message."""

    text: str
    """Safe to show; empty if there is no room."""
    rest: str
    """A note on where the rest is; empty if this is all of it."""
    mark: str = ""
    """`[2] ` where its source has several quotes, else empty."""


@dataclass(slots=True)
class QuoteBudget:
    """The room left for the quotes of a message."""

    left: int = QUOTES
    """Characters."""
    language: Language = Language.ENGLISH
    """Of what is said of a quote that does not fit."""

    def take(self, quote: str, hosts: frozenset[str], *, mark: str = "") -> ShownQuote:
        """Return as much of a quote as fits; its text is empty if nothing useful does."""
        limit, whole = min(QUOTE, self.left), width(quote)
        if limit < min(LEAST_QUOTE, whole):
            rest = _UNDER_EVIDENCE.format(count=count_of(whole)).of(self.language)
            return ShownQuote(text="", rest=rest, mark=mark)
        taken = short(quote, limit, hosts)
        self.left -= width(taken)
        if len(quote) <= limit and taken == shown(quote, hosts):
            return ShownQuote(text=taken, rest="", mark=mark)
        told = _SHORTENED.format(count=count_of(whole)).of(self.language)
        return ShownQuote(text=taken, rest=told, mark=mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSources:
    """What a message shows of the sources of an answer."""

    sources: tuple[tuple[Source, tuple[ShownQuote, ...]], ...]
    """Each with the quotes that fit."""
    more: str
    """A note on where the other sources are; empty if these are all."""


def shown_sources(
    citations: Sequence[ShownCitation],
    library: Library,
    *,
    quotes: int = QUOTES,
    most: int = SHOWN,
    language: Language = Language.ENGLISH,
) -> ShownSources:
    """Return what a message shows of sources.

    Args:
        citations: What is cited.
        library: Where links may lead.
        quotes: Characters that all quotes may take.
        most: Sources.
        language: Of what is said around the quotes.
    """
    budget = QuoteBudget(left=quotes, language=language)
    found = list(sources(citations, library, language))
    marks = "".join(numbers(source.quotes) for source in found[most:])
    return ShownSources(
        sources=tuple((one, tuple(_quotes(one, library, budget))) for one in found[:most]),
        more=cut(_MORE_SOURCES.format(marks=marks).of(language), 300) if marks else "",
    )


def _quotes(source: Source, library: Library, budget: QuoteBudget) -> Iterator[ShownQuote]:
    several = len(source.quotes) > 1
    for one in source.quotes:
        mark = f"[{one.number}] " if several else ""
        yield budget.take(one.quote, library.hosts, mark=mark)
