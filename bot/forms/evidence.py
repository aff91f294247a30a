"""The evidence of an answer, claim by claim: verbatim quotes with what stands around them.

Nothing is left out: what does not fit on a page is on the next one, and a long quote goes on in
parts that say so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from bot.forms.excerpts import CUT_OFF, Around, apart
from bot.replies.answer import LEAF, grounds, is_partial
from bot.replies.context import Library
from bot.replies.safe_text import line, pieces, shown
from bot.replies.sources import Source, sources
from core.domain.answer import Answer, ShownCitation, ShownClaim
from core.language.interface.texts import Text
from core.language.languages import Language

TITLE = Text("Evidence", "Belege")
WORD_FOR_WORD = Text("Word for word from the policy", "Wörtlich aus der Richtlinie")
TRANSLATED = Text("Shown to you in translation:", "Ihnen in Übersetzung gezeigt:")
RECORD = Text("Record:", "Protokoll:")
LOADING = Text("Loading the evidence…", "Die Belege werden geladen…")
_PAGE = Text("Page {page} of {count}", "Seite {page} von {count}")
_PREVIOUS, _NEXT = Text("Previous page", "Vorige Seite"), Text("Next page", "Nächste Seite")
_CLOSEST = Text(
    "Quoted word for word from the policy. It may not answer the question.",
    "Wörtlich aus der Richtlinie zitiert. Das beantwortet die Frage möglicherweise nicht.",
)
_PRECEDENT = Text(
    "Compliance answered this. The answer rests on these clauses.",
    "Compliance hat geantwortet. Auf diesen Klauseln beruht die Antwort.",
)
_ONE = Text(
    "The statement is backed by quoted policy text.",
    "Die Aussage ist mit zitiertem Richtlinientext belegt.",
)
_EACH = Text(
    "Each of the {total} statements is backed by quoted policy text.",
    "Jede der {total} Aussagen ist mit zitiertem Richtlinientext belegt.",
)
_NONE = Text(
    "No statement was made, so there is nothing to quote.",
    "Es wurde keine Aussage getroffen, also gibt es nichts zu zitieren.",
)
_OTHERS = Text(
    " Statements that could not be checked were left out.",
    " Andere ließen sich nicht prüfen und wurden weggelassen.",
)
_ABOVE = Text("{marks} stands above.", "{marks} steht weiter oben.")
_PART = Text(" part {number} of {count}", " Teil {number} von {count}")
PIECE = 3_000
"""Characters that one element of a view holds."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceView:
    """The evidence of one answer, opened at a page."""

    answer: Answer
    """Whose."""
    answer_id: str
    """Its id, for the buttons that turn pages."""
    page: int = 0
    """From 0; one that there is not stands for the last."""
    around: Mapping[int, Around] = field(default_factory=dict[int, Around])
    """What stands around each quote, by the n of [n]."""
    record_id: str = ""
    """The record of the answer; empty if it is not told."""
    leaf_hash: str = ""
    """Its hash, hex; empty if it has none yet."""
    language: Language = Language.ENGLISH
    """Of whoever looks at it."""


