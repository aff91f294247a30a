"""Say how likely a chunk is to bear on the question: pure, after ranking.

The ranking compares chunks with each other; relevance is absolute, so that a question that no
policy speaks about finds nothing relevant.
"""

from dataclasses import dataclass
from math import exp


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What relevance is read from. The question's length is not among them."""

    lexical_score: float
    """BM25 over the question's highest possible, in [0, 1]."""
    cosine: float | None
    """Cosine to the question in [-1, 1]; None without a vector."""
    coverage: float
    """Share of the question's words, by idf, that the chunk has, in [0, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Of a logistic regression."""

    intercept: float
    lexical_score: float
    cosine: float
    coverage: float


HYBRID = Coefficients(intercept=-5.0, lexical_score=3.0, cosine=8.0, coverage=2.0)
LEXICAL_ALONE = Coefficients(intercept=-3.0, lexical_score=5.0, cosine=0.0, coverage=4.0)


def relevance(features: Features) -> float:
    """Return the calibrated relevance in [0, 1]."""
    fit = LEXICAL_ALONE if features.cosine is None else HYBRID
    z = (
        fit.intercept
        + fit.lexical_score * features.lexical_score
        + fit.cosine * (features.cosine or 0.0)
        + fit.coverage * features.coverage
    )
    return 1 / (1 + exp(-z))
