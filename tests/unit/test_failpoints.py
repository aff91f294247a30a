"""Failpoints: a no-op until armed, and then the end of the process."""

import subprocess
import sys

import pytest

from core import failpoints

KILL = "from core.failpoints import arm, failpoint; arm({!r}); failpoint('F4'); print('alive')"


def test_nothing_happens_where_none_is_armed() -> None:
    """The product pays a look into an empty list."""
    for name in failpoints.NAMES:
        failpoints.failpoint(name)


@pytest.mark.parametrize(("armed", "code"), [("F4", -9), ("F5", 0), (None, 0)])
def test_the_armed_one_kills_and_no_other(armed: str | None, code: int) -> None:
    """As `kill -9` does: no handler runs."""
    done = subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-c", KILL.format(armed)], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert ("alive" in done.stdout) is (code == 0)
