"""One thing that `citebound doctor` looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

NAMED = 5
"""Members that are named where there may be many."""


class Health(StrEnum):
    """How a thing is."""

    FINE = "fine"
    MISSING = "missing"
    DOUBTFUL = "doubtful"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found."""

    subject: str
    """What was looked at."""
    health: Health
    """`missing` things are optional, `doubtful` ones may be meant so; `broken` ones are neither."""
    found: str
    """What is there, in one line, without secrets."""
    cure: str = ""
    """What would help; empty if nothing is wrong."""
    is_default: bool = False
    """True of a setting that nobody has set."""


def private_case_channel(subject: str, *, members: int, strange: Sequence[str]) -> Finding:
    """Return what is to be said of a private channel in which every case is shown.

    Args:
        subject: What the finding is called.
        members: How many people read it.
        strange: Those of them who are no officers.
    """
    if strange:
        named = ", ".join(strange[:NAMED]) + (", …" if len(strange) > NAMED else "")
        found = f"private; {len(strange)} of its members are no officers: {named}"
        cure = "they read every card: take them out, or name them in CITEBOUND_OFFICERS"
        return Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=cure)
    found = f"private; its members are officers: {members}"
    return Finding(subject=subject, health=Health.FINE, found=found)
