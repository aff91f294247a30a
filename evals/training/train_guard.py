"""Train a guard of statements further from a reader: which statements does a text bear out?

    python -m evals.training.train_guard READER STATEMENTS.jsonl ... TOKENIZER.json OUT.pt
        --documents WORK/docs.jsonl WORK/docs2.jsonl --minutes 35 [--device cpu] [--seed 1]

Statements as `citebound eval verify --pairs` takes them. See `statements` for what is drawn.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from evals.statements import load_statements
from evals.training.encoder import tokenizer_at
from evals.training.sampling import Choice
from evals.training.statements import StatementSampler, documents_at, sentences_of
from evals.training.train import WAVE, Stage, Training, run
from evals.training.written import HELD_OUT

STAGE = Stage(
    shares={},
    rate=1e-4,
    warm=50,
    keep=0.995,
    frozen=0,
    drops=True,
    weight_of_right=1.5,
    which=0.5,
)
"""Opposites lie near each other for a reader of questions: all layers must move."""


def drawn(sampler: StatementSampler) -> Iterator[Sequence[Choice]]:
    """Return steps without end."""
    while True:
        yield from sampler.steps(WAVE)


def main() -> None:
    """Train by the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", type=Path)
    parser.add_argument("statements", type=Path, nargs="+")
    for name in ("tokenizer", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--documents", type=Path, nargs="+", required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    first, *others = [documents_at(path) for path in given.documents]
    kept = [document for place, document in enumerate(first) if place not in HELD_OUT]
    sampler = StatementSampler(
        [one for path in given.statements for one in load_statements(path)],
        sentences_of([*kept, *(document for some in others for document in some)]),
        tokenizer_at(given.tokenizer),
        seed=given.seed,
    )
    torch.manual_seed(given.seed)
    training = Training(given.start, STAGE, given.device)
    run(training, drawn(sampler), minutes=given.minutes, out=given.out)


if __name__ == "__main__":
    main()
