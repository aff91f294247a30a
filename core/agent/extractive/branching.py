"""See when the answer depends on a fact that the question leaves open, and when policies contradict each other."""

from collections.abc import Sequence

from core.agent.extractive.facets import EMPLOYMENT, JURISDICTION, facets_of
from core.agent.extractive.select import Scored, Wanted
from core.domain.answer import Branch
from core.domain.content_words import content_words
from core.domain.jurisdictions import country_name
from core.domain.quantities import quantities

STRONG = 0.8
"""Share of the best score from which a passage counts as an answer of its own."""
ALIKE = 0.5
"""Share of common words from which two sentences are about the same thing."""
_QUESTIONS = {
    JURISDICTION: "In which country do you work? The rules differ.",
    EMPLOYMENT: "Do you work here as an employee or as a contractor? The rules differ.",
}
_MEASURES = frozenset({"amount", "percentage", "duration"})


def strong_ones(ranked: Sequence[Scored]) -> list[Scored]:
    """Return the passages that answer nearly as well as the best."""
    if not ranked:
        return []
    best = ranked[0]
    return [
        one
        for one in ranked
        if one.score >= STRONG * best.score
        and one.kind >= best.kind
        and one.coverage.share >= STRONG * best.coverage.share
    ]


def find_branch(ranked: Sequence[Scored], wanted: Wanted) -> Branch | None:
    """Return the fact to ask for, if passages for different values of it answer equally well and differently."""
    strong = strong_ones(ranked)
    for slot in (EMPLOYMENT, JURISDICTION):
        if wanted.facets.of(slot):
            continue
        texts: dict[str, str] = {}
        for one in strong:
            said = facets_of(one.unit.text).of(slot) or one.passage.facets.of(slot)
            if len(said) == 1:
                texts.setdefault(next(iter(said)), one.unit.text)
        best = facets_of(strong[0].unit.text).of(slot) or strong[0].passage.facets.of(slot) if strong else frozenset()
        states_all = len(best) > 1
        if len(set(texts.values())) > 1 and not states_all and (best or slot == JURISDICTION):
            values = sorted(texts)
            options = [country_name(value) for value in values] if slot == JURISDICTION else values
            return Branch(slot=slot, question=_QUESTIONS[slot], options=tuple(options))
    return None


def find_conflict(ranked: Sequence[Scored]) -> tuple[Scored, Scored] | None:
    """Return two passages of different policies that say the same of the same thing, but for the figure."""
    strong = strong_ones(ranked)
    for index, one in enumerate(strong):
        for other in strong[index + 1 :]:
            if one.passage.place.policy_key != other.passage.place.policy_key and _contradict(one, other):
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
    words = content_words(one.unit.text), content_words(other.unit.text)
    return len(words[0] & words[1]) >= ALIKE * len(words[0] | words[1])


def _measures(text: str) -> set[tuple[str, str]]:
    return {(str(item.kind), item.canonical) for item in quantities(text) if item.kind in _MEASURES}
