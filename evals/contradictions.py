"""How often two right answers would be reported as a contradiction, and what is found by that.

    python -m evals.contradictions RUN.jsonl ... [--from 0.92]

A run is one of `citebound eval run`. Two questions of one company that are as near as that, and
agree in what must be the same, count as one question in two wordings, and their answers are held
against each other. An alarm is false where both answers are right.
"""

import argparse
from collections import Counter
from pathlib import Path

from core.agent.precedents import SIMILAR_FROM
from core.domain.json_value import JsonObject
from core.replay.contradiction import contradiction
from evals.measuring.results import QuestionResult, read_run
from evals.near_questions import near_pairs


def as_answer(one: QuestionResult) -> JsonObject:
    """Return what a contradiction is sought in; all quotes count as of one policy."""
    return {
        "outcome": one.outcome,
        "answer": one.text,
        "citations": [{"policy": one.document or "", "quote": quote} for quote in one.quotes],
    }


def main() -> None:
    """Print how many pairs contradict each other, by kind, and how many of those are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--from", dest="least", type=float, default=SIMILAR_FROM)
    given = parser.parse_args()
    results = [one for path in given.runs for one in read_run(path).results if one.was_asked]
    all_pairs, alarms, false = 0, Counter[str](), Counter[str]()
    for one, other, _ in near_pairs(results, least=given.least):
        all_pairs += 1
        found = contradiction(as_answer(one), as_answer(other))
        if found is None:
            continue
        alarms[found.kind] += 1
        false[found.kind] += one.passed and other.passed
        print(f"{found.kind}: {one.id} {one.question!r} ({'right' if one.passed else 'wrong'})")
        print(f"    {other.id} {other.question!r} ({'right' if other.passed else 'wrong'})")
    print(f"{len(results)} questions, {all_pairs} pairs from {given.least} on")
    for kind, count in alarms.items():
        print(f"{kind}: {count} alarms, {false[kind]} of them false: both are right")


if __name__ == "__main__":
    main()
