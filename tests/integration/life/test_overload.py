"""More questions than the machine gets through: each is answered all the same, later."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from core.adapters.postgres.queue.work_queue import PostgresWorkQueue
from core.adapters.system import SystemClock
from core.domain.limits import ANSWERED_AT_A_TIME
from core.domain.message import Accepted
from core.domain.question import Question
from core.domain.run import Clarification, ModelCall, Plan, RunLimits, TokenUse
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
    queue: PostgresWorkQueue
    """Says how many conversations are worked on."""
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
            lanes = self.queue.slots()
            if not self.left_s or (lanes and len(self.left_s) < lanes["answer"].busy):
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
    waits_for_model = False
    """True: what it does on the machine is to wait for a model."""

    def begin(self, context: RunContext, /) -> "Working":
        return Working(self, context)


class Working(Repeating):
    """Works on the slow machine first."""

    def __init__(self, factory: ByRules, context: RunContext) -> None:
        super().__init__(factory)
        self.by_rules, self.machine, self.context = factory, factory.machine, context

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        until_s = self.context.budget.deadline_s
        began_s = self.machine.clock.monotonic_s()
        await self.machine.work(question.question_id, until_s=until_s)
        if self.by_rules.waits_for_model:
            self.model_calls = (waited(began_s, self.machine.clock.monotonic_s()),)
        return await super().plan(question, knowledge)


def waited(began_s: float, ended_s: float) -> ModelCall:
    """Return a call of a model that took so long."""
    return ModelCall(
        purpose="answer",
        model="none",
        prompt="answer/1",
        request_hash="",
        tokens=TokenUse(fresh=0),
        cost_usd=None,
        attempts=1,
        started_s=began_s,
        ended_s=ended_s,
    )


def slow(deployment: Deployment, cost_s: float) -> tuple[Deployment, SlowMachine]:
    """Return the same on a machine that is so slow."""
    clock = StandInClock()
    deployed = deploy(deployment.engine, clock=clock, factory=ByRules)
    assert isinstance(deployed.reasoner, ByRules)
    machine = deployed.reasoner.machine = SlowMachine(clock, deployed.queue, cost_s)
    return deployed, machine


@pytest.mark.parametrize("times", [10.0, 1.0])
async def test_fifty_questions_beyond_the_capacity_are_all_answered(
    deployment: Deployment, times: float
) -> None:
    """Each once and none with an apology, though eight at a time would take ten deadlines."""
    busy, machine = slow(deployment, times * DEADLINE_S / ANSWERED_AT_A_TIME)
    for n in range(50):
        await busy.intake.accept(message(f"m{n}", thread=f"t{n}", person=f"U{n}"))
    async with machine.running(), busy.working():
        await busy.quiet(within_s=300.0)
    outcomes = await busy.rows("SELECT outcome, count(*) AS n FROM citebound.inbox GROUP BY 1")
    assert [tuple(row.values()) for row in outcomes] == [("clarification", 50)]
    assert await broken_promises(busy, accepted=50) == []
    assert busy.worker.slots < ANSWERED_AT_A_TIME


async def test_a_machine_that_is_quick_again_answers_as_many_as_before(
    deployment: Deployment,
) -> None:
    """The number follows what questions cost, up as well as down."""
    busy, machine = slow(deployment, DEADLINE_S)
    await busy.intake.accept(message("slow"))
    async with machine.running(), busy.working():
        await busy.quiet()
        assert busy.worker.slots < ANSWERED_AT_A_TIME
        machine.cost_s, machine.most = 1.0, 0
        for n in range(40):
            await busy.intake.accept(message(f"m{n}", thread=f"t{n}", person=f"U{n}"))
        await busy.quiet(within_s=120.0)
    assert busy.worker.slots >= ANSWERED_AT_A_TIME
    assert machine.most > 1


async def test_waiting_for_a_model_is_not_the_machines_cost(deployment: Deployment) -> None:
    """What a model takes most of a deadline for says nothing of how many may be asked at a time."""
    busy, machine = slow(deployment, DEADLINE_S * 0.9)
    factory = busy.reasoner
    assert isinstance(factory, ByRules)
    factory.waits_for_model = True
    await busy.intake.accept(message("a gift"))
    async with machine.running(), busy.working():
        await busy.quiet()
    assert machine.clock.passed_s > DEADLINE_S / 2
    assert busy.worker.slots == ANSWERED_AT_A_TIME


async def test_a_failure_is_not_slow(deployment: Deployment) -> None:
    """A database that refuses a record says nothing of what questions cost."""
    busy, machine = slow(deployment, 1.0)
    busy.reasoner.fails_on = "a gift"
    result = await busy.intake.accept(message("a gift"))
    assert isinstance(result, Accepted)
    async with machine.running():
        await busy.worker.answer(result.conversation_id)
    assert busy.worker.slots == ANSWERED_AT_A_TIME
