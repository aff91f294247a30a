"""Rules in force that contradict each other: another amount or time, or required against forbidden.

Two rules are about the same thing if their sentences share nearly all content words. Rules of two
jurisdictions do not conflict, nor does a local rule with a group-wide policy that gives way to it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from core.domain.content_words import content_words
from core.domain.ontology import Entity, EntityType, RelationType, SectionRef
from core.domain.policy import Span
from core.domain.quantities import quantities
from core.ontology.graph import OntologyGraph

_MEASURES = (EntityType.THRESHOLD, EntityType.DEADLINE)
_RULES = (EntityType.OBLIGATION, EntityType.PROHIBITION, EntityType.PERMISSION)
_LEAST_SHARED = 0.6
_LEAST_SHARED_RULE = 0.75
_DEFERS = re.compile(
    r"\b(?:supplement|local (?:law|rule|polic|limit|supplement)|stricter|country[- ]specific)",
    re.IGNORECASE,
)
_OPPOSED = (
    frozenset(("must", "must_not")),
    frozenset(("may", "must_not")),
    frozenset(("must", "need_not")),
    frozenset(("should", "must_not")),
    frozenset(("must", "should_not")),
)
_MEASURE_WORDS = content_words(
    "day days business working week month year hour minute calendar eur usd gbp euro dollar percent"
)
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "quarter": 91.3, "year": 365.25}
_HOURS = {"minute": 1 / 60, "hour": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A rule as it stands in a policy."""

    text: str
    """The stored text."""
    span: Span
    """Where it is."""
    place: SectionRef
    """Policy and section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two rules that cannot both be followed."""

    kind: Literal["value", "modality"]
    """Another amount or time; or required against forbidden, allowed against forbidden."""
    first: Quote
    """One rule."""
    second: Quote
    """The other."""
    reason: str
    """What differs, in one sentence."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A norm or measure with what decides whether another contradicts it."""

    entity: Entity
    quote: Quote
    words: frozenset[str]
    quantities: frozenset[str]
    jurisdictions: frozenset[str]


def find_conflicts(graph: OntologyGraph) -> tuple[Conflict, ...]:
    """Return the conflicts between rules of the snapshot, each pair of places once."""
    deferring = _deferring(graph)
    found: dict[frozenset[Span], Conflict] = {}
    rules = [rule for type_ in (*_MEASURES, *_RULES) for rule in _rules(graph, type_)]
    for first, second in _near_pairs(rules):
        if _are_apart(first, second, deferring):
            continue
        conflict = _value_conflict(first, second) or _modality_conflict(first, second)
        if conflict is not None:
            found.setdefault(frozenset((first.quote.span, second.quote.span)), conflict)
    return tuple(sorted(found.values(), key=lambda conflict: conflict.first.span))


def _rules(graph: OntologyGraph, type_: EntityType) -> Iterator[_Rule]:
    """Yield the rules of a type that have a quote."""
    for entity in graph.of_type(type_):
        span = max(entity.spans)
        place, text = graph.place(span), graph.quote(span)
        if place is None or not text:
            continue
        sentence = entity.attributes.get("sentence", text)
        own = {place.jurisdiction} if place.jurisdiction else set[str]()
        joined = {
            neighbour.entity.key
            for neighbour in graph.neighbours(entity.key, "out", (RelationType.APPLIES_TO,))
            if neighbour.entity.type is EntityType.JURISDICTION
        }
        yield _Rule(
            entity=entity,
            quote=Quote(text=text, span=span, place=place),
            words=_subject(sentence),
            quantities=frozenset(read.canonical for read in quantities(sentence)),
            jurisdictions=frozenset(own | joined),
        )


def _subject(sentence: str) -> frozenset[str]:
    """Return the content words of a sentence without its numbers and units."""
    said = content_words(sentence) - _MEASURE_WORDS
    return frozenset(word for word in said if not any(c.isdigit() for c in word))


def _deferring(graph: OntologyGraph) -> frozenset[str]:
    """Return the policies that say they give way to local rules."""
    return frozenset(
        place.policy_key
        for span, place in graph.snapshot.places.items()
        if not place.jurisdiction and _DEFERS.search(graph.quote(span))
    )


