"""What goes wrong on demand."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from tests.servers.slack.wire import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong with one call."""

    delay_s: float = 0.0
    """Our seconds before anything happens."""
    status: int | None = None
    """Answer with this HTTP status; nothing is done."""
    headers: tuple[tuple[str, str], ...] = ()
    body: str | Json = ""
    """With `status`: the body of the answer."""
    drop_before: bool = False
    """Cut the connection; nothing is done."""
    drop_after: bool = False
    """Do it, then cut the connection instead of answering."""
    garble: bool = False
    """Do it, then answer with half of the JSON."""
    delay_answer_s: float = 0.0
    """Do it, then wait our seconds before answering."""
    error: str | None = None
    """Answer `ok: false` with this error; nothing is done."""


def error(code: str) -> Fault:
    """Refuse as Slack does."""
    return Fault(error=code)


def status(code: int, body: str | Json = "") -> Fault:
    """Answer with an HTTP status, as something between us and Slack does."""
    return Fault(status=code, body=body)


def too_many(retry_after_s: int = 1) -> Fault:
    """Answer 429."""
    return Fault(
        status=429,
        headers=(("Retry-After", str(retry_after_s)),),
        body={"ok": False, "error": "ratelimited"},
    )


def lost() -> Fault:
    """Cut the connection before anything is done."""
    return Fault(drop_before=True)


def processed_then_reset() -> Fault:
    """Do what was asked, and cut the connection before the answer."""
    return Fault(drop_after=True)


def garbled() -> Fault:
    """Do what was asked, and answer with half of the JSON."""
    return Fault(garble=True)


def slow(seconds: float) -> Fault:
    """Do what was asked after a while, in our seconds."""
    return Fault(delay_s=seconds)


def slow_answer(seconds: float) -> Fault:
    """Do what was asked, and answer only after a while."""
    return Fault(delay_answer_s=seconds)


@dataclass(slots=True)
class Faults:
    """What waits to go wrong, method by method."""

    _once: dict[str, deque[Fault | None]] = field(default_factory=dict[str, "deque[Fault | None]"])
    _always: dict[str, Fault] = field(default_factory=dict[str, Fault])
    _in_channel: dict[tuple[str, str], Fault] = field(default_factory=dict[tuple[str, str], Fault])
    _later: dict[int, Fault] = field(default_factory=dict[int, Fault])
    _calls: int = 0
    absent: dict[str, int] = field(default_factory=dict[str, int])
    """Methods that this Slack does not have, with the HTTP status that says so."""

    def next(self, method: str, *faults: Fault | None) -> None:
        """Let the next calls go wrong one after the other; None lets one through."""
        self._once.setdefault(method, deque()).extend(faults)

    def always(self, method: str, fault: Fault) -> None:
        """Let every call go wrong that `next` leaves; `*` is any method."""
        self._always[method] = fault

    def in_channel(self, method: str, channel: str, fault: Fault) -> None:
        """Let every call of a method that names this channel go wrong."""
        self._in_channel[method, channel] = fault

    def at_call(self, number: int, fault: Fault) -> None:
        """Let the call of this number go wrong, of whatever method, counted from now, from 1."""
        self._later = {self._calls + number: fault}

    def heal(self, *methods: str) -> None:
        """Forget all faults, or those of some methods."""
        for method in methods or (*self._once, *self._always, *self.absent):
            self._once.pop(method, None)
            self._always.pop(method, None)
            self.absent.pop(method, None)
            for key in [one for one in self._in_channel if one[0] == method]:
                del self._in_channel[key]

    def without(self, *methods: str, status: int = 200) -> None:
        """Take methods away: `unknown_method`, with 200 as Slack or 404 as other servers."""
        self.absent |= dict.fromkeys(methods, status)

    def take(self, method: str) -> Fault | None:
        """Return what goes wrong with this call."""
        self._calls += 1
        if self._calls in self._later:
            return self._later.pop(self._calls)
        waiting: deque[Any] = self._once.get(method, deque())
        if waiting:
            return waiting.popleft()
        return self._always.get(method) or self._always.get("*")

    def of_channel(self, method: str, channel: object) -> Fault | None:
        """Return what goes wrong with this call because of its channel."""
        return self._in_channel.get((method, str(channel)))
