"""How often a question would be taken for another one, by its words and by nearness.

    python -m evals.similar_questions QUESTIONS.jsonl ...

Each question of the files is taken for that of a precedent, and each other one of the same company
for what is asked: matched if the words are the same, offered from a cosine on. That is wrong where
no passage answers both.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.language.question_form import question_form
from evals.measuring.questions import LabelledQuestion, load_questions
from evals.near_questions import near_pairs

FROM = (0.98, 0.96, 0.94, 0.92, 0.9, 0.88, 0.85, 0.8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A precedent's question, and another one that is asked."""

    cosine: float
    is_equal: bool
    is_right: bool


def passages_of(asked: LabelledQuestion) -> frozenset[object]:
    """Return what answers a question; empty: nothing does."""
    return frozenset(asked.gold_quotes or asked.gold)


def main() -> None:
    """Print how many pairs are matched and offered, and how many of them wrongly."""
    asked = [
        question
        for path in sys.argv[1:]
        for question in load_questions(Path(path))
        if not question.thread
    ]
    found = [
        Pair(
            cosine=cosine,
            is_equal=question_form(one.question) == question_form(other.question),
            is_right=bool(passages_of(one) & passages_of(other)),
        )
        for first, second, cosine in near_pairs(asked, least=min(FROM))
        for one, other in ((first, second), (second, first))
        if passages_of(one)
    ]
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
