"""The sources of an answer: how sections are named, and how much of each quote is shown.

The sections of one version stand together below its title, and what else is known of it stands once
below them. A quote is shown whole or says that it is not; what is not shown stands under "Show
evidence".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.replies.context import Library
from bot.replies.safe_text import cut, line, short, shown, width
from bot.replies.sections import policy_title, section_name
from core.domain.answer import ShownCitation
from core.domain.ontology import PageKind, SectionRef
from core.language.interface.texts import Text
from core.language.languages import Language
from core.language.spans import VersionId

SHOWN = 5
"""Sources of a message; the evidence has all."""
QUOTE = 1_200
QUOTES_OF_ONE = 2_000
QUOTES = 4_500
"""Characters of one quote, of all quotes of one section, which Slack takes in one block, and of all
quotes of a message."""
LEAST_QUOTE = 80
"""Characters; a quote that would be cut shorter is left to the evidence view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Quotes of one section."""

    policy: str
    """Title, version and country."""
    section: str
    """Section and page; the policy's title where it has neither."""
    is_first: bool
    """True: the first one of its version, above which the policy is named."""
    about: str
    """Since when it holds and whose it is, of the last one of its version; else empty."""
    url: str | None
    """Where it can be opened; None if nowhere."""
    quotes: tuple[ShownCitation, ...]
    """What is quoted of it; their texts are as stored."""

    @property
    def title(self) -> str:
        """Policy and section on one line."""
        return f"{self.policy}, {self.section}"


def sources(
    citations: Sequence[ShownCitation], library: Library, language: Language = Language.ENGLISH
) -> Iterator[Source]:
    """Return what an answer rests on, version by version in the order of the first quotes."""
    versions = dict[VersionId, dict[SectionRef, list[ShownCitation]]]()
    for cited in citations:
        sections = versions.setdefault(cited.span.version_id, {})
        sections.setdefault(cited.place, []).append(cited)
    for sections in versions.values():
        for number, (place, quotes) in enumerate(sections.items(), start=1):
            about = _about(place, quotes[0].effective_from, library)
            is_last = number == len(sections)
            yield Source(
                policy=policy_title(place, language),
                section=_section(place, language) or policy_title(place, language),
                is_first=number == 1,
                about=" · ".join(one.of(language) for one in about) if is_last else "",
                url=library.url(place),
                quotes=tuple(quotes),
            )


def numbers(quotes: Sequence[ShownCitation]) -> str:
    """Return the marks of quotes that stand together: "[1]", "[2][3]"."""
    return "".join(f"[{quote.number}]" for quote in quotes)


def _section(place: SectionRef, language: Language) -> str:
    page = ""
    if place.page is not None:
        page = _PAGES[place.page_kind].format(page=place.page).of(language)
    return ", ".join(filter(None, (section_name(place), page)))


SINCE = Text("since {day}", "seit {day}")
_PAGES: Mapping[PageKind, Text] = {
    "page": Text("page {page}", "Seite {page}"),
    "slide": Text("slide {page}", "Folie {page}"),
    "row": Text("row {page} of the sheet", "Zeile {page} des Blatts"),
}
_OWNER = Text("owner {name}", "verantwortlich: {name}")
_VERIFIED = Text("verified by {name}", "geprüft von {name}")
_CLASSIFIED = Text("classified {name}", "eingestuft als {name}")


def _about(place: SectionRef, effective_from: str | None, library: Library) -> Iterator[Text]:
    if effective_from:
        yield SINCE.format(day=line(effective_from, limit=20))
    shelf = library.shelf(place)
    if shelf.owner:
        yield _OWNER.format(name=line(shelf.owner, limit=80))
    if shelf.verified_by:
        yield _VERIFIED.format(name=line(shelf.verified_by, limit=80))
    if shelf.sensitivity:
        yield _CLASSIFIED.format(name=line(shelf.sensitivity.name, limit=40))


_UNDER_EVIDENCE = Text(
    "The quote ({count} characters) is under “Show evidence”.",
    "Das Zitat ({count} Zeichen) steht unter „Belege anzeigen“.",
)
_SHORTENED = Text(
    "Shortened: the full quote ({count} characters) is under “Show evidence”.",
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
            return ShownQuote(text="", rest=f"{mark}{rest}", mark=mark)
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
    room = min(budget.left, QUOTES_OF_ONE)
    own = replace(budget, left=room)
    for one in source.quotes:
        mark = f"[{one.number}] " if several else ""
        yield own.take(one.quote, library.hosts, mark=mark)
    budget.left -= room - own.left
