"""How long questions would wait in fleets that can't be measured here: a simulation.

    python -m tests.evals.fleet_simulation [--python-ms P] [--reader-ms R] [--postgres-ms D]

A discrete-event simulation. Questions arrive at random (Poisson), and a process takes the oldest
as soon as it has a slot free. A question is `ROUNDS` turns of Python, which needs its process's
event loop, and of Postgres; the reader's work comes in between, in two threads. Each step takes a
core of its machine for its processor time, first come, first served: nothing is waited for but
cores, the loop and slots, neither networks nor disks. The times of a question are the processor
times that `bench_scale processes` measures.

It prints the waits on the machine that is measured, to be compared with what was, and then, for
each fleet, the highest rate at which nine of ten questions are answered within a second.
"""

import argparse
import heapq
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import chain
from random import Random
from statistics import quantiles

ROUNDS = 6
"""Turns of Python and Postgres: statements follow each other, each on what the last one found."""
PIECE_S = 0.02
"""Of the reader's work: eight pairs or so, after which others have a core (`PAIRS_A_TURN`)."""
SLOTS = 4
"""Questions that a process answers at the same time."""
WITHIN_S = 1.0
FOR_S = 120.0
FLEETS = ((1, 2), (4, 4), (8, 4), (16, 8), (32, 16), (64, 32))
"""Machines of two cores with a process each, and cores of Postgres."""


class Cores:
    """Cores, or anything else that so many steps have at a time."""

    def __init__(self, count: int) -> None:
        self.free = count
        self.waiting: deque[Callable[[], None]] = deque()


Step = tuple[Cores, float] | Cores | list["Iterator[Step]"]
"""What to take and for how many seconds; `Cores` alone are taken until they are given back; a list
of steps that are done side by side."""


class Simulation:
    """Steps of all questions in the order of time."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0

    def at(self, time_s: float, then: Callable[[], None]) -> None:
        """Do something at a time."""
        self._count += 1
        heapq.heappush(self._due, (time_s, self._count, then))

    def take(self, cores: Cores, then: Callable[[], None]) -> None:
        """Take one of them, now or when those that came before have gone."""
        if cores.free:
            cores.free -= 1
            then()
        else:
            cores.waiting.append(then)

    def give_back(self, cores: Cores) -> None:
        """Let the next one have it."""
        if cores.waiting:
            self.at(self.now_s, cores.waiting.popleft())
        else:
            cores.free += 1

    def follow(self, steps: Iterator[Step]) -> None:
        """Do one step after the other."""
        step = next(steps, None)
        if step is None:
            return
        if isinstance(step, Cores):
            self.take(step, lambda: self.follow(steps))
            return
        if isinstance(step, list):
            joined = self._joined(len(step), steps)
            for branch in step:
                self.follow(chain(branch, joined()))
            return
        cores, lasts_s = step

        def done() -> None:
            self.give_back(cores)
            self.follow(steps)

        self.take(cores, lambda: self.at(self.now_s + lasts_s, done))

    def _joined(self, count: int, steps: Iterator[Step]) -> Callable[[], Generator[Step]]:
        """Return what each of several ends with: after the last one, the steps go on."""
        left = [count]

        def join() -> Generator[Step]:
            left[0] -= 1
            if not left[0]:
                self.follow(steps)
            yield from ()

        return join

    def run(self) -> None:
        """Go on until nothing is left."""
        while self._due:
            self.now_s, _, then = heapq.heappop(self._due)
            then()


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Processor time of one question, in seconds."""

    python_s: float
    reader_s: float
    postgres_s: float


def waits(
    rate: float, machines: int, postgres_cores: int, costs: Costs, *, shares_cores: bool = False
) -> list[float]:
    """Return how long each question took, in seconds, in the order of answering.

    Args:
        rate: questions a second.
        machines: of two cores, with one process each.
        postgres_cores: of the database's server.
        costs: of a question.
        shares_cores: the database is on the one machine, as in what is measured.
    """
    here, chance = Simulation(), Random(7)  # noqa: S311  # arrivals, no secrets
    took: list[float] = []
    slots = Cores(machines * SLOTS)
    fleet = [(Cores(2), Cores(1)) for _ in range(machines)]
    database = fleet[0][0] if shares_cores else Cores(postgres_cores)
    underway = [0] * machines

    def read(cores: Cores, left_s: float) -> Generator[Step]:
        while left_s > 0:
            yield cores, min(PIECE_S, left_s)
            left_s -= PIECE_S

    def question(arrived_s: float) -> Generator[Step]:
        yield slots
        number = min(range(machines), key=underway.__getitem__)
        underway[number] += 1
        cores, loop = fleet[number]
        for turn in range(ROUNDS):
            yield loop
            yield cores, costs.python_s / ROUNDS * chance.uniform(0.7, 1.3)
            here.give_back(loop)
            yield database, costs.postgres_s / ROUNDS * chance.uniform(0.7, 1.3)
            if turn == ROUNDS // 2:
                half_s = costs.reader_s * chance.uniform(0.5, 1.5) / 2
                yield [read(cores, half_s), read(cores, half_s)]
        underway[number] -= 1
        here.give_back(slots)
        took.append(here.now_s - arrived_s)

    def arrive(at_s: float) -> None:
        here.at(at_s, lambda: here.follow(question(at_s)))

    at_s = chance.expovariate(rate)
    while at_s < FOR_S:
        arrive(at_s)
        at_s += chance.expovariate(rate)
    here.run()
    return took


def p90(took_s: list[float]) -> float:
    """Return what nine of ten take at most."""
    return quantiles(took_s, n=10)[-1]


def highest_rate(machines: int, postgres_cores: int, costs: Costs) -> float:
    """Return the highest rate at which `p90` is within `WITHIN_S`, to 5 %."""
    least, most = 0.5, 40.0 * machines
    while most > least * 1.05:
        middle = (least * most) ** 0.5
        if p90(waits(middle, machines, postgres_cores, costs)) <= WITHIN_S:
            least = middle
        else:
            most = middle
    return least


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python-ms", type=float, default=96.0)
    parser.add_argument("--reader-ms", type=float, default=220.0)
    parser.add_argument("--postgres-ms", type=float, default=63.0)
    given = parser.parse_args()
    costs = Costs(
        python_s=given.python_ms / 1_000,
        reader_s=given.reader_ms / 1_000,
        postgres_s=given.postgres_ms / 1_000,
    )
    for rate in (1, 2, 3, 4, 5):
        took = waits(rate, 1, 0, costs, shares_cores=True)
        print(f"one machine of two cores with all of it, {rate} a second: p90 {p90(took):.2f} s")
    for machines, cores in FLEETS:
        rate = highest_rate(machines, cores, costs)
        print(
            f"{machines} machines, Postgres on {cores} cores of its own: {rate:.0f} a second within"
            f" {WITHIN_S:.0f} s; Postgres busy {rate * costs.postgres_s / cores:.0%},"
            f" machines {rate * (costs.python_s + costs.reader_s) / machines / 2:.0%}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
