"""The labels of the sample questions hold against the sample policies."""

import subprocess
import sys
from pathlib import Path

from evals.measuring.questions import load_questions

SAMPLES = Path(__file__).parents[3] / "samples"


def test_every_label_is_in_the_policies() -> None:
    """Each gold section exists for the asker and holds its quotes; no question is in two sets."""
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, SAMPLES / "check.py"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "samples are in order")


def test_there_is_enough_to_measure() -> None:
    """The test set is large, and some of its questions follow others."""
    questions = load_questions(SAMPLES / "questions" / "test.jsonl")
    assert len(questions) >= 150
    assert sum(bool(one.thread) for one in questions) >= 10
    dialogues = load_questions(SAMPLES / "questions" / "dialogues.jsonl")
    assert len(dialogues) >= 25
    assert all("outcome" not in turn for one in dialogues for turn in one.thread)
