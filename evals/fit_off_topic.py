# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""Fit which messages have nothing to do with a company.

    python -m evals.fit_off_topic QUESTIONS.jsonl > core/adapters/local/weights/off_topic.json

QUESTIONS are about workplace policies, with the `document` of each (`data/workplace`); the
messages of `off_topic.txt` are about anything else. A logistic regression over the vectors of the
embedder that the product carries tells them apart; what it does on documents held out in turn is
told on stderr.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from core.adapters.local.embedder import SPACE
from evals.near_questions import vectors_of

MESSAGES = Path(__file__).with_name("off_topic.txt")
FOLDS = 4
RIDGE, RATE, STEPS = 1e-3, 2.0, 400
SHARE = 1 / 3
"""Weight of all messages together against all questions together."""
ALARMS = (0.02, 0.01, 0.005, 0.002)
"""Shares of questions that may be taken for something else."""
DIGITS = 3


def fitted(messages: Any, questions: Any) -> tuple[Any, float]:
    """Return weights and intercept."""
    rows = np.vstack([messages, questions])
    target = np.r_[np.ones(len(messages)), np.zeros(len(questions))]
    weight = np.where(target == 1, SHARE * len(questions) / len(messages), 1.0)
    beta, intercept = np.zeros(rows.shape[1]), 0.0
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-(rows @ beta + intercept)))
        error = weight * (p - target) / weight.sum()
        beta -= RATE * (rows.T @ error + RIDGE * beta)
        intercept -= RATE * error.sum()
    return beta, float(intercept)


def tell(messages: Any, questions: Any, documents: Any) -> None:
    """Say what thresholds do to questions of held-out documents, and to messages held out."""
    names = sorted(set(documents))
    scores, others = np.zeros(len(questions)), np.zeros(len(messages))
    for fold in range(FOLDS):
        out = np.isin(documents, names[fold::FOLDS])
        left = np.arange(len(messages)) % FOLDS != fold
        beta, intercept = fitted(messages[left], questions[~out])
        scores[out] = questions[out] @ beta + intercept
        others[~left] = messages[~left] @ beta + intercept
    for alarms in ALARMS:
        least = float(np.quantile(scores, 1 - alarms))
        found = float((others >= least).mean())
        print(f"{alarms:.1%} of questions, {found:.0%} of messages: {least:.2f}", file=sys.stderr)


def main(rows: list[Any], messages: list[str]) -> None:
    """Print the weights as JSON."""
    asked, other = vectors_of([one["question"] for one in rows]), vectors_of(messages)
    tell(other, asked, np.array([one["document"] for one in rows]))
    beta, intercept = fitted(other, asked)
    fit = {
        "space": SPACE.revision,
        "intercept": round(intercept, DIGITS),
        "weights": [round(float(one), DIGITS) for one in beta],
    }
    print(json.dumps(fit))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lines = Path(sys.argv[1]).read_text().splitlines()
    told = [json.loads(line) for line in lines]
    main(told, MESSAGES.read_text().splitlines())
