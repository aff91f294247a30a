"""More questions than the machine gets through: each is answered all the same, later."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest

from bot.machine_share import MachineShare
from core.adapters.postgres.queue.work_queue import SLOTS
from core.adapters.system import SystemClock
from core.domain.errors import StarvedError
from core.domain.question import Question
from core.domain.run import Clarification, Plan, RunLimits
from core.ports import Knowledge, RunContext
from tests.life import Deployment, Repeating, RepeatingFactory, deploy, message
from tests.life_history import broken_promises

DEADLINE_S = RunLimits().deadline_s
PARTS = 16
"""Of a question's cost, in which time passes."""


class StandInClock(SystemClock):
    """Seconds pass as the stand-in of the processor lets them."""

    def __init__(self) -> None:
        super().__init__()
        self.passed_s = 0.0

    def monotonic_s(self) -> float:
        return self.passed_s


@dataclass
class SlowMachine:
    """Shares its seconds, of the stand-in's clock, among the questions in progress."""

    clock: StandInClock
    share: MachineShare
    """Says how many questions are in progress."""
    cost_s: float
    """Of a question that has the machine to itself."""
    left_s: dict[str, float] = field(default_factory=dict[str, float])
    most: int = 0
    """Questions that were in progress at a time."""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Let time pass until the block ends, but none while a question waits for the database."""
        async with asyncio.TaskGroup() as group:
            passing = group.create_task(self._pass())
            yield
            passing.cancel()

    async def _pass(self) -> None:
        while True:
            await asyncio.sleep(0.001)
            self.most = max(self.most, len(self.left_s))
            if not self.left_s or len(self.left_s) < self.share.busy:
                continue
            self.clock.passed_s += self.cost_s / PARTS
            for name in self.left_s:
                self.left_s[name] -= self.cost_s / PARTS / len(self.left_s)

    async def work(self, question_id: str, *, until_s: float) -> None:
        """Do what a question costs.

        Raises:
            TimeoutError: The deadline passed before that.
        """
        self.left_s[question_id] = self.cost_s
        try:
            while self.left_s[question_id] > 0:
                if self.clock.passed_s > until_s:
                    raise TimeoutError
                await asyncio.sleep(0.001)
        finally:
            del self.left_s[question_id]


class ByRules(RepeatingFactory):
    """Asks no model, so that a deadline is missed by the machine alone."""

    is_model = False
    machine: SlowMachine

    def begin(self, context: RunContext, /) -> "Working":
        return Working(self, context)


class Working(Repeating):
    """Works on the slow machine first."""

    def __init__(self, factory: ByRules, context: RunContext) -> None:
        super().__init__(factory)
        self.machine, self.context = factory.machine, context

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        until_s = self.context.budget.deadline_s
        await self.machine.work(question.question_id, until_s=until_s)
        return await super().plan(question, knowledge)


def slow(deployment: Deployment, cost_s: float) -> tuple[Deployment, SlowMachine]:
    """Return the same on a machine that is so slow."""
    clock = StandInClock()
    deployed = deploy(deployment.engine, clock=clock, factory=ByRules)
    assert isinstance(deployed.reasoner, ByRules)
    machine = deployed.reasoner.machine = SlowMachine(clock, deployed.worker.share, cost_s)
    return deployed, machine


@pytest.mark.parametrize("times", [10.0, 1.0])
async def test_fifty_questions_beyond_the_capacity_are_all_answered(
    deployment: Deployment, times: float
) -> None:
    """Each once and none with an apology, though eight at a time would take ten deadlines."""
    busy, machine = slow(deployment, times * DEADLINE_S / SLOTS["answer"])
    for n in range(50):
        await busy.intake.accept(message(f"m{n}", thread=f"t{n}", person=f"U{n}"))
    async with machine.running(), busy.working():
        await busy.quiet(within_s=300.0)
    outcomes = await busy.rows("SELECT outcome, count(*) AS n FROM citebound.inbox GROUP BY 1")
    assert [tuple(row.values()) for row in outcomes] == [("clarification", 50)]
    assert await broken_promises(busy, accepted=50) == []
    assert 1 <= busy.worker.share.slots() <= max(1, SLOTS["answer"] / times / 2)


async def test_a_machine_that_is_quick_again_answers_as_many_as_before(
    deployment: Deployment,
) -> None:
    """The number follows what questions cost, up as well as down."""
    busy, machine = slow(deployment, DEADLINE_S)
    await busy.intake.accept(message("slow"))
    async with machine.running(), busy.working():
        await busy.quiet()
        assert busy.worker.share.slots() == 1
        machine.cost_s, machine.most = 1.0, 0
        for n in range(40):
            await busy.intake.accept(message(f"m{n}", thread=f"t{n}", person=f"U{n}"))
        await busy.quiet(within_s=120.0)
    assert busy.worker.share.slots() >= SLOTS["answer"]
    assert machine.most > 1


def test_the_cost_of_a_question_is_what_it_would_take_alone() -> None:
    """Two that share ten seconds cost five each; waiting for a model costs nothing."""
    clock = StandInClock()
    share = MachineShare(clock, deadline_s=45.0)
    assert share.slots() > SLOTS["answer"]
    with share.question(), share.question():
        clock.passed_s += 10.0
    assert share.slots() == int(22.5 / 5.0)
    waiting = MachineShare(clock, deadline_s=45.0)
    with waiting.question() as measured:
        clock.passed_s += 40.0
        measured.idle_s = 35.0
    assert waiting.slots() == int(22.5 / 5.0)


def test_nothing_is_learnt_from_what_broke_unless_it_starved() -> None:
    """A database that refuses a record at once says nothing of what questions cost."""
    clock = StandInClock()
    share = MachineShare(clock, deadline_s=45.0)

    def fail(error: Exception) -> None:
        with suppress(type(error)), share.question():
            clock.passed_s += 45.0
            raise error

    fail(KeyError())
    assert share.slots() > SLOTS["answer"]
    fail(StarvedError())
    assert share.slots() == 1
