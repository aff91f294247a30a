"""Find a model's quotes in the part of a section that it was shown, with the sentence around each.

A section is shown whole, or in parts if it is long. Whatever can't be found in the part is rejected
with its reason.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.policy import Section
from core.language.content_words import content_words
from core.language.sentences import split_sentences
from core.language.spans import TextSpan
from core.ontology.extract.entities import find_name
from core.ontology.extract.statements import Statement, clean, is_history, statements

MIN_QUOTE_CHARACTERS = 8
"""A shorter quote shows nothing."""
MAX_QUOTE_CHARACTERS = 1_200
"""A longer quote points to no particular place."""
_MAX_PLACES = 50
MAX_PART_CHARACTERS = 4_000
"""Of one part: its facts fit into a reply of 8,000 tokens."""
MIN_PART_CHARACTERS = 20
"""Of a section's body: a shorter one states nothing."""
MAX_NAME = 80
"""Longest name of an entity, in characters."""
_MAX_ALIASES = 5
_INTRODUCES = re.compile(
    r"(?:\W{0,9}[(\"\u201c'\u2018]"
    r"|\W{0,9}\b(?:also known as|hereinafter|referred to as|called|abbreviated)\b)\W{0,9}"
    r"(?:(?:the|an?|each|together|as|to|referred)\W{1,9}){0,4}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionPart:
    """A section's body, or a part of a long one."""

    section: Section
    """The section."""
    span: TextSpan
    """The part, without white space around it."""

    @property
    def heading(self) -> str:
        """Number and title of the section, for people."""
        named = " ".join(filter(None, (self.section.number, self.section.title)))
        return named or self.section.eid


def parts_of(text: str, sections: Sequence[Section]) -> tuple[SectionPart, ...]:
    """Return the parts to be read by a model, in text order."""
    return tuple(
        SectionPart(section=section, span=span)
        for section in sections
        if not is_history(section)
        for span in _cut(text, section)
    )


def _cut(text: str, section: Section) -> Iterator[TextSpan]:
    body = _stripped(text, section.body_start, section.char_end)
    if body is None or body.char_end - body.char_start < MIN_PART_CHARACTERS:
        return
    if not any(char.isalpha() for char in body.of(text)):
        return
    start = body.char_start
    while body.char_end - start > MAX_PART_CHARACTERS:
        end = _end(text, start, body.char_end)
        part = _stripped(text, start, end)
        if part is not None:
            yield part
        start = end
    last = _stripped(text, start, body.char_end)
    if last is not None:
        yield last


def _end(text: str, start: int, end: int) -> int:
    """Return the end of a part that begins at `start`."""
    latest = start + MAX_PART_CHARACTERS
    ends = [
        span.char_end
        for span in split_sentences(text, start=start, end=min(end, latest + 1))
        if span.char_end <= latest
    ]
    whole = [each for each in ends if each - start > MAX_PART_CHARACTERS // 4]
    if len(whole) > 1:  # the last one may continue beyond the text that was split
        return whole[-2]
    space = max(text.rfind(mark, start + 1, latest) for mark in ("\n", " "))
    return space if space > start else latest


def _stripped(text: str, start: int, end: int) -> TextSpan | None:
    raw = text[start:end]
    if not raw.strip():
        return None
    lead = len(raw) - len(raw.lstrip())
    return TextSpan(char_start=start + lead, char_end=start + len(raw.rstrip()))


class Rejection(StrEnum):
    """Why a proposal was rejected."""

    UNKNOWN_TYPE = "unknown_type"
    REPEATED_ID = "repeated_id"
    QUOTE_LENGTH = "quote_length"
    QUOTE_NOT_FOUND = "quote_not_found"
    QUOTE_AMBIGUOUS = "quote_ambiguous"
    NOT_ONE_SENTENCE = "not_one_sentence"
    NAME_NOT_IN_QUOTE = "name_not_in_quote"
    NUMBER_NOT_IN_QUOTE = "number_not_in_quote"
    WRONG_MODALITY = "wrong_modality"
    ALIAS_NOT_SAID = "alias_not_said"
    UNKNOWN_END = "unknown_end"
    WRONG_ENDS = "wrong_ends"
    ENDS_NOT_IN_QUOTE = "ends_not_in_quote"
    RELATION_NOT_SAID = "relation_not_said"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A quote that was found."""

    words: str
    """As written, without markup, with single spaces."""
    spans: tuple[TextSpan, ...]
    """The sentence around it, with its lead-in; else the quote itself."""
    statement: Statement | None
    """That sentence; None if the quote is not from a single one."""

    @property
    def sentence(self) -> str:
        """The sentence around it, else the quote."""
        return self.statement.sentence if self.statement else self.words

    @property
    def description(self) -> str:
        """The same; for a table row with the headings of its columns."""
        return self.statement.description if self.statement else self.words


class QuoteFinder:
    """Finds quotes in one part of a section."""

    def __init__(self, text: str, part: SectionPart) -> None:
        self._text = text
        self._part = part
        self._statements = tuple(statements(text, [part.section]))

    def find(self, quote: str, *, is_rule: bool) -> Quoted | Rejection:
        """Find a quote and the sentence that it is taken from.

        For a rule, whose meaning is that of its sentence, a quote that occurs in different
        sentences is rejected; for a name, the first place is taken.
        """
        if not MIN_QUOTE_CHARACTERS <= len(quote.strip()) <= MAX_QUOTE_CHARACTERS:
            return Rejection.QUOTE_LENGTH
        places = find_quote(quote, self._text, self._part.span)
        if not places:
            return Rejection.QUOTE_NOT_FOUND
        found = [self._around(place) for place in places]
        if is_rule and len({each.sentence if each else None for each in found}) > 1:
            return Rejection.QUOTE_AMBIGUOUS
        statement = found[0]
        if is_rule and (statement is None or statement.words.endswith(":")):
            return Rejection.NOT_ONE_SENTENCE
        return Quoted(
            words=clean(places[0].of(self._text)),
            spans=statement.spans if statement else places[:1],
            statement=statement,
        )

    def aliases(self, proposed: Sequence[str], name: str) -> tuple[str, ...]:
        """Return the proposed aliases that the part introduces beside the name ("... (CCO)")."""
        shown = self._part.span.of(self._text)
        found: dict[str, None] = {}
        for alias in proposed:
            is_name = len(alias) <= MAX_NAME and bool(content_words(alias))
            other = find_name(alias, shown) if is_name else None
            if other and _introduced(name, alias, shown):
                found[" ".join(other[0].split())] = None
        found.pop(name, None)
        return tuple(found)[:_MAX_ALIASES]

    def said(self, words: str) -> str:
        """Return words that occur in the text, without markup; else an empty string."""
        if len(words.strip()) < MIN_QUOTE_CHARACTERS:
            return ""
        places = find_quote(words, self._text, self._part.span)
        return clean(places[0].of(self._text)) if places else ""

    def _around(self, place: TextSpan) -> Statement | None:
        """Return the one statement that contains a quote, its lead-in included."""
        touched = [
            each
            for each in self._statements
            if each.span.char_start < place.char_end and place.char_start < each.span.char_end
        ]
        lead_ins = {one for each in touched for one in each.lead_ins}
        own = [each for each in touched if each.span not in lead_ins]
        if len(own) != 1:
            return None
        inside = own[0].spans[-2:][0]
        starts_before = place.char_start < min(inside, own[0].span).char_start
        return None if starts_before or place.char_end > own[0].span.char_end else own[0]


def _introduced(name: str, alias: str, text: str) -> bool:
    """Return whether a text introduces one name beside the other ("Chief Risk Officer (CRO)")."""
    for first, second in ((name, alias), (alias, name)):
        match = find_name(first, text)
        while match is not None:
            rest = text[match.end() : match.end() + 2 * MAX_NAME]
            other = find_name(second, rest)
            if other is not None and _INTRODUCES.fullmatch(rest[: other.start()]):
                return True
            text = text[match.end() :]
            match = find_name(first, text)
    return False


def find_quote(quote: str, text: str, within: TextSpan) -> tuple[TextSpan, ...]:
    """Return the places of a quote in a part of a text, in order; empty if there are none.

    A place with other white space counts only if there is no exact match, and only one such place.
    """
    wanted = quote.strip()
    if not wanted:
        return ()
    exact = _places(re.compile(re.escape(wanted)), text, within)
    if exact:
        return exact
    folded = re.compile(r"\s+".join(map(re.escape, wanted.split())))
    found = _places(folded, text, within)
    return found if len(found) == 1 else ()


def _places(pattern: re.Pattern[str], text: str, within: TextSpan) -> tuple[TextSpan, ...]:
    found: list[TextSpan] = []
    for match in pattern.finditer(text, within.char_start, within.char_end):
        if not _cuts_word(text, match.start()) and not _cuts_word(text, match.end()):
            found.append(TextSpan(char_start=match.start(), char_end=match.end()))
            if len(found) == _MAX_PLACES:
                break
    return tuple(found)


def _cuts_word(text: str, offset: int) -> bool:
    """Return whether an offset is within a word."""
    if not 0 < offset < len(text):
        return False
    before, after = text[offset - 1], text[offset]
    return (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
