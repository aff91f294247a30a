"""Facts that a person judged, drawn by `python -m tests.evals.sample_facts`.

    python -m tests.evals.sample_facts policies/COMP-002* policies/google_code*

`judged_facts.jsonl` has a verdict for each: whether a strict reader finds it in the text as it is
read. The rules were written with such samples at hand, so that other documents fare worse.
"""

import json
from pathlib import Path

import pytest

from tests.evals.sample_facts import facts_of

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]

JUDGED = Path(__file__).with_name("judged_facts.jsonl")
RIGHT = 92
KEPT = 0.9


def test_at_least_92_of_100_judged_facts_are_right_and_still_read(shared: Path) -> None:
    judged = [json.loads(line) for line in JUDGED.read_text("utf-8").splitlines()]
    assert len(judged) == 100
    assert sum(one["right"] for one in judged) >= RIGHT
    now = {
        fact.id
        for name in {one["file"] for one in judged}
        for fact in facts_of(shared / "policies" / name)
    }
    right = [one["id"] for one in judged if one["right"]]
    kept = [one for one in right if one in now]
    assert len(kept) >= KEPT * len(right), "the rules changed: draw and judge anew"
