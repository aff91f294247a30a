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
    """Of a logistic regression on `Features`."""

    intercept: float
    """Log odds where all features are 0."""
    lexical_score: float
    """Log odds a unit."""
    cosine: float
    """Log odds a unit."""
    coverage: float
    """Log odds a unit."""


HYBRID = Coefficients(intercept=-4.28, lexical_score=2.19, cosine=7.01, coverage=3.49)
"""Fitted on gold chunks of 1,000 questions of ObliQA dev and of the samples' dev questions, against
the best five chunks of 60 everyday questions on either corpus and, lightly, chunks ranked 40 to 50.
Below .3 at best: no question of ObliQA, none of the samples that has an answer, 97 % of the 60."""
LEXICAL_ALONE = Coefficients(intercept=-4.2, lexical_score=8.0, cosine=0.0, coverage=6.0)
"""From the same data, rounded towards declining: words alone tell off-topic questions apart badly.
Below .3 at best: 2 % of ObliQA, 17 % of the samples' answerable questions, 73 % and 88 % of the 60
on either corpus."""


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
