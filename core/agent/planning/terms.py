"""The telling words of a question, how much of them a text covers, and the questions of a message.

A message may ask several things; each question keeps the words that belong to it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.agent.conversation.speech import wants
from core.agent.planning.intent import Facets, Intent, facets_of, intents_of, plain, without_facets
from core.domain.run import Term
from core.expressions import expression
from core.language.content_words import content_words, stem, words
from core.language.text_cache import ENTRIES

_TALK = frozenset(
    stem(word)
    for word in re.findall(
        r"\w+",
        "about actually after again ago allow allowed already always am and another answer "
        "anybody anyone anything anyway applicable applies apply ask asked asking away back "
        "bad basically because before best between big both bring call case certain come company "
        "correct cost could count currently day deal difference different else everybody "
        "everyone exactly example explain fact fast find fine first forbidden form further "
        "general get give given go going gonna good got great group guess guideline hand "
        "happen happened happens hello help hey hi high hold important instead involve just "
        "keep kind know last lately later least let like limit little long look lot low "
        "make many matter max maximum mean mention mind minimum much name necessary need "
        "new next nobody normally number often ok okay old once one order part people per place "
        "point policies policy possible put question quick quickly quite read really reason "
        "regulation regulations right rule rules said say see set situation small someone "
        "something soon sort standard still supposed sure take tell thanks there thing "
        "think time times today tomorrow try twice type typical use usual wanna want wanted "
        "wants way week well went within work worth wrong year yesterday yet ",
    )
)
"""Words of talk that say little of the subject; they still count, a little, where a question has
nothing else."""

TALK_WEIGHT = 0.15
NUMBER_WEIGHT = 0.15
"""A figure in a question is mostly an instance ("a 6 hour flight"), seldom printed in the rule."""
FUZZY = 0.8
"""What a shared beginning of six letters counts ("reimbursed", "reimbursement")."""
DEFINED = 0.85
"""What a word counts that a definition puts in its place."""
_PREFIX = 6
MOST_ODD, ODD_SHARE = 2, 0.25
"""Words that are neither plain nor a number ("worker-3", "12:00:03"), and their share of a message;
a log has more of both, people write "COVID-19" and "I-9"."""
_PLAIN = expression(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_NUMBER = expression(r"[$\u20ac\u00a3]?\d[\d.,]*%?")
_MARKS = ".,;:!?()\"'\u201c\u201d\u2018\u2019*"
_MACHINE = expression(r"[{}<>=|\\_]")
"""Signs that people do not write with; two of them are of a log or a program."""
_NAME = expression(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
"""A capital letter within a sentence: a proper name."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How many sections of a scope use each stem."""

    counts: Mapping[str, int]
    """Sections by stem, for the stems of a question; one that is left out is in none."""
    size: int
    """Sections."""

    def weight(self, word: str) -> float:
        """Return how telling a stem is: its idf over that of a word nobody uses, in (0, 1]."""
        if is_figure(word):
            return NUMBER_WEIGHT
        if word in _TALK:
            return TALK_WEIGHT
        size = max(self.size, 2)
        return max(0.1, math.log(1 + size / (1 + self.counts.get(word, 0))) / math.log(1 + size))


def asked_words(text: str) -> frozenset[str]:
    """Return the stems of a question that `terms_of` weighs."""
    return content_words(plain(without_facets(plain(text))))


def terms_of(text: str, vocabulary: Vocabulary) -> tuple[Term, ...]:
    """Return the telling words of a question in a fixed order, without those that name a facet."""
    meant = plain(without_facets(plain(text)))
    surfaces = {stem(word): word for word in reversed(words(meant))}
    names = frozenset(stem(found.casefold()) for found in _NAME.findall(plain(text)))
    return tuple(
        Term(
            word=word,
            weight=vocabulary.weight(word),
            surface=surfaces.get(word, word),
            is_name=word in names,
        )
        for word in sorted(content_words(meant))
    )


def is_figure(word: str) -> bool:
    """Say whether a word is a number."""
    return word.replace(".", "").replace(",", "").isdigit()


def is_telling(term: Term) -> bool:
    """Say whether a term names a subject rather than being talk or a figure."""
    return term.weight > max(TALK_WEIGHT, NUMBER_WEIGHT)


def match(term: Term, stems: frozenset[str]) -> float:
    """Return how well a set of stems has a term.

    1 itself, less for a defined word or a shared beginning, 0 not at all.
    """
    word = term.word
    if word in stems:
        return 1.0
    if not term.alternatives.isdisjoint(stems):
        return DEFINED
    if len(word) >= _PREFIX and word[:_PREFIX] in _beginnings(stems):
        return FUZZY
    if "-" in word and all(stem(part) in stems for part in word.split("-")):
        return FUZZY
    return 0.0


