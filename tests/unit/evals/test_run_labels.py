"""Labels for a calibration are taken from a run, of what the calibration is for alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.confidence.label import LabelSource
from core.domain.errors import UsageError
from evals.measuring.labels import labels_of_run
from evals.measuring.results import QuestionResult, RunHeader, line_of

HEADER = RunHeader(
    questions="own.jsonl",
    questions_sha256="",
    corpus_sha256="",
    options={},
    settings={},
    versions={},
    code_sha256="",
    commit=None,
    started_at="2026-11-23T18:00:00Z",
)
RIGHT = QuestionResult(
    id="1",
    question="May I?",
    document="gifts.md",
    kind="document",
    difficulty=None,
    expected=("answered",),
    outcome="answered",
    passed=True,
    quoted=True,
    features={"read": 1.0, "whole": 0.6},
    reasoner="extractive/2",
)
CLOSEST = replace(RIGHT, id="2", outcome="refused", is_closest=True, quoted=False, passed=False)
OTHERS = (
    replace(RIGHT, id="3", features={"metadata": 1.0}),
    replace(RIGHT, id="4", outcome="clarification"),
    replace(RIGHT, id="5", features={"read": 0.0, "whole": 0.9}),
    replace(RIGHT, id="6", features={"judged_lowest": 0.9, "read": 1.0}, reasoner="claude/1"),
)


def test_answers_and_closest_passages_are_labels(tmp_path: Path) -> None:
    """Not what was asked back, read from metadata, found by words alone, or drafted by a model."""
    path = tmp_path / "run.jsonl"
    lines = [line_of(one) for one in (HEADER, RIGHT, CLOSEST, *OTHERS)]
    path.write_text("\n".join(lines) + "\n")
    labels = labels_of_run(path, of_models=False)
    assert [(one.is_right, one.group, one.source, one.weight) for one in labels] == [
        (True, "gifts.md", LabelSource.RUN, 1.0),
        (False, "gifts.md", LabelSource.RUN, 1.0),
    ]
    (of_models,) = labels_of_run(path, of_models=True)
    assert of_models.features["judged_lowest"] == 0.9


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    """With file and line."""
    path = tmp_path / "run.jsonl"
    path.write_text('{"id": 1}\n')
    with pytest.raises(UsageError, match=r"run\.jsonl:1"):
        labels_of_run(path, of_models=False)


def test_a_run_of_drafts_gives_no_labels(tmp_path: Path) -> None:
    """What nobody accepted counts for nothing, the badge least of all."""
    path = tmp_path / "run.jsonl"
    header = replace(HEADER, unreviewed=1)
    path.write_text("".join(f"{line_of(one)}\n" for one in (header, RIGHT)))
    with pytest.raises(UsageError, match="1 questions of this run were accepted by nobody"):
        labels_of_run(path, of_models=False)
