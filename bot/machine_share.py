"""How many questions are answered side by side: as many as the machine gets through in time.

What a question costs is the time that it would take alone: of each second, its share among those
in progress, as fair queueing counts it (Parekh and Gallager, 1993). Waiting for a language model
costs the machine nothing. So many are answered side by side as take half their deadline together;
before anything is measured, as many as there are slots.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field

from core.domain.errors import StarvedError
from core.ports import Clock

PART = 0.5
"""Of a deadline, for what questions cost: they differ, and others may use the machine."""
NEWEST = 0.3
"""What the newest question counts among those before it."""
UNBOUNDED = 1_000_000


@dataclass(slots=True)
class MeasuredQuestion:
    """One question in progress."""

    began_s: float
    """By the monotonic clock."""
    alone_s: float
    """See `MachineShare`: when it began."""
    idle_s: float = 0.0
    """Seconds of it in which it waited for language models; whoever answers it says so."""


@dataclass(eq=False)
class MachineShare:
    """Measures questions of one process."""

    clock: Clock
    _: KW_ONLY
    deadline_s: float
    """What a question may take."""
    _cost_s: float | None = field(default=None, init=False)
    busy: int = field(default=0, init=False)
    """Questions in progress."""
    """Questions in progress."""
    _alone_s: float = field(default=0.0, init=False)
    """What a question that was always in progress would have had of the machine."""
    _seen_s: float = field(default=0.0, init=False)

    def slots(self) -> int:
        """Say how many questions to answer side by side: 1 or more."""
        if not self._cost_s:
            return UNBOUNDED
        return max(1, int(PART * self.deadline_s / self._cost_s))

    @contextmanager
    def question(self) -> Generator[MeasuredQuestion]:
        """Measure one; one that the machine kept beyond its deadline costs what it had until then.

        Nothing is learnt from one that broke.
        """
        question = MeasuredQuestion(began_s=self.clock.monotonic_s(), alone_s=self._counted(1))
        try:
            yield question
        except StarvedError:
            self._learn(question)
            raise
        else:
            self._learn(question)
        finally:
            self._counted(-1)

    def _counted(self, more: int) -> float:
        """Share out the time since the last look, and count so many more."""
        now_s = self.clock.monotonic_s()
        self._alone_s += (now_s - self._seen_s) / max(1, self.busy)
        self._seen_s, self.busy = now_s, self.busy + more
        return self._alone_s

    def _learn(self, question: MeasuredQuestion) -> None:
        took_s = self.clock.monotonic_s() - question.began_s
        working = max(0.0, 1 - question.idle_s / took_s) if took_s else 0.0
        cost_s = working * (self._counted(0) - question.alone_s)
        before_s = cost_s if self._cost_s is None else self._cost_s
        self._cost_s = NEWEST * cost_s + (1 - NEWEST) * before_s
