"""Facts that a person judged, drawn by `python -m tests.evals.sample_facts`.

    python -m tests.evals.sample_facts policies/COMP-002* policies/google_code*
    python -m tests.evals.sample_facts policies/LEG-001* policies/boeing* --each 30 --seed 7
    python -m tests.evals.sample_facts workplace/documents/civicactions/health-safety* \\
        workplace/documents/catalyzeio/12-breach* --each 50 --seed 2026

Each has a verdict of a strict reader who knows nothing of the program: whether the text says so as
it is read. The rules were developed with these documents at hand. What was wrong in these samples
was mended in part afterwards, so that some of what is listed as wrong is no longer read.

`judged_facts_blind.jsonl` has the verdicts on 49 documents that nobody had seen, each by two
readers, of the rules as they were before that document was read; see `docs/quality.md`.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.evals.sample_facts import facts_of

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]

KEPT = 0.9


@pytest.mark.parametrize(
    ("name", "drawn", "right"),
    [
        ("judged_facts", 100, 99),
        ("judged_facts_unseen", 60, 59),
        ("judged_facts_workplace", 84, 82),
    ],
)
def test_judged_facts_are_right_and_still_read(
    shared: Path, name: str, drawn: int, right: int
) -> None:
    file = Path(__file__).with_name(f"{name}.jsonl")
    judged = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(judged) == drawn
    assert sum(one["right"] for one in judged) >= right
    now = {fact.id for name in {one["file"] for one in judged} for fact in facts_of(shared / name)}
    found = [one["id"] for one in judged if one["right"]]
    kept = [one for one in found if one in now]
    assert len(kept) >= KEPT * len(found), "the rules changed: draw and judge anew"


def test_facts_of_documents_that_nobody_had_seen_are_those_that_the_pages_tell() -> None:
    file = Path(__file__).with_name("judged_facts_blind.jsonl")
    judged = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    right = Counter(one["round"] for one in judged if one["right"])
    drawn = Counter(one["round"] for one in judged)
    page = (Path(__file__).parents[3] / "docs/quality.md").read_text("utf-8")
    for name in "abcdefghijklmnopqrstuvwxy":
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {name} |"))
        assert row.endswith(f"| {right[name]} of {drawn[name]} |")
