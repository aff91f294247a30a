"""Fit the shipped calibration of the rules: `core.confidence.calibration.DEFAULT_OF_READER`.

    python -m evals.fit_calibration RUN.jsonl...

RUN is what `citebound eval run` wrote about documents that the reader has not seen in training. The
labels are those of answers and closest passages, so set `closest_from` of the calibration in force
to 0 while they are collected. Whole documents are held out in turn for the figures; the
coefficients printed are those of all of them. The thresholds are chosen from the table, not by the
program: what is shipped weighs wrong answers against questions that go unanswered. On data that it
was not fitted on, the figures of the shipped one say what it is worth.
"""

import sys
from pathlib import Path

from core.confidence.calibration import DEFAULT_OF_READER, calibrate
from core.confidence.label import AnswerLabel
from core.domain.errors import UsageError
from evals.measuring.fitting import FEATURES, TooFewLabelsError, cross_fitted, fitted_with_figures
from evals.measuring.labels import labels_of_run
from evals.measuring.probabilities import Scored, summary, upper_bound

THRESHOLDS = (0.5, 0.6, 0.66, 0.7, 0.72, 0.75, 0.8, 0.85, 0.9, 0.92, 0.93, 0.94, 0.95, 0.97)


def main(paths: list[str]) -> None:
    """Print coefficients, figures, and what each threshold lets through."""
    try:
        labels = [label for path in paths for label in labels_of_run(Path(path), of_models=False)]
        fitted = fitted_with_figures(labels, FEATURES[False], name="default")
        scored = cross_fitted(labels, FEATURES[False])
    except (UsageError, TooFewLabelsError) as error:
        sys.exit(str(error))
    calibration = fitted.calibration
    print(f"{len(labels)} labels, data {calibration.data_hash}")
    print(f"intercept={calibration.intercept}, weights={dict(calibration.weights)}")
    print("with documents held out:", fitted.figures["all"])
    print("the shipped one, as it is:", summary([as_shipped(one) for one in labels]))
    for threshold in THRESHOLDS:
        print(line(threshold, scored, labels))


def as_shipped(label: AnswerLabel) -> Scored:
    """Return an answer with the probability that the shipped calibration gives it."""
    return Scored(probability=calibrate(label.features, DEFAULT_OF_READER), is_right=label.is_right)


def line(threshold: float, scored: list[Scored], labels: list[AnswerLabel]) -> str:
    """Return what answering from a probability on lets through."""
    above = [one for one in scored if one.probability >= threshold]
    wrong = sum(not one.is_right for one in above)
    return (
        f"from {threshold:.2f}: {len(above) - wrong} right, {wrong} wrong,"
        f" at most {upper_bound(wrong, len(above)):.1%} by the bound;"
        f" {len(above) / len(labels):.0%} answered"
    )


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("usage: python -m evals.fit_calibration RUN.jsonl...")
    main(sys.argv[1:])
