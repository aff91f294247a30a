"""Choose what answers one question of a message: rank passages, take the telling units of the best."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agent.extractive.facets import EMPLOYMENT, JURISDICTION, Facets, facets_of
from core.agent.extractive.intent import Intent, defined_in, fits
from core.agent.extractive.passages import Passage, Unit
from core.agent.extractive.terms import Coverage, cover, is_telling
from core.domain.content_words import content_words
from core.domain.run import Term

HEADING, TITLE, REST = 0.9, 0.6, 0.5
"""What a match counts in the section's heading, the policy's title, and elsewhere in the section; in the unit itself 1."""
KIND_WEIGHT = 0.25
FACT_WEIGHT = 0.04
RELEVANCE_WEIGHT = 0.45
FACET_WEIGHT = 0.15
FOREIGN_WEIGHT = 0.3
"""Taken off a unit that speaks of another country or employment than the asker's."""
MAX_UNITS = 4
MAX_ITEMS = 9
MAX_CHARACTERS = 1_200
_GOES_ON = re.compile(
    r"(?:unless|except|however|but|if|where|in (?:such|this|that|these) cases?|there (?:is|are) no|the same|this|these|that|it|they"
    r"|otherwise|only|no other|any such|such|further|the limit|exceptions?)\b",
    re.IGNORECASE,
)
_LISTS = re.compile(r"\b(?:which|what are|list|signs|examples|steps|conditions|criteria)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What one question is after."""

    terms: tuple[Term, ...]
    """Its telling words."""
    intents: tuple[Intent, ...]
    """Its kinds, the most telling first."""
    facets: Facets
    """Country and employment that it, its thread or its scope name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A passage with its best unit."""

    passage: Passage
    """The passage."""
    unit: Unit
    """The unit that answers best."""
    score: float
    """Higher is better; comparable within one question."""
    coverage: Coverage
    """Of the question by unit, heading and section."""
    kind: float
    """How well the unit is of the kind that is wanted, in [0, 1]."""


def rank(passages: Sequence[Passage], wanted: Wanted) -> list[Scored]:
    """Return the passages that may answer, best first; those for another country or employment are left out."""
    scored = [
        _score(passage, wanted)
        for passage in passages
        if passage.units and concerns(passage.facets, wanted.facets)
    ]
    return sorted(
        scored,
        key=lambda one: (-one.score, one.passage.version_id, one.unit.span.char_start),
    )


def concerns(found: Facets, asked: Facets) -> bool:
    """Say whether rules for `found` can hold for who asks: a fact that either side leaves open fits."""
    return all(
        not found.of(slot) or not asked.of(slot) or found.of(slot) & asked.of(slot)
        for slot in (JURISDICTION, EMPLOYMENT)
    )


def layers(passage: Passage, units: Sequence[Unit]) -> list[tuple[frozenset[str], float]]:
    """Return the layers of text that cover a question if these units of the passage are quoted."""
    return [
        (frozenset[str]().union(*(unit.words for unit in units)), 1.0),
        (passage.heading, HEADING),
        (passage.title, TITLE),
        (passage.words, REST),
    ]


def kind_of(wanted: Wanted, unit: Unit) -> float:
    """Return how well a unit is of the kind that is wanted; a definition must define what was asked for."""
    intent = wanted.intents[0]
    defined = defined_in(unit.text)
    if intent is Intent.DEFINITION:
        telling = [term for term in wanted.terms if is_telling(term)]
        if defined is None or not telling:
            return 0.0
        return float(cover(telling, [(content_words(defined), 1.0)]).share >= 0.6)  # noqa: PLR2004  # most of it
    if defined is not None and '"' in defined.replace("\u201c", '"'):
        return 0.0
    return fits(intent, unit.text)


def _score(passage: Passage, wanted: Wanted) -> Scored:
    best: Scored | None = None
    for unit in passage.units:
        coverage = cover(wanted.terms, layers(passage, [unit]))
        kind = kind_of(wanted, unit)
        score = coverage.share + KIND_WEIGHT * kind + FACT_WEIGHT * unit.is_fact
        if not concerns(facets_of(unit.text), wanted.facets):
            score -= FOREIGN_WEIGHT
        if best is None or score > best.score:
            best = Scored(passage=passage, unit=unit, score=score, coverage=coverage, kind=kind)
    assert best is not None  # noqa: S101  # `rank` leaves out passages without units
    boost = RELEVANCE_WEIGHT * passage.relevance
    for slot in (JURISDICTION, EMPLOYMENT):
        said = passage.facets.of(slot) | facets_of(best.unit.text).of(slot)
        if wanted.facets.of(slot) & said:
            boost += FACET_WEIGHT
    return replace(best, score=best.score + boost)


def expand(one: Scored, wanted: Wanted, *, question: str) -> list[Unit]:
    """Return the units of a passage to quote around its best one: a list's items, conditions that follow, close seconds."""
    units, best = one.passage.units, one.unit
    at = units.index(best)
    if best.text.rstrip().endswith(":"):
        return _bounded([best, *_items(units, best)], MAX_ITEMS)
    if best.is_item and best.lead_in is not None and _LISTS.search(question):
        return _bounded(_items(units, best.lead_in), MAX_ITEMS, keep=best)
    taken = [best]
    for unit in units[at + 1 :]:
        if unit.is_row or unit.is_item or not _GOES_ON.match(unit.text):
            break
        taken.append(unit)
    for unit in units:
        if unit in taken or not concerns(facets_of(unit.text), wanted.facets):
            continue
        alone = cover(wanted.terms, [(unit.words, 1.0), (one.passage.heading, HEADING)]).share
        floor = 0.9 if unit.is_row or unit.is_item else 0.6
        if alone >= floor * max(one.coverage.share, 0.01) and kind_of(wanted, unit) >= one.kind:
            taken.append(unit)
    taken.sort(key=lambda unit: unit.span.char_start)
    return _bounded(taken, MAX_UNITS, keep=best)


def _items(units: Sequence[Unit], lead_in: Unit) -> list[Unit]:
    return [unit for unit in units if unit.lead_in is not None and unit.lead_in.span == lead_in.span]


def _bounded(units: list[Unit], most: int, *, keep: Unit | None = None) -> list[Unit]:
    kept: list[Unit] = []
    size = 0
    for unit in units:
        if unit is not keep and (len(kept) >= most or size + len(unit.text) > MAX_CHARACTERS):
            continue
        kept.append(unit)
        size += len(unit.text)
    return kept
