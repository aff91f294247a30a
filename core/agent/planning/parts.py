"""Cut a message into the questions that it asks, each with the words that belong to it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agent.planning.intent import Intent, intents_of, plain
from core.agent.planning.terms import is_telling
from core.domain.run import Term
from core.language.content_words import content_words

_ENDS = re.compile(r"(?<=[?!])\s+|(?<=[a-z]\.)\s+(?=[A-Z])")
_SECOND = re.compile(
    r"[,;]?(?<!\s)\s++and\s++(?=(?:how|what|when|where|who|which|why|can|may|must|do|does|is|are|should)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|^(?:and |so |but )?(?:how|what|when|where|who|whom|which|why|can|may|must|do|does"
    r"|did|is|are|am|should|will|would|could)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
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
class Part:
    """One question of a message."""

    terms: tuple[Term, ...]
    """Its telling words; those of the story around it at less weight."""
    intents: tuple[Intent, ...]
    """Its kinds, the most telling first."""
    text: str
    """Its words."""


def parts_of(text: str, terms: tuple[Term, ...]) -> tuple[Part, ...]:
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
        return (Part(terms=terms, intents=intents_of(text), text=text),)
    return tuple(
        Part(
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
