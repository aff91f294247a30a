"""The words by which facts and entities are found: the same in the database and in memory.

Raise `GENERATION` with any change of behaviour here, in `core.language` (`content_words`,
`lead_ins`) or in `core.ontology.graphs.conflicts.gives_way`: older indexes are built again.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.domain.ontology import NORMS, Entity, EntityType, SectionRef
from core.language.content_words import STEMS, content_words, stem, words
from core.language.lead_ins import LeadIn, ends_in_colon
from core.language.spans import Span
from core.language.text_cache import cached_by_text

GENERATION = 2
"""Of the index."""
STATED = NORMS | {EntityType.DEFINITION, EntityType.THRESHOLD, EntityType.DEADLINE}
"""Types that answer a question by themselves."""
NAMING = frozenset({EntityType.ROLE, EntityType.JURISDICTION})
"""Types that a claim may name beside its text, if they are related to the cited fact."""
LETTERS = 6
"""Letters of a common beginning ("reimbursed", "reimbursement")."""
NAME_WEIGHT, TEXT_WEIGHT, PLACE_WEIGHT = 1.0, 0.6, 0.3
"""Weight of a word in an entity's names, in its description and attributes, in its headings."""
MOST_PLACES = 3
"""Places of an entity whose headings count."""
_SHORTEST_PLURAL = 4
_LONGEST_NAME = 8
_CUT = 80
_LONGEST = 240
"""Characters of a stem, and of a name, that count: an index entry has a limited size."""
_WORD = re.compile(r"\w+")
_ARTICLE = re.compile(r"^(?:the|an?|any|all|your|our|my)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile("['\u2019]s?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWords:
    """The stems of a statement, of its heading and of its policy's title."""

    sentence: frozenset[str]
    heading: frozenset[str]
    title: frozenset[str]

    @classmethod
    def of(cls, quote: str, place: SectionRef, lead_in: LeadIn | None = None) -> "FactWords":
        """Return the stems of a statement at its place, with its lead-in if it has one."""
        return cls.at(place, sentence=stems_of(read_with(lead_in, quote)))

    @classmethod
    def at(cls, place: SectionRef, *, sentence: frozenset[str]) -> "FactWords":
        """Return the same where the statement's own stems are known."""
        return cls(
            sentence=sentence,
            heading=stems_of(" ".join(place.path[-2:]) or place.title),
            title=stems_of(place.policy_title),
        )


def read_with(lead_in: LeadIn | None, quote: str) -> str:
    """Return a statement after its lead-in."""
    return " ".join((*(one.text for one in (lead_in.chain if lead_in else ())), quote))


def stated_at(
    spans: Sequence[Span], quotes: Mapping[Span, str], lead_ins: Mapping[Span, LeadIn]
) -> tuple[Span, ...]:
    """Return the spans of an entity that state something, without those that only introduce."""
    introducing = {one.span for span in spans if span in lead_ins for one in lead_ins[span].chain}
    return tuple(
        span
        for span in spans
        if span not in introducing and not ends_in_colon(quotes.get(span, ""))
    )


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, the longest ones cut."""
    found = content_words(text)
    if max(map(len, found), default=0) <= _CUT:
        return found
    return frozenset(word[:_CUT] for word in found)


def beginning(word: str) -> str:
    """Return the beginning that related words share; empty for a short word."""
    return word[:LETTERS] if len(word) >= LETTERS else ""


def section_words(place: SectionRef) -> frozenset[str]:
    """Return the stems of the titles of a section and its policy."""
    return stems_of(f"{place.title} {place.policy_title}")


def pairs_of(text: str) -> frozenset[str]:
    """Return the stems of adjacent words, each pair as "one other" in alphabetical order."""
    pairs = {frozenset(pair) for pair in pairwise(stem(word)[:_CUT] for word in words(text))}
    return frozenset(" ".join(sorted(pair)) for pair in pairs if len(pair) > 1)


def is_of_one_policy(key: str) -> bool:
    """Return whether an entity belongs to one policy, unlike roles, countries and systems."""
    return key.count(":") > 1 or key.startswith("policy:")


def entity_words(entity: Entity, places: Sequence[SectionRef]) -> Mapping[str, float]:
    """Return the stems by which an entity is found, with the weight of each.

    Args:
        entity: The entity.
        places: Where its spans are, in their order; ignored for entities that policies share.
    """
    told = places[:MOST_PLACES] if is_of_one_policy(entity.key) else ()
    titles = " ".join(f"{place.title} {place.policy_title}" for place in told)
    weights = dict.fromkeys(stems_of(titles), PLACE_WEIGHT)
    # A rule's sentence is its description and an attribute, and its words are read once.
    for said in {entity.description, *entity.attributes.values()}:
        weights |= dict.fromkeys(stems_of(said), TEXT_WEIGHT)
    weights |= dict.fromkeys(stems_of(" ".join((entity.name, *entity.aliases))), NAME_WEIGHT)
    return weights


def names_of(entity: Entity) -> frozenset[str]:
    """Return an entity's names in comparable form."""
    return frozenset(normal_name(name) for name in (entity.name, *entity.aliases)) - {""}


def names_within(text: str) -> frozenset[str]:
    """Return everything in a text that may be a name, in comparable form."""
    found: set[str] = set()
    for read in (words(text), _WORD.findall(text.casefold())):
        said = list(map(_name_word, read))
        for length in range(1, _LONGEST_NAME + 1):
            found |= {
                " ".join(said[at : at + length])[:_LONGEST] for at in range(len(said) - length + 1)
            }
    return frozenset(found)


def normal_name(name: str) -> str:
    """Return a name in comparable form: case-folded, without articles, nouns in the singular."""
    parts = words(_ARTICLE.sub("", name.strip()))
    return " ".join(map(_name_word, parts))[:_LONGEST]


@cached_by_text(entries=STEMS, longest=_CUT)
def _name_word(word: str) -> str:
    """Return a word of a name in comparable form."""
    return _singular(word)[:_CUT]


def _singular(word: str) -> str:
    """Return the singular of a noun, roughly, without a possessive ending."""
    if "'" in word or "\u2019" in word:
        word = _POSSESSIVE.sub("", word)
    if len(word) < _SHORTEST_PLURAL or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")
