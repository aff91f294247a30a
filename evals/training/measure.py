"""Measure a reader as the product runs it: which text, whether any, the order of hits, statements.

    python -m evals.training.measure PAIRS.json.gz
        [--model FOLDER] [--sets v o u] [--candidates 24] [--limit N]

Without `--model` the shipped reader. `--candidates` reads BM25's best so many and what is right of
each document, instead of all of it: some minutes instead of an hour. Figures of two readers compare
only at the same candidates. `--limit` takes the first N of each set.
"""

import argparse
import asyncio
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.adapters.local.onnx_model import Unavailable
from core.adapters.local.reader import LocalReader, find_local_reader
from evals.retrieval import RANKS, average_precision_at, recall_at
from evals.training.metrics import (
    Bm25,
    auroc,
    blended,
    interval,
    tpr_at,
)

WEIGHTS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.8)
DEPTHS = (12, 15, 20, 30)

Scores = Mapping[int, float]
"""Logits by the number of the pair."""


def chosen_pairs(held: Mapping[str, Any], candidates: int) -> dict[int, list[int]]:
    """Return the pairs that are read of each validation row, by its place; 0: all."""
    bm25 = Bm25(held["texts"])
    chosen: dict[int, list[int]] = {}
    for place, row in enumerate(held["sets"]["v"]):
        right, wrong = [*row["p"], *row["s"]], row["n"]
        if candidates:

            def by_words(number: int) -> float:
                asked, text = held["pairs"][number]
                return -bm25.score(held["asked"][asked], text)

            wrong = sorted(wrong, key=by_words)[:candidates]
        chosen[place] = [*right, *wrong]
    return chosen


async def scored(
    reader: LocalReader, held: Mapping[str, Any], numbers: Sequence[int]
) -> dict[int, float]:
    """Read pairs, question by question."""
    by_question: dict[int, list[int]] = {}
    for number in dict.fromkeys(numbers):
        by_question.setdefault(held["pairs"][number][0], []).append(number)
    found: dict[int, float] = {}
    for asked, pairs in by_question.items():
        texts = [held["texts"][held["pairs"][number][1]] for number in pairs]
        logits = await reader.scores(held["asked"][asked], texts)
        found.update(zip(pairs, logits, strict=True))
    return found


def validation_lines(
    rows: Sequence[Mapping[str, Any]], chosen: Mapping[int, list[int]], scores: Scores
) -> list[str]:
    """Return which text comes first, and whether the best one tells that something answers."""
    lines: list[str] = []
    for grain, name in (("s", "sentences"), ("p", "passages")):
        first, best, removed, none = [], [], [], []
        for place, row in enumerate(rows):
            if row["g"] != grain:
                continue
            wrong = max(scores[n] for n in chosen[place] if n in set(row["n"]))
            if row["none"]:
                none.append(wrong)
                continue
            right = {*row["p"], *row["s"]}
            top = max(chosen[place], key=lambda number: scores[number])
            first.append(float(top in right))
            best.append(scores[top])
            removed.append(wrong)
        if not first or not none:
            continue
        others = [*removed, *none]
        lines += [
            f"{name}: {len(first)} questions, {len(none)} that nothing answers",
            f"  right one first    {_with_interval([first], lambda a: float(np.mean(a)))}",
            f"  AUROC              {_with_interval([best, others], auroc)}",
            f"  TPR at 10 %        {_with_interval([best, others], tpr_at)}",
            f"  the same, against questions that nothing answers: AUROC {auroc(best, none):.3f},"
            f" TPR at 10 % {tpr_at(best, none):.3f}",
        ]
    return lines


def order_lines(rows: Sequence[Mapping[str, Any]], scores: Scores) -> list[str]:
    """Return recall@10 and MAP@10 of ObliQA, for several weights and depths of the blend."""
    if not rows:
        return []
    lines = [f"order of hits: {len(rows)} questions; weight, depth: recall@10, MAP@10"]
    for depth in DEPTHS:
        for weight in WEIGHTS:
            found = [_order_figures(row, scores, weight=weight, depth=depth) for row in rows]
            recall, precision = np.mean(found, axis=0)
            lines.append(f"  {weight:.1f}, {depth}: {recall:.3f}, {precision:.3f}")
    return lines


def _order_figures(
    row: Mapping[str, Any], scores: Scores, *, weight: float, depth: int
) -> tuple[float, float]:
    hits = row["hits"]
    order = blended([scores[hit["pair"]] for hit in hits], weight=weight, depth=depth)
    gold = {tuple(key) for key in row["gold"]}
    ranking = list(dict.fromkeys(tuple(hits[place]["k"]) for place in order))
    return recall_at(ranking, gold, RANKS), average_precision_at(ranking, gold, RANKS)


def statement_lines(rows: Sequence[Mapping[str, Any]], scores: Scores) -> list[str]:
    """Return how well supported statements are told from others, by kind, at 5 % false alarms."""
    good = [scores[row["pair"]] for row in rows if row["ok"]]
    bad: dict[str, list[float]] = {}
    for row in rows:
        if not row["ok"]:
            bad.setdefault(row["kind"], []).append(scores[row["pair"]])
    if not good or not bad:
        return []
    everything = [score for found in bad.values() for score in found]
    limit = float(np.quantile(good, 0.05))
    kinds = ", ".join(
        f"{kind} {np.mean(np.asarray(found) < limit):.2f} of {len(found)}"
        for kind, found in sorted(bad.items())
    )
    return [
        f"statements: {len(good)} supported, {len(everything)} not",
        f"  AUROC              {_with_interval([good, everything], auroc)}",
        f"  found at 5 % false alarms: {kinds}",
    ]


def _with_interval(samples: Sequence[Sequence[float]], measure: Any) -> str:
    low, high = interval(samples, measure)
    return f"{measure(*samples):.3f} [{low:.3f}, {high:.3f}]"


async def measure(
    pairs: Path, model: Path | None, *, sets: Sequence[str], candidates: int, limit: int | None
) -> None:
    """Read what is needed, and print the figures."""
    reader = find_local_reader(model)
    if isinstance(reader, Unavailable):
        raise SystemExit(reader.reason)
    with gzip.open(pairs, "rt") as file:
        held = json.load(file)
    held["sets"] = {name: held["sets"][name][:limit] if name in sets else [] for name in "vou"}
    rows, hits, statements = (held["sets"][name] for name in ("v", "o", "u"))
    chosen = chosen_pairs(held, candidates)
    numbers = [
        *(number for found in chosen.values() for number in found),
        *(hit["pair"] for row in hits for hit in row["hits"]),
        *(row["pair"] for row in statements),
    ]
    print(f"{reader.name}: {len(numbers)} pairs", flush=True)
    scores = await scored(reader, held, numbers)
    lines = [
        *validation_lines(rows, chosen, scores),
        *order_lines(hits, scores),
        *statement_lines(statements, scores),
    ]
    print("\n".join(lines))


def main() -> None:
    """Measure by the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--sets", nargs="+", choices=("v", "o", "u"), default=["v", "o", "u"])
    parser.add_argument("--candidates", type=int, default=24)
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    asyncio.run(
        measure(
            given.pairs,
            given.model,
            sets=given.sets,
            candidates=given.candidates,
            limit=given.limit,
        )
    )


if __name__ == "__main__":
    main()
