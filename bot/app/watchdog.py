"""End a process whose event loop is blocked: it looks alive, and does nothing any more.

Its port takes requests that nobody answers, and its connections stay open. Other processes take
over its work once the leases expire; its supervisor sees the exit code and starts it again.

A thread pings the loop once a second and counts the pings that were not answered. It counts and
does not measure time, so that nothing is counted while the machine sleeps or the process is
suspended. A busy loop answers late, but answers.
"""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

STILL_AFTER_S = 20.0
"""As long as a lease: by then other processes continue the work."""
EXIT_STILL = 6
ASKED_EVERY_S = 1.0
ASKED_AT_LEAST = 10
"""Pings, where a test waits for less."""
SIGNALS = 10
"""Signals a ping, by processor time: fewer where the processor is shared."""
TOLD_WITHIN_S = 1.0
"""What the log line may take: it must not delay the end if it is the log that blocks."""
PLACES = 5
"""Stack frames that the log line names."""

logger = logging.getLogger(__name__)


@contextmanager
def watched(still_after_s: float = STILL_AFTER_S) -> Generator[None]:
    """Watch the running loop until the block ends. In the main thread alone.

    The process is ended where the loop waits in a call, runs in Python or in a regular expression.
    Other code in C that keeps the interpreter to itself for all that time is not noticed: Python
    itself then stands still, this thread included.
    """
    every_s = min(ASKED_EVERY_S, still_after_s / ASKED_AT_LEAST)
    over = threading.Event()
    watch = _Watch(asyncio.get_running_loop(), over, every_s, round(still_after_s / every_s))
    thread = threading.Thread(target=watch.run, name="watchdog", daemon=True)
    # A regular expression doesn't let other threads run, but looks for signals, and a handler does.
    # By processor time: who waits is not woken. The handler stays, as a signal may be on its way.
    signal.signal(signal.SIGPROF, _let_others_run)
    signal.setitimer(signal.ITIMER_PROF, every_s / SIGNALS, every_s / SIGNALS)
    thread.start()
    try:
        yield
    finally:
        over.set()
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        thread.join()


def _let_others_run(_signal: int, _frame: FrameType | None) -> None:
    """Do nothing: the interpreter hands itself over where a function begins."""


@dataclass(frozen=True, slots=True)
class _Watch:
    """The thread's own."""

    loop: asyncio.AbstractEventLoop
    over: threading.Event
    every_s: float
    times: int
    """The process is ended after so many missed pings."""
    _thread: int = field(default_factory=threading.get_ident, init=False)
    _answered: threading.Event = field(default_factory=threading.Event, init=False)

    def run(self) -> None:
        """Ask until the end."""
        missed = 0
        self._answered.set()
        while not self.over.wait(self.every_s):
            if self._answered.is_set():
                missed = 0
                self._answered.clear()
                with suppress(RuntimeError):  # the loop is closed: this is over at any moment
                    self.loop.call_soon_threadsafe(self._answered.set)
                continue
            missed += 1
            if missed >= self.times:
                self._end()

    def _end(self) -> None:
        words = (
            "the event loop has been blocked for %.0f s, so the process exits; it was blocked at %s"
        )
        told = (words, self.times * self.every_s, self._place())
        telling = threading.Thread(target=logger.critical, args=told, daemon=True)
        telling.start()
        telling.join(TOLD_WITHIN_S)
        os._exit(EXIT_STILL)

    def _place(self) -> str:
        """Return where in the code the loop is, the innermost first: names and lines, no values."""
        # Documented, whatever its name says, and there is no other way.
        frame = sys._current_frames().get(self._thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        places: list[str] = []
        while frame is not None and len(places) < PLACES:
            places.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}")
            frame = frame.f_back
        return " < ".join(places)
