"""Rules in force that contradict each other: another amount or time, or required against forbidden.

Two rules are about the same matter if their sentences share nearly all content words and differ
neither in a numbered thing ("form 2"), nor in a name, nor in the case to which they apply. Rules of
two jurisdictions do not conflict, nor does a local rule with a group-wide policy that gives way to
it. Within one policy, headings, lists and tables distinguish cases: there only whole sentences of
sections under different headings can contradict each other.

False positives on text that was not written for this: none among 163 workplace policies, taken by
organisation, where words alone gave 30; none among eight longer documents. It was tuned on these,
and finds 9 of 10 pairs that were written to contradict each other (tests of `lint`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

from core.domain.ontology import Attributes, Entity, EntityType, RelationType, SectionRef
from core.expressions import expression
from core.language.content_words import content_words
from core.language.quantities import figures_of
from core.language.spans import Span
from core.ontology.graphs.graph import OntologyGraph

_MEASURES = (EntityType.THRESHOLD, EntityType.DEADLINE)
_RULES = (EntityType.OBLIGATION, EntityType.PROHIBITION, EntityType.PERMISSION)
_LEAST_SHARED = 0.6
_LEAST_SHARED_RULE = 0.75
_DEFERS = expression(
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
    "day days business working week month year hour minute calendar percent euro dollar pound"
    " eur usd gbp chf aud cad sgd hkd jpy inr aed cny sek nok dkk pln"
)
_MODAL_WORDS = content_words(
    "required requires require needed need necessary mandatory allowed permitted acceptable"
    " prohibited forbidden cannot never"
)
_LEAST_WORDS = 2
"""Content words that both must have."""
_LEAST_WORDS_RULE = 3
"""The same without a figure: "A doctor's note is required" leaves open for what."""
_TOKEN = expression(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?|\d[\d.,]*|[^\w\s]")
_CASE = expression(
    r"\b(?:if|when|whenever|where|unless|except|provided|during|once|depending|in (?:the )?case)\b",
    re.IGNORECASE,
)
_CASE_END = expression(r"[,;.!?](?:\s|$)")
_NEGATION = expression(r"\b(?:not|no|never|cannot|neither|nor)\b|n['\u2019]t\b", re.IGNORECASE)
_MARKER = expression(r"(?<!\s)\s*+(?:[-*+\u2022\u25aa\u25cf\u2013]|\(?[a-zA-Z0-9]{1,4}[.)])\s")
_WHOLE = expression(r"[\"'\u201c\u2018(*]*[^\W\d_a-z][^|]*[.!][\"'\u201d\u2019)*]*\s*")
"""A sentence from its capital letter to its full stop, without cells of a table."""
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "quarter": 91.3, "year": 365.25}
_HOURS = {"minute": 1 / 60, "hour": 1.0}
_TIMES = frozenset({*_DAYS, *_HOURS, "business day"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A rule as a policy states it."""

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
    sentence: str
    words: frozenset[str]
    jurisdictions: frozenset[str]


def find_conflicts(
    graph: OntologyGraph, *, giving_way: frozenset[str] | None = None
) -> tuple[Conflict, ...]:
    """Return the conflicts between rules of the snapshot, each pair of places once.

    Args:
        graph: The rules.
        giving_way: Policies that give way to local rules; None: those whose sentences in the
            snapshot say so.
    """
    deferring = _deferring(graph) if giving_way is None else giving_way
    rules = [rule for type_ in (*_MEASURES, *_RULES) for rule in _rules(graph, type_)]
    return _conflicts(_near_pairs(rules, _by_rarest_words(rules)), deferring)


def find_conflicts_of(
    graph: OntologyGraph, versions: Collection[int], *, giving_way: frozenset[str], most_pairs: int
) -> tuple[Conflict, ...] | None:
    """Return the conflicts of rules of some versions, with each other and with all others.

    None: more than `most_pairs` would have to be compared, as where many rules are nearly alike.
    """
    rules = [rule for type_ in (*_MEASURES, *_RULES) for rule in _rules(graph, type_)]
    own = {n for n, rule in enumerate(rules) if rule.quote.span.version_id in versions}
    index = {
        word: numbers
        for word, numbers in _by_rarest_words(rules).items()
        if not own.isdisjoint(numbers)
    }
    pairs = 0
    for numbers in index.values():
        others = sum(number not in own for number in numbers)
        mine = len(numbers) - others
        pairs += mine * others + mine * (mine - 1) // 2
    if pairs > most_pairs:
        return None
    return _conflicts(_near_pairs(rules, index, own=own), giving_way)


