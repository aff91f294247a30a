"""What a text says at a quote: the sentence around it, and other names that it introduces."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.content_words import content_words
from core.language.spans import TextSpan
from core.ontology.extract.naming import find_name
from core.ontology.extract.statements import Statement, clean, statements
from core.ontology.model.quotes import MAX_CHARACTERS, MIN_CHARACTERS, find_quote
from core.ontology.model.rejections import Drop
from core.ontology.model.section_parts import Part

MAX_NAME = 80
"""Longest name of a thing, in characters."""
_MAX_ALIASES = 5
_INTRODUCES = re.compile(
    r"(?:\W{0,9}[(\"\u201c'\u2018]"
    r"|\W{0,9}\b(?:also known as|hereinafter|referred to as|called|abbreviated)\b)\W{0,9}"
    r"(?:(?:the|an?|each|together|as|to|referred)\W{1,9}){0,4}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A quote that was found."""

    words: str
    """As it stands in the text, without markup, white space folded."""
    spans: tuple[TextSpan, ...]
    """The sentence around it, with its lead-in; the quote itself if that is no one sentence."""
    statement: Statement | None
    """That sentence; None if there is not just one."""

    @property
    def sentence(self) -> str:
        """What the text says there."""
        return self.statement.sentence if self.statement else self.words

    @property
    def description(self) -> str:
        """The same, for a table row with the columns' headings."""
        return self.statement.description if self.statement else self.words


class QuoteFinder:
    """Finds quotes in one part of a section."""

    def __init__(self, text: str, part: Part) -> None:
        """Look at one part of a document's whole text."""
        self._text = text
        self._part = part
        self._statements = tuple(statements(text, [part.section]))

    def find(self, quote: str, *, is_rule: bool) -> Quoted | Drop:
        """Find a quote and the sentence that it is taken from.

        A quote that stands in several sentences is refused for a rule, whose meaning is that of its
        sentence; for a name the first place is taken.
        """
        if not MIN_CHARACTERS <= len(quote.strip()) <= MAX_CHARACTERS:
            return Drop.QUOTE_LENGTH
        places = find_quote(quote, self._text, self._part.span)
        if not places:
            return Drop.QUOTE_NOT_FOUND
        found = [self._around(place) for place in places]
        if is_rule and len({each.sentence if each else None for each in found}) > 1:
            return Drop.QUOTE_AMBIGUOUS
        statement = found[0]
        if is_rule and (statement is None or statement.words.endswith(":")):
            return Drop.NOT_ONE_SENTENCE
        return Quoted(
            words=clean(places[0].of(self._text)),
            spans=statement.spans if statement else places[:1],
            statement=statement,
        )

    def aliases(self, proposed: Sequence[str], name: str) -> tuple[str, ...]:
        """Return those other names that the part introduces beside the name ("... (CCO)")."""
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
        """Return words that are a stretch of the text, without markup; else nothing."""
        if len(words.strip()) < MIN_CHARACTERS:
            return ""
        places = find_quote(words, self._text, self._part.span)
        return clean(places[0].of(self._text)) if places else ""

    def _around(self, place: TextSpan) -> Statement | None:
        """Return the one statement that a quote is taken from; its lead-in is part of it."""
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
    """Say whether a text puts one name beside the other ("Chief Risk Officer (CRO)")."""
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