class Level(StrEnum):
    """How a verdict is coloured; its words say the same."""

    NOTHING = "info"
    PARTLY = "warning"
    ALL = "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The verdict at the top of the evidence."""

    level: Level
    """Its colour."""
    text: str
    """Its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimHeading:
    """A claim of the answer, above its quotes."""

    number: int
    """From 1."""
    text: str
    """On one line, of any length; of a claim that is its quote, only that it is."""
    note: str = ""
    """The translation in which it was shown, and which of its quotes stand above already; empty:
    neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotePart:
    """A quote that a claim rests on, or a part of a long quote."""

    claim: int
    """Number of the claim."""
    cited: ShownCitation
    mark: str
    """`[3]`, or `[3] part 1 of 2`."""
    before: str
    """Policy text before it; only with the first part."""
    text: str
    """Verbatim, except that links are broken."""
    after: str
    """Policy text after it; only with the last part."""
    source: Source | None
    """Where it stands; only with the last part, else None."""
    is_first: bool = True
    """True of the part with which the quote begins."""
    is_last: bool = True
    """True of the part with which it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadgeGrounds:
    """What stands behind the badge, and the record: below all quotes."""

    lines: tuple[str, ...]
    """What the badge rests on, and who wrote the answer."""
    record: str
    """Id of the record, and the beginning of its hash, to be copied; may be empty."""


EvidenceItem: TypeAlias = ClaimHeading | QuotePart | BadgeGrounds


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePage(Generic[T]):
    """One page of drawn evidence."""

    items: list[T]
    index: int
    """From 0."""
    count: int

    language: Language = Language.ENGLISH
    """Of whoever looks at it."""

    @property
    def label(self) -> str:
        """`Page 1 of 3`; empty if there is only one."""
        told = _PAGE.format(page=self.index + 1, count=self.count).of(self.language)
        return told if self.count > 1 else ""

    def turns(self) -> Iterator[tuple[int, str]]:
        """Yield the pages to turn to, and the words of their buttons."""
        for to, text in ((self.index - 1, _PREVIOUS), (self.index + 1, _NEXT)):
            if 0 <= to < self.count:
                yield to, text.of(self.language)


def summary_of(answer: Answer, language: Language = Language.ENGLISH) -> Summary:
    """Return how many claims are supported."""
    level, told = _summary(answer)
    return Summary(level=level, text=told.of(language))


def _summary(answer: Answer) -> tuple[Level, Text]:
    if answer.is_closest:
        return Level.PARTLY, _CLOSEST
    if answer.precedent is not None:
        return Level.ALL, _PRECEDENT
    total = len(answer.claims)
    if not total:
        return Level.NOTHING, _NONE
    supported = _ONE if total == 1 else _EACH.format(total=total)
    if is_partial(answer):
        return Level.PARTLY, supported + _OTHERS
    return Level.ALL, supported


def page_of(
    evidence: EvidenceView,
    library: Library,
    *,
    draw: Callable[[EvidenceItem], Iterable[list[T]]],
    size: Callable[[list[T]], int],
    most: int,
    items: int,
) -> EvidencePage[T]:
    """Return the page to show.

    Args:
        evidence: what is shown.
        library: links and owners of policies.
        draw: returns what is seen of an item, in units of which none is parted.
        size: how large a unit is.
        most: how large a page may be; a unit that is larger stands alone.
        items: how many elements a page may have.
    """
    units = [unit for item in _items(evidence, library) for unit in draw(item)]
    pages = list(paged(units, size=size, most=most, items=items)) or [[]]
    index = max(0, min(evidence.page, len(pages) - 1))
    return EvidencePage(
        items=pages[index], index=index, count=len(pages), language=evidence.language
    )


def paged(
    units: Sequence[list[T]], *, size: Callable[[list[T]], int], most: int, items: int
) -> Iterator[list[T]]:
    """Yield pages: units in order, none parted, as many as fit. See `page_of`."""
    page: list[T] = []
    length = 0
    for unit in units:
        added = size(unit)
        if page and (len(page) + len(unit) > items or length + added > most):
            yield page
            page, length = [], 0
        page, length = [*page, *unit], length + added
    if page:
        yield page


def _items(evidence: EvidenceView, library: Library) -> Iterator[EvidenceItem]:
    answer, language = evidence.answer, evidence.language
    citations = {citation.number: citation for citation in answer.citations}
    around, seen = apart(answer.quoted, evidence.around), set[int]()
    for number, claim in enumerate(answer.claims, start=1):
        cited = [citations[one] for one in claim.numbers if one in citations]
        marks = "".join(f"[{one.number}]" for one in cited if one.number in seen)
        above = _ABOVE.format(marks=marks).of(language) if marks else ""
        is_quote = _is_quoted(claim.text, [one.quote for one in cited])
        yield ClaimHeading(
            number=number,
            text=WORD_FOR_WORD.of(language) if is_quote else line(claim.text, library.hosts),
            note=" ".join(filter(None, (_translated(claim, library, language), above))),
        )
        for one in cited:
            if one.number not in seen:
                seen.add(one.number)
                header = citations.get(one.header or 0)
                beside = _headed(around.get(one.number, Around()), header)
                yield from _quotes(number, one, library, beside, language)
    told = tuple(one.of(language) for one in grounds(answer))
    record = line(evidence.record_id)
    if told or record:
        leaf = line(evidence.leaf_hash[:LEAF])
        yield BadgeGrounds(lines=told, record=" · ".join(part for part in (record, leaf) if part))


def _headed(around: Around, header: ShownCitation | None) -> Around:
    """Return what stands around a table row, with the names of its columns."""
    if header is None or header.quote in around.before:
        return around
    return replace(around, before=f"{header.quote}\n{CUT_OFF}\n{around.before.lstrip()}")


def _translated(claim: ShownClaim, library: Library, language: Language) -> str:
    """Return how a claim was shown that was translated; empty: it was not."""
    told = line(claim.rendering, library.hosts)
    return f"{TRANSLATED.of(language)} “{told}”" if told else ""


def _is_quoted(claim: str, quotes: Sequence[str]) -> bool:
    """Say whether a claim says what it quotes, word for word."""
    said = _plain(claim)
    return bool(said) and said in {_plain(" ".join(quotes)), *map(_plain, quotes)}


def _plain(text: str) -> str:
    return " ".join(text.split()).strip('“”" .').casefold()


def _quotes(
    claim: int, cited: ShownCitation, library: Library, around: Around, language: Language
) -> Iterator[QuotePart]:
    hosts = library.hosts
    parts = pieces(shown(cited.quote, hosts), PIECE) or ["-"]
    for index, part in enumerate(parts):
        is_first, is_last = index == 0, index == len(parts) - 1
        part_of = _PART.format(number=index + 1, count=len(parts)).of(language)
        more = part_of if len(parts) > 1 else ""
        yield QuotePart(
            claim=claim,
            cited=cited,
            mark=f"[{cited.number}]{more}",
            before=shown(around.before, hosts) if is_first else "",
            text=part,
            after=shown(around.after, hosts) if is_last else "",
            source=next(iter(sources([cited], library, language))) if is_last else None,
            is_first=is_first,
            is_last=is_last,
        )
