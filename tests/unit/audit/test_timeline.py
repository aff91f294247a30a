"""A record's time lies within the signed times of the checkpoints around it, give or take 60 s."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from core.audit.canonical import canonical, instant, leaf_hash
from core.audit.checkpoint import Checkpoint, SealedCheckpoint
from core.audit.timeline import Timeline
from core.audit.verification import ProblemClass, ProblemLog, check_leaves

BEGAN_S = 1_700_000_000


def checkpoint(size: int, at: int, *, generation: int = 1) -> SealedCheckpoint:
    origin = f"test/audit/{generation}"
    return SealedCheckpoint(
        checkpoint=Checkpoint(origin=origin, size=size, root=bytes(32)),
        signed_at=BEGAN_S + at,
        signers=(),
    )


def misdated(
    sealed: list[SealedCheckpoint], times: Sequence[float], *, start: int = 0
) -> list[int]:
    """Return the places of records, by the seconds at which they say they were written."""
    log = ProblemLog()
    first = max(start - 1, 0)
    written = [instant(datetime.fromtimestamp(BEGAN_S + at, UTC)) for at in times]
    leaves = [(place, str(place), at) for place, at in enumerate(written)]
    Timeline(sealed, log).add(leaves[first:], start=start)
    assert {problem.kind for problem in log.problems} <= {ProblemClass.RECORD_MISDATED}
    return [problem.leaf for problem in log.problems if problem.leaf is not None]


@pytest.mark.parametrize("start", [0, 2])
def test_what_lies_outside_is_named(start: int) -> None:
    """Before the checkpoint that lacks it, or after the one that has it; a minute is allowed."""
    sealed = [checkpoint(2, 1_000), checkpoint(6, 2_000)]
    times = [900, 999, 1_000 - 62, 1_500, 2_059, 2_061]
    assert misdated(sealed, times, start=start) == [2, 5]


def test_what_was_sealed_late_is_intact() -> None:
    """After a pause several checkpoints follow at once: their records are older than they are."""
    sealed = [checkpoint(1, 0), checkpoint(3, 90_000), checkpoint(5, 90_001)]
    assert misdated(sealed, [-1, 10, 20_000, 20_001, 50_000]) == []
    assert misdated(sealed, [-1, 10, 20_000, 19_000, 50_000]) == [3]


def test_a_generation_begins_a_line_of_time() -> None:
    """Whose first checkpoint covers what was written by the clock that had run ahead, and after."""
    ahead = [checkpoint(1, 10_000)]
    again = [checkpoint(3, 100, generation=2), checkpoint(5, 200, generation=2)]
    assert misdated([*ahead, *again], [10_000, 10_002, 50, 150, 10]) == [4]
    same = [checkpoint(1, 10_000), checkpoint(3, 10_100, generation=2)]
    assert misdated([*same], [10_000, 10_002, 50]) == [2]


def test_a_record_without_a_time_is_named() -> None:
    """Of another form, it could be any."""
    for at in (None, "", 7, "2026-01-01", "2026-01-01T00:00:00.000000+00", "9" * 8_000):
        data = canonical({"at": at})
        own, log = leaf_hash(data), ProblemLog()
        checked = check_leaves([(0, "record", own, data, own)])
        Timeline([checkpoint(1, 0)], log).add(checked.times)
        assert (checked.problems, log.count) == ([], 1)
