# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""Fit what the rules accept: the coefficients of `core.agent.extractive.ranking.ANSWERS`.

    python -m evals.fit_acceptance RESULTS.json...

RESULTS is what `citebound eval run` writes (RUN.json) for questions about documents that the reader
has not seen in training, without a reader (`--no-reader`) for `ANSWERS_BY_WORDS`. The features of
each answer and closest passage are taken from it, so set `CLOSEST_FROM` in
`core.agent.stages.decide` to 0 while they are collected. Whole documents are held out in turn for
the figures; the coefficients printed are those of all of them.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from evals.measuring.fitting import logistic
from evals.training.metrics import auroc

MEASURES = ("sentence", "whole", "lead", "coverage")
BY_WORDS = ("sentence", "lead", "coverage")
"""Those that differ where nothing was read."""
WRONG = (0.03, 0.05, 0.08)
"""Shares of the answerable questions that may be answered wrongly."""


def questions_of(paths: list[str]) -> list[Any]:
    """Return the questions of results files; ends the program if one is none."""
    found: list[Any] = []
    for path in paths:
        try:
            found += json.loads(Path(path).read_text())["questions"]
        except OSError as error:
            sys.exit(f"{path}: {error.strerror}; name files that `eval run` wrote")
        except (ValueError, KeyError, TypeError):
            sys.exit(f"{path}: not what `eval run` writes")
    return found


def main(paths: list[str]) -> None:
    """Print the coefficients, and what a threshold would accept."""
    asked = questions_of(paths)
    names = MEASURES if any(one["features"].get("read") for one in asked) else BY_WORDS
    known = [one for one in asked if set(names) <= set(one["features"])]
    right = np.array([bool(one["quoted"]) for one in known], dtype=float)
    documents = np.array([one["document"] for one in known])
    if len(set(documents)) < 2 or not 0 < right.sum() < len(known):
        sys.exit("there is nothing to fit: two documents at least, with right answers and others")
    rows = np.array([[one["features"][name] for name in names] for one in known])
    answerable = np.array([one["expected"] == ["answered"] for one in known])
    odds = np.zeros(len(known))
    for document in set(documents):
        others = documents != document
        fit = logistic(rows[others], right[others], np.ones(int(others.sum())))
        odds[~others] = rows[~others] @ np.array(fit.weights) + fit.intercept
    count = sum(one["expected"] == ["answered"] for one in asked)
    others = len(asked) - count
    area = auroc(odds[right > 0], odds[right == 0])
    print(f"{len(known)} of {len(asked)} questions measured, AUROC {area:.3f}")
    for most in WRONG:
        best = max(
            (
                (float((accepted & (right > 0)).sum() / count), float(at))
                for at in np.unique(odds)
                if ((accepted := odds >= at) & (right == 0) & answerable).sum() <= most * count
            ),
            default=(0.0, np.inf),
        )
        likely, answered = 1 / (1 + np.exp(-best[1])), (odds >= best[1]) & ~answerable
        declined = 1 - float(answered.sum()) / max(others, 1)
        print(
            f"wrong at most {most:.0%}: right {best[0]:.1%} from {likely:.2f},"
            f" {declined:.0%} of the unanswerable declined"
        )
    fit = logistic(rows, right, np.ones(len(rows)))
    weights = {name: round(weight, 2) for name, weight in zip(names, fit.weights, strict=True)}
    print(f"intercept={fit.intercept:.2f}, weights={weights}")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("usage: python -m evals.fit_acceptance RESULTS.json...")
    main(sys.argv[1:])