def _near_pairs(rules: Sequence[_Rule]) -> Iterator[tuple[_Rule, _Rule]]:
    """Yield the pairs that share enough words, found by their rarest ones.

    Sets with a Jaccard index of at least t share one of the rarest (1 - t) n + 1 words of each
    (prefix filtering, Chaudhuri, Ganti and Kaushik 2006).
    """
    frequency = Counter(word for rule in rules for word in rule.words)
    index: defaultdict[str, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        rarest = sorted(rule.words, key=lambda word: (frequency[word], word))
        for word in rarest[: int((1 - _LEAST_SHARED) * len(rarest)) + 1]:
            index[word].append(number)
    seen: set[tuple[int, int]] = set()
    for numbers in index.values():
        for pair in combinations(numbers, 2):
            first, second = rules[pair[0]], rules[pair[1]]
            if pair not in seen and _shared(first, second) >= _LEAST_SHARED:
                yield first, second
            seen.add(pair)


def _shared(first: _Rule, second: _Rule) -> float:
    """Return the Jaccard index of the words of two rules."""
    together = first.words | second.words
    return len(first.words & second.words) / len(together) if len(together) > 1 else 0.0


def _are_apart(first: _Rule, second: _Rule, deferring: frozenset[str]) -> bool:
    """Say whether two rules never hold for the same person at the same time."""
    if first.quote.span == second.quote.span:
        return True
    actors = {rule.entity.attributes.get("actor", "") for rule in (first, second)} - {""}
    if len(actors) > 1:
        return True
    if first.jurisdictions and second.jurisdictions:
        return not first.jurisdictions & second.jurisdictions
    if first.jurisdictions or second.jurisdictions:
        general = second if first.jurisdictions else first
        local = first if first.jurisdictions else second
        return (
            general.quote.place.policy_key in deferring
            or local.quote.place.policy_key == general.quote.place.policy_key
        )
    return False


def _value_conflict(first: _Rule, second: _Rule) -> Conflict | None:
    """Return the conflict of two measures of one thing that differ in value."""
    one, other = first.entity, second.entity
    if one.type is not other.type or one.type not in _MEASURES:
        return None
    if one.attributes.get("comparison") != other.attributes.get("comparison"):
        return None
    if _same_measure(one.attributes, other.attributes):
        return None
    if first.quantities & second.quantities or _are_cases_of_one_rule(first, second):
        return None
    return Conflict(
        kind="value",
        first=first.quote,
        second=second.quote,
        reason=f"{_measure(one)} against {_measure(other)}",
    )


def _are_cases_of_one_rule(first: _Rule, second: _Rule) -> bool:
    """Say whether two values stand in one section, which tells their cases apart."""
    one, other = first.quote.place, second.quote.place
    return (one.policy_key, one.eid) == (other.policy_key, other.eid)


def _same_measure(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Say whether two measures are equal, or not comparable."""
    if one.get("value") == other.get("value") and one.get("unit") == other.get("unit"):
        return True
    for scale in (_DAYS, _HOURS):
        if one.get("unit") in scale and other.get("unit") in scale:
            values = [float(m["value"]) * scale[m["unit"]] for m in (one, other)]
            return abs(values[0] - values[1]) < 0.02 * max(values)
    return one.get("unit") != other.get("unit")


def _measure(entity: Entity) -> str:
    said = (entity.attributes.get(name, "") for name in ("comparison", "value", "unit"))
    return " ".join(filter(None, said)).replace("_", " ")


def _modality_conflict(first: _Rule, second: _Rule) -> Conflict | None:
    """Return the conflict of two norms on one act that cannot both be followed."""
    one, other = first.entity.attributes, second.entity.attributes
    modalities = frozenset((one.get("modality", ""), other.get("modality", "")))
    if modalities not in _OPPOSED or first.quantities != second.quantities:
        return None
    conditions = [content_words(said.get("condition", "")) for said in (one, other)]
    if conditions[0] != conditions[1] or _shared(first, second) < _LEAST_SHARED_RULE:
        return None
    reason = " against ".join(sorted(name.replace("_", " ") for name in modalities))
    return Conflict(kind="modality", first=first.quote, second=second.quote, reason=reason)
