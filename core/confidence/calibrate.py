"""Features of a run to a probability that the answer is right.

Logistic regression with stored coefficients.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Coefficients of one calibration."""

    name: str
    """Identity, written into each record."""
    intercept: float
    """Log-odds with all features 0."""
    weights: Mapping[str, float]
    """Log-odds for each unit of a feature."""
    is_measured: bool
    """True if it was fitted on labelled answers of this deployment."""
    follows_judge: bool = False
    """True: a language model judged, and while nothing is measured its approval decides between Low
    and more; the formula orders the rest."""


DEFAULT = Calibration(
    name="default/3",
    intercept=-7.0,
    weights={"answers_odds": 12.0},
    is_measured=False,
)
"""The rules' own log-odds (-6 to 6, told as 0 to 1), less 1: what they hold to be right with a
probability of .73 is Medium, of .94 High. With Medium as the bound 57 % of 374 questions that 18
documents answer were answered rightly and 4 % wrongly, each document held out of the fit in turn;
the reader had seen none of them with its questions. No substitute for a deployment's own."""

DEFAULT_OF_MODELS = Calibration(
    name="default-of-models/1",
    intercept=-12.0,
    weights={
        "judged_lowest": 8.0,
        "faithfulness": 2.0,
        "judged_relevance": 1.0,
        "judged_completeness": 1.0,
        "passed": 3.0,
        "cited_relevance": 0.3,
        "reported": 0.1,
    },
    is_measured=False,
    follows_judge=True,
)
"""Reasoned, not fitted, for drafts that a language model wrote and judged. With every check passed:
all scores .9 are High, .8 Medium; down to .7 (`APPROVED`) an approval is Medium too, and below it
or without one all is Low, whatever else speaks for the draft. The lowest
score weighs most, since completeness does not mend faithfulness; half of the claims dropped costs
1.5. What the search and the reasoner itself say moves a borderline case at most."""


APPROVED = 0.7
"""Each score of a judge whose approval counts for at least Medium."""


def calibrate(features: Mapping[str, float], calibration: Calibration = DEFAULT) -> float:
    """Return the probability in [0, 1] that the answer is right.

    An absent feature counts as 0; one that is no number makes it 0.
    """
    score = calibration.intercept + sum(
        weight * features.get(name, 0.0) for name, weight in calibration.weights.items()
    )
    if math.isnan(score):
        return 0.0
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
