"""Every call that was made, in order."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.servers.slack.wire import Json


@dataclass(slots=True, kw_only=True)
class Entry:
    """One call of the Web API."""

    method: str
    at: float
    """Virtual time."""
    args: Json = field(default_factory=dict)
    token: str = ""
    user_agent: str = ""
    outcome: str = "unfinished"
    """`ok`, Slack's error, or what went wrong on demand: `dropped`, `dropped after`, `503`."""
    was_done: bool = False
    """The workspace changed, whatever the caller heard."""
    result: Json = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    """Arguments that the method never looked at."""


@dataclass(slots=True)
class Journal:
    """What was called."""

    entries: list[Entry] = field(default_factory=list[Entry])

    def of(self, *methods: str, outcome: str | None = None) -> list[Entry]:
        """Return the calls of some methods, or of all."""
        return [
            entry
            for entry in self.entries
            if (not methods or entry.method in methods) and outcome in {None, entry.outcome}
        ]

    def methods(self) -> list[str]:
        """Return the names of what was called, in order."""
        return [entry.method for entry in self.entries]

    async def wait_for(
        self, method: str, *, times: int = 1, outcome: str | None = None, timeout_s: float = 30.0
    ) -> list[Entry]:
        """Wait until a method has been called that often.

        Raises:
            AssertionError: It was not; with what was called instead.
        """
        await until(
            lambda: len(self._finished(method, outcome)) >= times,
            timeout_s=timeout_s,
            otherwise=lambda: f"expected {times} x {method}, got {self.methods()}",
        )
        return self._finished(method, outcome)

    def _finished(self, method: str, outcome: str | None) -> list[Entry]:
        return [one for one in self.of(method, outcome=outcome) if one.outcome != "unfinished"]

    def report(self) -> str:
        """Return a line for each call."""
        return "\n".join(f"{one.at:.2f} {one.method}: {one.outcome}" for one in self.entries)


async def until(
    holds: Callable[[], bool],
    *,
    timeout_s: float = 30.0,
    otherwise: Callable[[], str] = lambda: "it did not come true",
) -> None:
    """Wait, in our seconds, until something holds.

    Raises:
        AssertionError: It does not.
    """
    end = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end, otherwise()
        await asyncio.sleep(0.005)