def _conflicts(
    pairs: Iterable[tuple[_Rule, _Rule]], deferring: frozenset[str]
) -> tuple[Conflict, ...]:
    found: dict[frozenset[Span], Conflict] = {}
    for first, second in pairs:
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
            sentence=sentence,
            words=_subject(sentence),
            jurisdictions=frozenset(own | joined),
        )


def _subject(sentence: str) -> frozenset[str]:
    """Return the content words of a sentence without its numbers, units and modal words."""
    said = content_words(sentence) - _MEASURE_WORDS - _MODAL_WORDS
    return frozenset(word for word in said if word.isalpha() or not any(map(str.isdigit, word)))


def _deferring(graph: OntologyGraph) -> frozenset[str]:
    """Return the policies that say they give way to local rules."""
    return frozenset(
        place.policy_key
        for span, place in graph.snapshot.places.items()
        if gives_way(graph.quote(span), place)
    )


def gives_way(quote: str, place: SectionRef) -> bool:
    """Return whether a sentence makes a global policy give way to local rules."""
    return not place.jurisdiction and _DEFERS.search(quote) is not None


def _by_rarest_words(rules: Sequence[_Rule]) -> dict[str, list[int]]:
    """Return the numbers of the rules by their rarest words.

    Sets with a Jaccard index of at least t share one of the rarest (1 - t) n + 1 words of each
    (prefix filtering, Chaudhuri, Ganti and Kaushik 2006).
    """
    frequency = Counter(word for rule in rules for word in rule.words)
    index: defaultdict[str, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        rarest = sorted(rule.words, key=lambda word: (frequency[word], word))
        for word in rarest[: int((1 - _LEAST_SHARED) * len(rarest)) + 1]:
            index[word].append(number)
    return index


def _near_pairs(
    rules: Sequence[_Rule], index: Mapping[str, Sequence[int]], *, own: Set[int] | None = None
) -> Iterator[tuple[_Rule, _Rule]]:
    """Yield the pairs that share enough words; `own`: one of each pair must be of these."""
    seen: set[tuple[int, int]] = set()
    for numbers in index.values():
        for pair in _pairs(numbers, own):
            first, second = rules[pair[0]], rules[pair[1]]
            if pair not in seen and _shared(first, second) >= _LEAST_SHARED:
                yield first, second
            seen.add(pair)


def _pairs(numbers: Sequence[int], own: Set[int] | None) -> Iterator[tuple[int, int]]:
    if own is None:
        yield from combinations(numbers, 2)
        return
    mine = [number for number in numbers if number in own]
    yield from combinations(mine, 2)
    for number in mine:
        for other in numbers:
            if other not in own:
                yield min(number, other), max(number, other)


def _shared(first: _Rule, second: _Rule) -> float:
    """Return the Jaccard index of the words of two rules."""
    together = first.words | second.words
    return len(first.words & second.words) / len(together) if len(together) > 1 else 0.0


def _are_apart(first: _Rule, second: _Rule, deferring: frozenset[str]) -> bool:
    """Return whether two rules never apply to the same person at the same time."""
    if first.quote.span == second.quote.span or _are_cases_of_one_policy(first, second):
        return True
    if not are_of_one_matter(first.sentence, second.sentence):
        return True
    said = [rule.entity.attributes.get("actor", "") for rule in (first, second)]
    bound = [frozenset(filter(None, actors.split(", "))) for actors in said]
    if all(bound) and bound[0].isdisjoint(bound[1]):
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
    if figures_of(first.sentence) & figures_of(second.sentence):
        return None
    return Conflict(
        kind="value",
        first=first.quote,
        second=second.quote,
        reason=f"{measure_words(one.attributes)} against {measure_words(other.attributes)}",
    )


def _are_cases_of_one_policy(first: _Rule, second: _Rule) -> bool:
    """Return whether two rules are different cases of one policy, by its structure.

    So are list items and rows, rules of one section, and sections under the same heading.
    """
    one, other = first.quote.place, second.quote.place
    if one.policy_key != other.policy_key:
        return False
    if one.eid == other.eid or (len(one.path) > 1 and one.path[:-1] == other.path[:-1]):
        return True
    return not (_is_whole(first) and _is_whole(second))


def _is_whole(rule: _Rule) -> bool:
    """Return whether a rule can be understood without its lead-in."""
    text = _MARKER.sub("", rule.quote.text, count=1).strip()
    return _WHOLE.fullmatch(text) is not None


def are_of_one_matter(first: str, second: str) -> bool:
    """Return whether two sentences that share their words may be about the same thing and case."""
    if len(_subject(first) & _subject(second)) < _LEAST_WORDS:
        return False
    if _numbered(first) != _numbered(second):
        return False
    names = _names(first), _names(second)
    if names[0] - names[1] and names[1] - names[0]:
        return False
    cases = _case(first), _case(second)
    return len(cases[0] & cases[1]) >= _LEAST_SHARED * len(cases[0] | cases[1])


def _numbered(sentence: str) -> frozenset[tuple[str, str]]:
    """Return the numbered things of a sentence: ("form", "3"), ("annex", "1").

    The number follows a noun and counts nothing: no noun follows it.
    """
    tokens = _TOKEN.findall(sentence)
    found: set[tuple[str, str]] = set()
    for before, number, after in zip(tokens, tokens[1:], [*tokens[2:], ""], strict=False):
        noun = content_words(before) - _MEASURE_WORDS
        is_label = number[0].isdigit() and noun and not content_words(after)
        if is_label and after not in {"%", "\u20ac", "$", "\u00a3"}:
            found.add((before.casefold().removesuffix("s"), number.rstrip(".,")))
    return frozenset(found)


def _names(sentence: str) -> frozenset[str]:
    """Return the capitalised words, without the first of a sentence."""
    tokens = _TOKEN.findall(sentence)
    pairs = pairwise(tokens)
    return frozenset(
        word.casefold().removesuffix("s")
        for before, word in pairs
        if word[0].isupper() and before not in {".", "!", "?", ":"} and content_words(word)
    )


def _case(sentence: str) -> frozenset[str]:
    """Return the content words of the conditions of a sentence."""
    said: set[str] = set()
    for match in _CASE.finditer(sentence):
        end = _CASE_END.search(sentence, match.end())
        said |= content_words(sentence[match.end() : end.start() if end else len(sentence)])
    return frozenset(said)


def _same_measure(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Return whether two measures are equal, or not comparable."""
    if one.get("value") == other.get("value") and one.get("unit") == other.get("unit"):
        return True
    for scale in (_DAYS, _HOURS):
        if one.get("unit") in scale and other.get("unit") in scale:
            values = [float(m["value"]) * scale[m["unit"]] for m in (one, other)]
            return abs(values[0] - values[1]) < 0.02 * max(values)
    return one.get("unit") != other.get("unit")


def measure_words(attributes: Attributes) -> str:
    """Return an amount or a time in words: "at most 150 EUR", "within 5 days"."""
    said = [attributes.get(name, "") for name in ("comparison", "value", "unit")]
    if said[2] in _TIMES and said[1] != "1":
        said[2] += "s"
    return " ".join(filter(None, said)).replace("_", " ")


def _modality_conflict(first: _Rule, second: _Rule) -> Conflict | None:
    """Return the conflict of two norms on one act that cannot both be followed."""
    one, other = first.entity.attributes, second.entity.attributes
    modalities = frozenset((one.get("modality", ""), other.get("modality", "")))
    if modalities not in _OPPOSED or figures_of(first.sentence) != figures_of(second.sentence):
        return None
    if any(_is_negated_permission(rule) for rule in (first, second)):
        return None
    is_one_case = _case(first.sentence) == _case(second.sentence)
    if not is_one_case or _shared(first, second) < _LEAST_SHARED_RULE:
        return None
    if len(first.words & second.words) < _LEAST_WORDS_RULE:
        return None
    reason = " against ".join(sorted(name.replace("_", " ") for name in modalities))
    return Conflict(kind="modality", first=first.quote, second=second.quote, reason=reason)


def _is_negated_permission(rule: _Rule) -> bool:
    """Return whether a permission is negated.

    "Employees are not to engage in conduct that may raise questions" allows nothing.
    """
    return rule.entity.attributes.get("modality") == "may" and (
        _NEGATION.search(rule.sentence) is not None
    )
