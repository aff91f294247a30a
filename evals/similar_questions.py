# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
"""How often a question would be taken for another one, by its words and by nearness.

    python -m evals.similar_questions QUESTIONS.jsonl ...

Each question of the files is taken for that of a precedent, and each other one of the same company
for what is asked: matched if the words are the same, offered from a cosine on. That is wrong where
no passage answers both.
"""

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.agent.precedents import facts_of
from core.language.question_form import question_form

FROM = (0.98, 0.96, 0.94, 0.92, 0.9, 0.88, 0.85, 0.8)
SAMPLES = "samples"
"""The company of questions that name no document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A labelled question."""

    company: str
    text: str
    passages: frozenset[str]
    """What answers it; empty: nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A precedent's question, and another one that is asked."""

    cosine: float
    is_equal: bool
    is_right: bool


def read(paths: Sequence[str]) -> list[Asked]:
    """Return the questions that stand alone, by company."""
    texts = [Path(path).read_text(encoding="utf-8") for path in paths]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    found = [
        Asked(
            company=one.get("document", SAMPLES),
            text=one["question"],
            passages=frozenset(
                one["gold_quotes"]
                if "gold_quotes" in one
                else (f"{place['policy']}/{place['section']}" for place in one["gold"])
            ),
        )
        for one in lines
        if not one.get("thread")
    ]
    return sorted(found, key=lambda one: one.company)


def pairs(asked: Sequence[Asked], vectors: Any) -> Iterator[Pair]:
    """Yield the pairs of one company that are near, and agree in what must be the same."""
    cosines = vectors @ vectors.T
    for first, second in zip(*np.nonzero(cosines >= min(FROM)), strict=True):
        one, other = asked[first], asked[second]
        if first != second and one.passages and facts_of(one.text) == facts_of(other.text):
            yield Pair(
                cosine=float(cosines[first, second]),
                is_equal=question_form(one.text) == question_form(other.text),
                is_right=bool(one.passages & other.passages),
            )


def main() -> None:
    """Print how many pairs are matched and offered, and how many of them wrongly."""
    asked = read(sys.argv[1:])
    embedder = find_local_embedder(None)
    if not isinstance(embedder, LocalEmbedder):
        raise SystemExit(embedder.reason)
    vectors = np.asarray(asyncio.run(embedder.embed_documents([one.text for one in asked])))
    found: list[Pair] = []
    for _, group in groupby(range(len(asked)), key=lambda place: asked[place].company):
        places = list(group)
        found += pairs([asked[place] for place in places], vectors[places])
    print(f"{len(asked)} questions")
    tell("in the same words", [one for one in found if one.is_equal])
    for least in FROM:
        tell(
            f"from {least:.2f} on",
            [one for one in found if not one.is_equal and one.cosine >= least],
        )


def tell(name: str, found: Sequence[Pair]) -> None:
    """Print how many pairs there are, and how many are wrong."""
    print(f"{name}: {len(found)} pairs, {sum(not one.is_right for one in found)} wrong")


if __name__ == "__main__":
    main()
