"""How properties are searched: the same examples in each ordinary run, many at random nightly.

What an ordinary run searches depends on the commit alone: not on earlier runs, on how quick the
machine is, on the version of Python, or on what else runs or is imported.
"""

import zlib
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, seed, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

NIGHTLY_FACTOR = 20
"""How many times as many examples as an ordinary run."""
_ORDINARY, _NIGHTLY = "ordinary", "nightly"
_MOST = 50
"""Examples of a property that does not say how many: each ordinary run tries the same ones."""


def load_profile(*, at_random: bool) -> None:
    """Say how this run searches, before any test is imported.

    Hypothesis also tries constants of whatever modules happen to be imported, and has no setting
    for that (6.170): an ordinary run tries none.
    """
    shared: dict[str, Any] = {
        "database": None,
        "deadline": None,
        "suppress_health_check": [HealthCheck.too_slow],
        "print_blob": True,
    }
    settings.register_profile(_ORDINARY, derandomize=True, max_examples=_MOST, **shared)
    settings.register_profile(_NIGHTLY, max_examples=_MOST * NIGHTLY_FACTOR, **shared)
    settings.load_profile(_NIGHTLY if at_random else _ORDINARY)
    if not at_random:
        providers._get_local_constants = Constants  # pyright: ignore[reportPrivateUsage]


def examples(
    most: int, *allowed: HealthCheck, nightly: int | None = None, steps: int = 50
) -> settings:
    """Search some examples in an ordinary run, and more nightly.

    Args:
        most: Examples, of which an ordinary run tries half: it tries the same ones each time.
        allowed: Health checks that are not made.
        nightly: Of a nightly run; None: `NIGHTLY_FACTOR` times as many.
        steps: Of each example of a state machine.
    """
    if settings.get_current_profile_name() == _NIGHTLY:
        most = nightly or most * NIGHTLY_FACTOR // 2
    else:
        most = (most + 1) // 2
    return settings(
        max_examples=most,
        suppress_health_check=[HealthCheck.too_slow, *allowed],
        stateful_step_count=steps,
    )


def always_alike(property_: Callable[..., object], *, name: str) -> None:
    """Search a property from a seed of its name.

    Hypothesis's own is a digest of the source, which differs between versions of Python.
    """
    seed(zlib.crc32(name.encode()))(property_)
