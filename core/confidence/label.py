"""What somebody found of an answer: whether it was right, with the features of its run. No text."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

OWN_LABELS = 200
"""Labels of a deployment from which on it may have a calibration of its own: with fewer, the error
of 5 % that a badge is to promise could not be told from one of 10 %."""


class LabelSource(StrEnum):
    """Who said whether an answer is right."""

    RUN = "run"
    """A labelled question set: the quotes are compared with those of the label."""
    PRESS = "press"
    """The asker, below a closest passage: "This answers it", or not."""
    VERDICT = "verdict"
    """An officer who reviewed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLabel:
    """One answer, or closest passage, and whether it was right."""

    features: Mapping[str, float]
    """Those of its run, by name; see `core.confidence.calibration.features_of`."""
    is_right: bool
    """True: it answers the question, and all of what it says is so."""
    group: str
    """The document or conversation: all labels of one are held out together."""
    source: LabelSource
    """Who said so."""
    weight: float = 1.0
    """How many answers it stands for: one divided by the probability with which it was chosen."""
