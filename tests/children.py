"""Processes that a test starts and looks at while they run."""

from collections.abc import Generator
from contextlib import contextmanager
from subprocess import Popen
from typing import AnyStr


@contextmanager
def watched(process: Popen[AnyStr]) -> Generator[Popen[AnyStr]]:
    """Yield a process that a failure kills; `with Popen(...)` alone waits for its end, for ever."""
    with process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
