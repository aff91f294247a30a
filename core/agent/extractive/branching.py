"""See when the answer depends on a fact that the question leaves open.

And when policies contradict each other.
"""

from collections.abc import Sequence

from core.agent.extractive.scoring import Scored, Wanted
from core.agent.facets import EMPLOYMENT, JURISDICTION, facets_of
from core.agent.planning.facts import are_alike
from core.domain.answer import Branch
from core.language.content_words import content_words
from core.language.jurisdictions import country_name
from core.language.quantities import quantities
from core.ontology.graphs.conflicts import are_of_one_matter

NOWHERE: frozenset[str] = frozenset()
"""No country has policies of its own."""
STRONG = 2.0
"""Logits below the best sentence down to which another section is an answer of its own, whomever it
is for: that is what is asked."""
AS_FULL = 0.8
"""Share of the best coverage that it must have too."""
SIBLING = 0.5
"""Share of the best coverage from which a section beside the best one is another case of the same
rule."""
_QUESTIONS = {
    JURISDICTION: "In which country do you work? The rules differ.",
    EMPLOYMENT: "Do you work here as an employee or as a contractor? The rules differ.",
}
_MEASURES = frozenset({"amount", "percentage", "duration"})


def strong_ones(ranked: Sequence[Scored]) -> list[Scored]:
    """Return the sections that answer nearly as well as the best."""
    if not ranked:
        return []
    best = ranked[0]
    return [one for one in ranked if _is_strong(one, best)]


def _is_strong(one: Scored, best: Scored) -> bool:
    return one.sentence >= best.sentence - STRONG and one.coverage >= AS_FULL * best.coverage


def find_branch(
    ranked: Sequence[Scored], wanted: Wanted, *, countries: frozenset[str] = NOWHERE
) -> Branch | None:
    """Return the fact to ask for, if rules for different values of it answer differently.

    A rule from the policy of one country is never given to somebody whose country is unknown,
    where other countries (`countries`) have policies of their own.
    """
    if not ranked:
        return None
    best = ranked[0]
    for slot in (EMPLOYMENT, JURISDICTION):
        mine = _values(best, slot)
        if wanted.facets.of(slot) or len(mine) > 1:
            continue
        texts = {next(iter(mine)): best.unit.text} if mine else dict[str, str]()
        for one in ranked[1:]:
            said = _values(one, slot)
            if len(said) == 1 and (
                _is_strong(one, best) or _is_sibling(one, best, mine) or _says_alike(one, best)
            ):
                texts.setdefault(next(iter(said)), one.unit.text)
        if slot == JURISDICTION and best.passage.place.jurisdiction in countries:
            texts = {**{country: country for country in countries}, **texts}
        if len(set(texts.values())) > 1 and (mine or slot == JURISDICTION):
            values = sorted(texts)
            options = [country_name(value) for value in values] if slot == JURISDICTION else values
            return Branch(slot=slot, question=_QUESTIONS[slot], options=tuple(options))
    return None


def _values(one: Scored, slot: str) -> frozenset[str]:
    said = facets_of(one.unit.text).of(slot) or one.passage.facets.of(slot)
    if said:
        return said
    # "A gift above this limit" is for whom the sentence before it names.
    around = frozenset[str]().union(*(facets_of(unit.text).of(slot) for unit in one.passage.units))
    return around if len(around) == 1 else said


def _is_sibling(one: Scored, best: Scored, mine: frozenset[str]) -> bool:
    """Say whether a section stands beside the best one under the same heading.

    For another value of the fact.
    """
    here, there = best.passage.place, one.passage.place
    return (
        bool(mine)
        and here.policy_key == there.policy_key
        and bool(here.path[:-1])
        and here.path[:-1] == there.path[:-1]
        and one.coverage >= SIBLING * best.coverage
    )


def _says_alike(one: Scored, best: Scored) -> bool:
    """Say whether two sentences give the same rule.

    As a supplement does with the rule that it supplements.
    """
    return are_alike(content_words(one.unit.text), content_words(best.unit.text))


def find_conflict(ranked: Sequence[Scored]) -> tuple[Scored, Scored] | None:
    """Return two passages of different policies that say the same of the same thing.

    But for the figure.
    """
    strong = strong_ones(ranked)
    for index, one in enumerate(strong):
        for other in strong[index + 1 :]:
            if one.passage.place.policy_key != other.passage.place.policy_key and _contradict(
                one, other
            ):
                return one, other
    return None


def _contradict(one: Scored, other: Scored) -> bool:
    mine, theirs = facets_of(one.unit.text), facets_of(other.unit.text)
    if mine.jurisdictions != theirs.jurisdictions or mine.employments != theirs.employments:
        return False
    if one.passage.facets.jurisdictions != other.passage.facets.jurisdictions:
        return False
    first, second = _measures(one.unit.text), _measures(other.unit.text)
    same_kinds = {kind for kind, _ in first} & {kind for kind, _ in second}
    if not same_kinds or first & second:
        return False
    return _says_alike(one, other) and are_of_one_matter(one.unit.text, other.unit.text)


def _measures(text: str) -> set[tuple[str, str]]:
    return {(str(item.kind), item.canonical) for item in quantities(text) if item.kind in _MEASURES}
