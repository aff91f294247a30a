"""How likely a sentence of a section answers a question.

Logistic regression over what can be measured of the pair.

The coefficients were fitted (L2 = 1) on the development questions of the sample policies, each with
the policies as they are and
with its answer's sections removed, by `python tests/evals/fit_scoring.py`. Words alone, or facts
alone, have their own fit.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.agent.extractive.facets import EMPLOYMENT, JURISDICTION, Facets, facets_of
from core.agent.extractive.intent import Intent, fits
from core.agent.extractive.passages import Passage, Unit
from core.agent.extractive.terms import NO_MEANINGS, cover, is_telling
from core.domain.content_words import content_words
from core.domain.quantities import quantities
from core.domain.run import Term

HEADING, ABOVE, TITLE = 0.9, 0.8, 0.6
"""What a match counts in the section's heading, in those above it and in the policy's title; in the
sentence itself it counts 1."""
LOCAL = 0.7
"""Log-odds for a rule made for the asker: a supplement prevails over the rule that it
supplements."""
FOREIGN = -2.0
"""Log-odds for a sentence that speaks of somebody else's country or employment."""
_DEFINED = 0.75
"""Share of the asked-for term that a definition must define."""
_POINTS = re.compile(r"\b(?:annex|section|schedule|appendix|policy)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What one question is after."""

    terms: tuple[Term, ...]
    """Its telling words."""
    intents: tuple[Intent, ...]
    """Its kinds, the most telling first."""
    facets: Facets
    """Country and employment that it, its thread or its scope name."""
    asks_percentage: bool = False
    """True if only a percentage answers it."""
    amounts: frozenset[str] = frozenset()
    """Amounts that the message names, in their canonical form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What is measured of a sentence in its section against a question."""

    coverage: float
    """Weighted share of the question's words that sentence, heading and title cover, in [0, 1]."""
    nothing_missing: float
    """1 less the weight of the most telling word that they do not cover, in [0, 1]."""
    kind: float
    """How well the sentence is of the kind asked for, in [0, 1]."""
    dense: float
    """Cosine of the chunk to the question; 0 if it was not retrieved."""
    lexical: float
    """BM25 share of the chunk; 0 if it was not retrieved."""
    similarity: float
    """Cosine of heading and sentence to the question; 0 without an embedder."""
    lead_similarity: float
    """How far its similarity is above that of the best sentence of any other section; below 0 if
    another is nearer."""
    lead_dense: float
    """How far its chunk's cosine is above that of any other section's."""
    foreign: float
    """1 if the sentence speaks of another country or employment than the asker's."""
    facet: float
    """1 if the policy or heading names the asker's country or employment."""
    points: float
    """1 if the sentence refers to another place of the policies."""
    unsaid: float
    """1 if the asker's employment was named and the sentence leaves it open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Log-odds: an intercept and a weight for each measure."""

    intercept: float
    weights: Mapping[str, float]

    def probability(self, measures: Measures) -> float:
        """Return the probability in [0, 1].

        A rule made for the asker's country or employment goes before a general one.
        """
        odds = self.intercept + LOCAL * measures.facet + FOREIGN * measures.foreign
        odds += sum(weight * getattr(measures, name) for name, weight in self.weights.items())
        if math.isnan(odds):
            return 0.0
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


HYBRID = Fit(
    intercept=-6.11,
    weights={
        "coverage": 4.61,
        "nothing_missing": -1.13,
        "kind": 1.25,
        "dense": 1.66,
        "lexical": -3.13,
        "similarity": 3.45,
        "lead_similarity": 5.02,
        "lead_dense": 2.22,
        "points": -1.77,
        "unsaid": -2.40,
    },
)
LEXICAL = Fit(
    intercept=-6.73,
    weights={
        "coverage": 5.37,
        "nothing_missing": -1.87,
        "kind": 2.26,
        "lexical": 3.51,
        "points": -1.89,
        "unsaid": -2.54,
    },
)
FACTS = Fit(
    intercept=-6.71,
    weights={
        "coverage": 1.36,
        "nothing_missing": -0.06,
        "kind": 1.89,
        "similarity": 6.30,
        "lead_similarity": 5.23,
        "points": -1.58,
        "unsaid": -4.49,
    },
)
FACTS_BY_WORDS = Fit(
    intercept=-7.08,
    weights={
        "coverage": 6.23,
        "nothing_missing": -1.40,
        "kind": 2.54,
        "points": -1.86,
        "unsaid": -4.12,
    },
)


def fit_for(*, has_chunks: bool, has_embedder: bool) -> Fit:
    """Return the coefficients for what could be measured."""
    if has_chunks:
        return HYBRID if has_embedder else LEXICAL
    return FACTS if has_embedder else FACTS_BY_WORDS


def measure(
    passage: Passage,
    unit: Unit,
    wanted: Wanted,
    *,
    similarity: float = 0.0,
    meanings: Mapping[str, float] = NO_MEANINGS,
) -> Measures:
    """Measure one sentence of a section."""
    covered = cover(wanted.terms, layers(passage, unit), meanings)
    said = facets_of(unit.text)
    named = Facets(
        jurisdictions=passage.facets.jurisdictions | said.jurisdictions,
        employments=passage.facets.employments | said.employments,
    )
    return Measures(
        coverage=covered.share,
        nothing_missing=1 - covered.missing,
        kind=kind_of(wanted, unit),
        dense=passage.dense_score,
        lexical=passage.lexical_score,
        similarity=similarity,
        lead_similarity=0.0,
        lead_dense=0.0,
        foreign=float(not concerns(said, wanted.facets)),
        facet=float(
            any(
                wanted.facets.of(slot) & passage.facets.of(slot)
                for slot in (JURISDICTION, EMPLOYMENT)
            )
        ),
        points=float(bool(_POINTS.search(unit.text))),
        unsaid=float(
            bool(wanted.facets.employments) and not wanted.facets.employments & named.employments
        ),
    )


def layers(passage: Passage, unit: Unit) -> list[tuple[frozenset[str], float]]:
    """Return the texts that cover a question if this unit is quoted.

    With what a match in each counts.
    """
    return [
        (unit.words, 1.0),
        (passage.heading, HEADING),
        (passage.above, ABOVE),
        (passage.title, TITLE),
    ]


def concerns(found: Facets, asked: Facets) -> bool:
    """Say whether rules for `found` can hold for who asks.

    A fact that either side leaves open fits.
    """
    return all(
        not found.of(slot) or not asked.of(slot) or found.of(slot) & asked.of(slot)
        for slot in (JURISDICTION, EMPLOYMENT)
    )


def kind_of(wanted: Wanted, unit: Unit) -> float:
    """Return how well a unit is of the kind that is wanted.

    A definition must define what was asked for.
    """
    intent = next((one for one in wanted.intents if one is not Intent.COMPARISON), Intent.GENERAL)
    defined = unit.defines
    if intent is Intent.DEFINITION:
        telling = [term for term in wanted.terms if is_telling(term)]
        if defined is None or not telling:
            return 0.0
        return float(cover(telling, [(content_words(defined), 1.0)]).share >= _DEFINED)
    figures = intent in {Intent.THRESHOLD, Intent.DEADLINE}
    if not figures and defined is not None and '"' in defined.replace("\u201c", '"'):
        return 0.0
    if wanted.asks_percentage and not any(
        found.kind == "percentage" for found in quantities(unit.text)
    ):
        return 0.0
    return fits(intent, unit.text)