@lru_cache(maxsize=ENTRIES)
def _beginnings(stems: frozenset[str]) -> frozenset[str]:
    """Return the beginnings of long stems: each text is held against every word of a question."""
    return frozenset(one[:_PREFIX] for one in stems if len(one) >= _PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of a question a text covers."""

    share: float
    """Weighted share of the terms, in [0, 1]; 0 for a question without terms."""
    missing: float
    """Weight of the most telling term that is not covered, in [0, 1]."""


def cover(terms: Sequence[Term], layers: Sequence[tuple[frozenset[str], float]]) -> Coverage:
    """Measure coverage by layers of text, each with what a match in it counts (sentence 1.

    Heading .9, ...).
    """
    total = sum(term.weight for term in terms)
    if not total:
        return Coverage(share=0.0, missing=0.0)
    got, missing = 0.0, 0.0
    for term in terms:
        best = max((match(term, words) * factor for words, factor in layers), default=0.0)
        got += term.weight * best
        if is_telling(term):
            missing = max(missing, term.weight * (1 - min(1.0, best / FUZZY)))
    return Coverage(share=got / total, missing=missing)


def is_noise(text: str, terms: Sequence[Term], vocabulary: Vocabulary) -> bool:
    """Say whether nothing can be read in a message: keys hit at random, a pasted log.

    Whoever asks is never taken for it. Of 8,362 questions about
    policies 581 don't ask by their form; none of them is taken for a log.
    """
    if wants(text) or facets_of(text) != Facets():
        return False
    said = [word.strip(_MARKS) for word in text.split()]
    unplain = [word for word in said if not _PLAIN.fullmatch(word)]
    odd = sum(_NUMBER.fullmatch(word) is None for word in unplain if word)
    is_log = odd > max(MOST_ODD, ODD_SHARE * len(said)) or len(_MACHINE.findall(text)) > 1
    if is_log or len(unplain) == len(said):
        return True
    telling = [term for term in terms if is_telling(term)]
    return bool(telling) and not any(vocabulary.counts.get(term.word) for term in telling)


_ENDS = expression(r"(?<=[?!])\s+|(?<=[a-z]\.)\s+(?=[A-Z])")
_SECOND = expression(
    r"[,;]?(?<!\s)\s++and\s++(?=(?:how|what|when|where|who|which|why|can|may|must|do|does|is|are|should)\b)",
    re.IGNORECASE,
)
_ASKS = expression(
    r"\?\s*$|^(?:and |so |but )?(?:how|what|when|where|who|whom|which|why|can|may|must|do|does"
    r"|did|is|are|am|should|will|would|could)\b",
    re.IGNORECASE,
)
_ASIDE = expression(
    r"(?<=\S)\s+(?:while|if|because|although|since|when|even though|provided)\b[^?.]*",
    re.IGNORECASE,
)
TOLD = 0.4
"""What a word of the story around a question counts, against one of the question itself."""
ALONE = 2
"""Telling words from which half of a double question stands alone."""
MOST = 6
"""Questions of one message that are answered apart; whatever more it asks belongs to the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPart:
    """One question of a message."""

    terms: tuple[Term, ...]
    """Its telling words; those of the story around it at less weight."""
    intents: tuple[Intent, ...]
    """Its kinds, the most telling first."""
    text: str
    """Its words."""


def parts_of(text: str, terms: tuple[Term, ...]) -> tuple[QuestionPart, ...]:
    """Return the questions of a message, at least one.

    A half that can't stand alone stays with the one before it.
    """
    pieces = [
        piece
        for sentence in _ENDS.split(plain(text))
        for piece in _SECOND.split(sentence)
        if piece.strip()
    ]
    pieces = list(dict.fromkeys(pieces))
    asked = [piece for piece in pieces if _ASKS.search(piece)]
    asides = {piece: _ASIDE.search(piece) for piece in asked}
    told = frozenset(
        word
        for piece in pieces
        for word in content_words(_aside(asides[piece]) if piece in asides else piece)
    )
    groups = _grouped([_ASIDE.sub("", piece) for piece in asked], terms)
    if not groups:
        return (QuestionPart(terms=terms, intents=intents_of(text), text=text),)
    return tuple(
        QuestionPart(
            terms=_weighed(group, terms, told, first=number == 0),
            intents=intents_of(group),
            text=group,
        )
        for number, group in enumerate(groups)
    )


def _grouped(pieces: Sequence[str], terms: Sequence[Term]) -> list[str]:
    """Join what can't stand alone with the piece before it; at most `MOST` are left."""
    telling = frozenset(term.word for term in terms if is_telling(term))
    groups: list[list[str]] = []
    last: frozenset[str] = frozenset()
    for piece in pieces:
        own = telling & content_words(piece)
        if groups and (len(own) < ALONE or len(last) < ALONE):
            groups[-1].append(piece)
            last |= own
        else:
            groups.append([piece])
            last = own
    joined = [" ".join(group) for group in groups]
    return [*joined[: MOST - 1], " ".join(joined[MOST - 1 :])] if len(joined) > MOST else joined


def _aside(found: re.Match[str] | None) -> str:
    """Return the circumstances that a question mentions ("while I am on holiday")."""
    return found.group() if found else ""


def _own(piece: str, terms: tuple[Term, ...]) -> list[Term]:
    words = content_words(piece)
    return [term for term in terms if term.word in words and is_telling(term)]


def _weighed(
    group: str, terms: tuple[Term, ...], told: frozenset[str], *, first: bool
) -> tuple[Term, ...]:
    """Keep the words of a question, and for the first one those of the story, at less weight."""
    words = content_words(group)
    enough = len(_own(group, terms)) >= ALONE
    factor = TOLD if enough else 1.0
    own = tuple(term for term in terms if term.word in words)
    if not first and enough:
        return own
    story = tuple(
        replace(term, weight=term.weight * factor)
        for term in terms
        if term.word in told and term.word not in words
    )
    return own + story
