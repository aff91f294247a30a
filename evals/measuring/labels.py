"""Labels for a calibration, from a run of labelled questions."""

from pathlib import Path

from core.confidence.label import AnswerLabel, LabelSource
from core.domain.errors import UsageError
from evals.measuring.figures import drafts
from evals.measuring.results import read_run


def labels_of_run(path: Path, *, of_models: bool) -> list[AnswerLabel]:
    """Return a label for each answer and closest passage of a run that a calibration is for.

    Of the rules those are the ones that a reader read; answers from what is stored of a policy
    beside its text have no probability.

    Raises:
        UsageError: See `read_run`; or questions of the run were drafted, and accepted by nobody.
    """
    run = read_run(path)
    if run.header.unreviewed:
        raise UsageError(
            f"{path}: {run.header.unreviewed} questions of this run were accepted by nobody: run"
            " those that `citebound eval questions export` writes"
        )
    return [
        AnswerLabel(
            features=one.features,
            is_right=is_right,
            group=one.document or one.id,
            source=LabelSource.RUN,
        )
        for one, is_right in drafts(run.results)
        if ("judged_lowest" in one.features if of_models else one.features.get("read"))
        and one.reasoner.startswith("extractive/") is not of_models
    ]
