"""Labels for a calibration, from a run of labelled questions."""

from pathlib import Path

from core.confidence.label import AnswerLabel, LabelSource
from core.measuring.figures import drafts
from core.measuring.results import read_run


def labels_of_run(path: Path, *, of_models: bool) -> list[AnswerLabel]:
    """Return a label for each answer and closest passage of a run that a calibration is for.

    Of the rules those are the ones that a reader read; answers from what is stored of a policy
    beside its text have no probability.

    Raises:
        UsageError: See `read_run`.
    """
    return [
        AnswerLabel(
            features=one.features,
            is_right=is_right,
            group=one.document or one.id,
            source=LabelSource.RUN,
        )
        for one, is_right in drafts(read_run(path).results)
        if ("judged_lowest" in one.features if of_models else one.features.get("read"))
        and one.reasoner.startswith("extractive/") is not of_models
    ]
