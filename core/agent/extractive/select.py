"""Choose what answers one question of a message.

Rank the sections, take the telling sentences of the best.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agent.extractive.amounts import is_of_another_amount
from core.agent.extractive.facets import EMPLOYMENT, JURISDICTION, Facets, facets_of
from core.agent.extractive.facts import are_alike
from core.agent.extractive.passages import Passage, Unit
from core.agent.extractive.scoring import (
    HEADING,
    Measures,
    Wanted,
    concerns,
    fit_for,
    kind_of,
    measure,
)
from core.agent.extractive.similarity import Similarity
from core.agent.extractive.terms import NO_MEANINGS, cover, is_telling
from core.agent.extractive.turns import in_turns
from core.domain.content_words import words

COMPARED = 10
"""Sentences whose words are compared one by one with those of the question."""
SHORT = 2
"""Letters of a word that is too short to mean much alone."""
PRESELECTED = 24
"""Sentences whose meaning is compared with the question; the others count by their words."""
WHOLE = 420
"""Characters up to which a section without a list or table is quoted with all that belongs to the
best sentence."""
MAX_UNITS = 4
MAX_ITEMS = 9
MAX_CHARACTERS = 1_200
_CLOSE = 0.6
"""Share of the best sentence's coverage from which another of the same section is quoted too."""
_CLOSE_ITEM = 0.9
_GOES_ON = re.compile(
    r"(?:unless|except|however|but|if|where|in (?:such|this|that|these) cases?|there (?:is"
    r"|are) no|the same|this|these|that|it|they"
    r"|otherwise|only|no other|any such|such|further|the limit|exceptions?|footnote|endnote)\b",
    re.IGNORECASE,
)
_LISTS = re.compile(
    r"\b(?:which|what are|list|signs|examples|steps|conditions|criteria)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A section with its best sentence."""

    passage: Passage
    """The section."""
    unit: Unit
    """The sentence that answers best."""
    score: float
    """Probability that it answers, in [0, 1]."""
    measures: Measures
    """What the score rests on."""


async def rank(
    passages: Sequence[Passage], wanted: Wanted, *, question: str, similarity: Similarity
) -> list[Scored]:
    """Return the sections that may answer, best first.

    Those for another country, employment or amount are left out.
    """
    pairs = [
        (passage, unit)
        for passage in passages
        if concerns(passage.facets, wanted.facets)
        for unit in passage.units
        if not unit.introduces
        and not unit.asks
        and not unit.is_part
        and not is_of_another_amount(wanted.amounts, unit.text)
    ]
    by_words = await in_turns(lambda pair: _by_words(pair[0], pair[1], wanted), pairs)
    order = sorted(range(len(pairs)), key=lambda number: -by_words[number])
    pairs = [pairs[number] for number in order]
    near = pairs[:PRESELECTED]
    cosines = await similarity.to(question, [_in_context(*pair) for pair in near])
    meanings = await _meanings(near[:COMPARED], wanted, similarity)
    fit = fit_for(
        has_chunks=any(passage.lexical_score > 0 for passage in passages),
        has_embedder=cosines is not None,
    )

    def measured_at(number: int) -> Measures:
        return measure(
            *pairs[number],
            wanted,
            similarity=cosines[number] if cosines is not None and number < len(near) else 0.0,
            meanings=meanings[number] if number < len(meanings) else NO_MEANINGS,
        )

    measured = await in_turns(measured_at, range(len(pairs)))
    best: dict[int, Scored] = {}
    for (passage, unit), measures in zip(pairs, _with_leads(pairs, measured), strict=True):
        score = fit.probability(measures)
        known = best.get(id(passage))
        if known is None or score > known.score:
            best[id(passage)] = Scored(passage=passage, unit=unit, score=score, measures=measures)
    return sorted(
        best.values(),
        key=lambda one: (-one.score, one.passage.version_id, one.unit.span.char_start),
    )


def _with_leads(
    pairs: Sequence[tuple[Passage, Unit]], measured: Sequence[Measures]
) -> list[Measures]:
    """Say of each sentence how far it is ahead of the other sections.

    A section that gives the same rule for another country or employment is no rival.
    """
    nearest: dict[int, tuple[Passage, Unit, float]] = {}
    for (passage, unit), measures in zip(pairs, measured, strict=True):
        known = nearest.get(id(passage))
        if known is None or measures.similarity > known[2]:
            nearest[id(passage)] = passage, unit, measures.similarity
    return [
        replace(
            measures,
            lead_similarity=measures.similarity - max((one[2] for one in rivals), default=0.0),
            lead_dense=measures.dense - max((one[0].dense_score for one in rivals), default=0.0),
        )
        for (passage, unit), measures in zip(pairs, measured, strict=True)
        for rivals in [[one for one in nearest.values() if _is_rival(one, passage, unit)]]
    ]


def _is_rival(other: tuple[Passage, Unit, float], passage: Passage, unit: Unit) -> bool:
    if other[0] is passage:
        return False
    here, there = _said(passage, unit), _said(other[0], other[1])
    parallel = any(
        here.of(slot) and there.of(slot) and not here.of(slot) & there.of(slot)
        for slot in (JURISDICTION, EMPLOYMENT)
    )
    return not parallel and not are_alike(unit.words, other[1].words)


def _said(passage: Passage, unit: Unit) -> Facets:
    """Return the country and employment that a sentence names, else those of its section."""
    named = facets_of(unit.text)
    return Facets(
        jurisdictions=named.jurisdictions or passage.facets.jurisdictions,
        employments=named.employments or passage.facets.employments,
    )


async def _meanings(
    near: Sequence[tuple[Passage, Unit]], wanted: Wanted, similarity: Similarity
) -> list[dict[str, float]]:
    """Compare the question's telling words with those of the nearest sentences and headings.

    Returns, by sentence, how far each term (its stem) is there by meaning.
    """
    terms = {term.surface or term.word: term.word for term in wanted.terms if is_telling(term)}
    texts = [
        [word for word in words(_in_context(passage, unit)) if len(word) > SHORT and word.isalpha()]
        for passage, unit in near
    ]
    found = await similarity.meanings(list(terms), texts)
    return [{terms[surface]: value for surface, value in one.items()} for one in found]


def _in_context(passage: Passage, unit: Unit) -> str:
    """Return the sentence as its meaning is compared.

    Under its heading, or under the one above an untitled paragraph.
    """
    heading = passage.place.title or next(iter(passage.place.path[-2:-1]), "")
    return f"{heading}: {unit.text}" if heading else unit.text


def _by_words(passage: Passage, unit: Unit, wanted: Wanted) -> float:
    measures = measure(passage, unit, wanted)
    return measures.coverage + 0.25 * measures.kind + measures.dense - 0.3 * measures.foreign


def expand(one: Scored, wanted: Wanted, *, question: str) -> list[Unit]:
    """Return the units of a section to quote around its best one.

    A list's items, conditions that follow, close seconds.
    """
    units, best = [unit for unit in one.passage.units if not unit.is_part], one.unit
    at = units.index(best)
    if best.text.rstrip().endswith(":"):
        return _bounded([best, *_items(units, best)], MAX_ITEMS)
    if (best.is_item or best.is_row) and best.lead_in is not None and _LISTS.search(question):
        return _bounded(_items(units, best.lead_in), MAX_ITEMS, keep=best)
    if _is_short(units):
        kept = [unit for unit in units if unit is best or _belongs(unit, best, wanted)]
        return _bounded(kept, MAX_UNITS, keep=best)
    taken = [best]
    for unit in units[at + 1 :]:
        if unit.is_row or unit.is_item or not _GOES_ON.match(unit.text):
            break
        taken.append(unit)
    taken += [unit for unit in units if unit not in taken and _is_close(unit, one, wanted)]
    taken.sort(key=lambda unit: unit.span.char_start)
    return _bounded(taken, MAX_UNITS, keep=best)


def _is_short(units: Sequence[Unit]) -> bool:
    return sum(len(unit.text) for unit in units) <= WHOLE and not any(
        unit.is_row or unit.is_item for unit in units
    )


def _belongs(unit: Unit, best: Unit, wanted: Wanted) -> bool:
    """Say whether a sentence of a short section speaks of what the best one speaks of."""
    related = bool(unit.words & best.words) or _GOES_ON.match(unit.text) is not None
    return related and _fits_asker(unit, wanted)


def _fits_asker(unit: Unit, wanted: Wanted) -> bool:
    return not unit.asks and concerns(facets_of(unit.text), wanted.facets)


def _is_close(unit: Unit, one: Scored, wanted: Wanted) -> bool:
    """Say whether a sentence of the section answers nearly as well as its best one.

    A table's other rows never do: they tell of other things.
    """
    if unit.is_row or not _fits_asker(unit, wanted):
        return False
    alone = cover(wanted.terms, [(unit.words, 1.0), (one.passage.heading, HEADING)]).share
    floor = _CLOSE_ITEM if unit.is_item else _CLOSE
    return (
        alone >= floor * max(one.measures.coverage, 0.01)
        and kind_of(wanted, unit) >= one.measures.kind
    )


def _items(units: Sequence[Unit], lead_in: Unit) -> list[Unit]:
    return [
        unit for unit in units if unit.lead_in is not None and unit.lead_in.span == lead_in.span
    ]


def _bounded(units: list[Unit], most: int, *, keep: Unit | None = None) -> list[Unit]:
    kept: list[Unit] = []
    size = 0
    for unit in units:
        if unit is not keep and (len(kept) >= most or size + len(unit.text) > MAX_CHARACTERS):
            continue
        kept.append(unit)
        size += len(unit.text)
    return kept
