"""How far one run may go, and when the turn of a question comes.

There are never more turns than so many within any stretch of time. They are kept as the instants
of the last ones, not as a bucket's level: a bucket that holds N and is filled again at N per
stretch lets almost 2 N through within one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

ANSWERED_AT_A_TIME = 8
"""Questions of one process, at most: fewer while the machine is too slow for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """Bounds and thresholds of one run."""

    gate_threshold: float = 0.85
    """Reported confidence from which the ontology suffices."""
    relevance_threshold: float = 0.3
    """Relevance below which nothing counts as found."""
    retrieval_depth: int = 5
    """Chunks handed over at the first attempt."""
    retry_depth: int = 8
    """Chunks handed over at a retry."""
    wide_depth: int = 24
    """Chunks that the rules are given at each attempt: they choose among them by themselves."""
    neighbours: int = 7
    """Cross-referenced chunks added at most."""
    max_attempts: int = 2
    """Drafts at most."""
    max_clarifications: int = 2
    """Questions back at most, one after the other."""
    steps: int = 6
    """Turns of the reasoner at most."""
    tool_calls: int = 12
    """Calls of tools at most."""
    looks: int = 6
    """Searches and readings of passages that a language model may ask for; they are among the tool
    calls, and each is a retrieval round."""
    model_calls: int = 8
    """Calls of a language model at most, repetitions after an error aside."""
    output_tokens: int = 16_000
    """Tokens that language models may write in all, thinking included."""
    deadline_s: float = 45.0
    """Seconds for the whole run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimit:
    """At most `times` turns within any `within_s` seconds."""

    times: int
    """1 or more."""
    within_s: float
    """Seconds; 0: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """How many questions are begun; whatever exceeds them waits, and nothing is dropped.

    The figure of a channel allows for several people who ask as fast as they may.
    """

    asker: TurnLimit = TurnLimit(times=10, within_s=600.0)
    """Of one person, wherever they ask."""
    channel: TurnLimit = TurnLimit(times=60, within_s=600.0)
    """In one channel, whoever asks."""
    conversation: TurnLimit = TurnLimit(times=5, within_s=60.0)
    """In one thread: two machines that answer each other are slow, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingLimits:
    """How many questions may wait; whatever exceeds them is not taken, and its asker is told.

    Replies to a question back and reports of misconduct are not counted, and always taken.
    """

    asker: int = 20
    """Of one person, wherever they ask: twice what is begun within ten minutes."""
    all: int = 2_000
    """Of all people."""


REPORTS_AHEAD = 5
"""Reports of one person that overtake what waits. Further ones are taken, and answered in line:
else whoever sends them by the hundred would keep all others waiting."""
FULL_FOR_S = 600.0
"""When to ask again where too many of all people wait: nobody can tell, so not at once."""
NOTICES = TurnLimit(times=10, within_s=600.0)
"""Of one person: how often they are told that they wait. A flood is not answered with another."""


def free_at(taken: Sequence[datetime], limit: TurnLimit, *, now: datetime) -> datetime:
    """Return when the next turn is free: `now`, or later; `taken` are the last ones, in order."""
    if len(taken) < limit.times:
        return now
    return max(now, taken[-limit.times] + timedelta(seconds=limit.within_s))


def with_one_more(
    taken: Sequence[datetime], limit: TurnLimit, *, at: datetime
) -> tuple[datetime, ...]:
    """Return the last turns with a new one: as many as the limit needs to be kept."""
    return (*taken, at)[-limit.times :]


def ask_again_at(
    taken: Sequence[datetime], limit: TurnLimit, *, now: datetime, all_are_full: bool
) -> datetime:
    """Return when somebody whose question was not taken can ask again, at a full minute.

    With the next turn one of theirs is begun, and a minute later it no longer waits. `taken` are
    their last turns, in order.
    """
    at = now + timedelta(seconds=FULL_FOR_S) if all_are_full else free_at(taken, limit, now=now)
    return at.replace(second=0, microsecond=0) + timedelta(minutes=2)
