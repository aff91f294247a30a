"""Facts and definitions of the ontology, ranked against a question.

A definition lets other words stand for the defined term, and says which text defines something.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agent.planning.terms import Vocabulary, asked_words, cover, is_telling
from core.domain.evidence import Finding
from core.domain.ontology import EntityKey, RelationType, Snapshot, SoughtWord, StatedFact
from core.domain.run import Term
from core.language.content_words import content_words, stem
from core.language.spans import Span
from core.ontology.fact_words import NAMING, beginning, pairs_of
from core.ports import Knowledge

_ASKS_MEANING = content_words("mean means meaning define definition term terms count qualify")
_SUBJECT = re.compile(
    r"\W{0,3}(?P<row>[^|]{2,80}?)\s*\|"
    r"|\W{0,3}(?P<said>.{2,80}?)\W{0,3}\s(?:means?|refers? to|is defined as|stands for|is|are)\b"
)
"""What a table row or a sentence is about, at its beginning."""
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[,;:.|()]")
_OPENS = frozenset({"mean", "include", "including", "as", "and", "or", ",", ";", ":", "|", "("})
_CLOSES = frozenset({"and", "or", "that", "which", ",", ";", ".", "|", ")", ""})
_ARTICLES = frozenset({"a", "an", "any", "the"})


async def with_definitions(
    text: str, terms: tuple[Term, ...], knowledge: Knowledge
) -> tuple[Term, ...]:
    """Let two words that a definition explains stand for the defined term.

    A "gift card" is a "cash equivalent". A definition that merely speaks of something does not name
    it: "an entity in which a relative has a financial interest" is no financial interest.
    """
    pairs = pairs_of(text)
    explained = await knowledge.definitions(pairs) if pairs else None
    telling = {term.word for term in terms if is_telling(term)}
    meant: dict[str, frozenset[str]] = {}
    names: dict[str, str] = {}
    for entity in explained.entities if explained else ():
        quote = " ".join(explained.quotes[span] for span in entity.spans) if explained else ""
        name = entity.attributes.get("term", entity.name)
        defined = content_words(name)
        for pair in pairs & pairs_of(quote):
            both = pair.split(" ")
            is_named = telling.issuperset(both) and defined.isdisjoint(both)
            for word in both:
                meant[word] = meant.get(word, frozenset()) | defined
                if is_named and _is_listed(quote, both):
                    names.setdefault(word, name)
    return tuple(
        replace(
            term,
            alternatives=term.alternatives | meant[term.word],
            defined=names.get(term.word, ""),
        )
        if term.word in meant
        else term
        for term in terms
    )


def with_defined(text: str, terms: Sequence[Term]) -> str:
    """Put the defined term behind the last word that its definition names.

    A reader does not know that a gift card is a cash equivalent for this company.
    """
    said = content_words(text)
    named = [term for term in terms if term.defined and not content_words(term.defined) <= said]
    ends = [(text.casefold().rfind(term.surface), term) for term in named if term.surface]
    at, last = max(ends, key=lambda one: one[0], default=(-1, None))
    if last is None or at < 0:
        return text
    end = at + len(last.surface)
    while end < len(text) and text[end].isalnum():
        end += 1
    return f"{text[:end]} ({last.defined.casefold()}){text[end:]}"


def defines(text: str, asked: str) -> bool:
    """Say whether a row or sentence has just that as its subject which is asked about.

    Args:
        text: A sentence or a table row of a policy.
        asked: "What is a related party?"
    """
    wanted = content_words(asked) - _ASKS_MEANING
    found = _SUBJECT.match(text)
    subject = (found["row"] or found["said"]) if found else ""
    return bool(wanted) and content_words(subject) == wanted


def _is_listed(quote: str, both: Sequence[str]) -> bool:
    """Say whether two stems are an item of what a definition lists, and not only words in it."""
    tokens = [one.casefold() for one in _TOKEN.findall(quote)]
    stems = [stem(one) if one[0].isalnum() else one for one in tokens]
    kept = [(one, said) for one, said in zip(stems, tokens, strict=True) if said not in _ARTICLES]
    for at in range(1, len(kept) - 1):
        side_by_side = {kept[at][0], kept[at + 1][0]}
        before = kept[at - 1][0]
        behind = kept[at + 2][1] if at + 2 < len(kept) else ""
        if _alike(side_by_side, both) and before in _OPENS and behind in _CLOSES:
            return True
    return False


def _alike(found: set[str], both: Sequence[str]) -> bool:
    return all(any(one.startswith(part) for one in found) for part in both)


ALIKE = 0.5
"""Share of common words from which two sentences give the same rule."""
CANDIDATES = 200
"""Facts that are scored in full."""
_FINE = 1_000_000
"""Steps in which weights are added up, so that no order of adding changes a rank."""


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two sentences share so many words that they give the same rule."""
    return len(one & other) >= ALIKE * len(one | other)


async def vocabulary_for(text: str, knowledge: Knowledge) -> Vocabulary:
    """Return how often the words of a question are used."""
    counts = await knowledge.usage(asked_words(text))
    return Vocabulary(counts=counts, size=knowledge.extent.sections)


async def find_facts(
    terms: Sequence[Term], knowledge: Knowledge, *, limit: int
) -> tuple[Finding, ...]:
    """Return the facts that cover the terms best, each sentence once."""
    sought = [
        SoughtWord(
            words=term.alternatives | {term.word},
            beginning=beginning(term.word),
            weight=max(1, round(term.weight * _FINE)),
        )
        for term in terms
        if is_telling(term)
    ]
    near = await knowledge.facts(sought, limit=CANDIDATES) if sought else ()
    shares = [cover(terms, _layers(fact)).share for fact in near]
    found: dict[Span, EntityKey] = {}
    for number in sorted(range(len(near)), key=lambda number: (-shares[number], number)):
        if len(found) < limit:
            found.setdefault(near[number].span, near[number].entity)
    if not found:
        return ()
    part = await knowledge.entities(set(found.values()), at=found, ends=NAMING)
    return findings_of(found, part)


def findings_of(stated: Mapping[Span, EntityKey], part: Snapshot) -> tuple[Finding, ...]:
    """Return spans of entities as findings, with the roles and countries joined to them."""
    names = names_by_entity(part)
    return tuple(
        Finding(
            entity=key,
            span=span,
            text=part.quotes[span],
            place=part.places[span],
            roles=names.get(key, ()),
            lead_in=part.lead_ins.get(span),
        )
        for span, key in stated.items()
    )


def names_by_entity(part: Snapshot) -> Mapping[EntityKey, tuple[str, ...]]:
    """Return, for each entity, the names of the roles and countries that a relation joins to it."""
    names = {entity.key: entity.name for entity in part.entities if entity.type in NAMING}
    joined: dict[EntityKey, set[str]] = defaultdict(set)
    for relation in part.relations:
        if relation.type is RelationType.REFERENCES:
            continue
        if relation.target in names:
            joined[relation.source].add(names[relation.target])
        if relation.source in names:
            joined[relation.target].add(names[relation.source])
    return {key: tuple(sorted(found)) for key, found in joined.items()}


def _layers(fact: StatedFact) -> list[tuple[frozenset[str], float]]:
    return [(fact.sentence, 1.0), (fact.heading, 0.9), (fact.title, 0.7)]
