"""One thing that `citebound doctor` looked at."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a thing is."""

    FINE = "fine"
    MISSING = "missing"
    DOUBTFUL = "doubtful"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What one check found."""

    subject: str
    """What was looked at."""
    health: Status
    """`missing` things are optional, `doubtful` ones may be meant so; `broken` ones are neither."""
    found: str
    """What is there, in one line, without secrets."""
    cure: str = ""
    """What would help; empty if nothing is wrong."""
    is_default: bool = False
    """True of a setting that nobody has set."""
