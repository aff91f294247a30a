"""A model's answer that cites rules which contradict each other, whether or not it says so."""

from core.domain.answer import Badge, Outcome, RefusalKind
from tests.fakes import Policy
from tests.unit.agent.world import GIFTS, make_world
from tests.unit.anthropic.scripted import ScriptedModel, answers, factory_of, reported

SEVEN = "Expense receipts must be kept for 7 years."
TEN = "Expense receipts must be kept for 10 years."
MILEAGE = "Mileage claims must be signed."
TRAVEL = Policy(
    key="travel",
    title="Travel Policy",
    text=f"# Travel Policy\n\n## 1 Receipts\n{SEVEN}\n\n## 2 Mileage\n{MILEAGE}\n",
)
RECORDS = Policy(
    key="records",
    title="Records Policy",
    text=f"# Records Policy\n\n## 1 Receipts\n{TEN}\n",
)
ASKED = "How long must expense receipts be kept, and must mileage claims be signed?"


async def test_both_sides_of_a_contradiction_are_no_answer() -> None:
    """The model notices nothing and the judge approves: both sides are shown as a conflict."""
    model = ScriptedModel(answer=[answers(SEVEN, TEN, also=[reported(0.95)])])
    run = await make_world(TRAVEL, RECORDS).run(factory_of(model), ASKED)
    assert (run.answer.outcome, run.answer.refusal) == (Outcome.REFUSED, RefusalKind.CONFLICT)
    assert [citation.quote for citation in run.answer.citations] == [SEVEN, TEN]


async def test_one_side_of_a_contradiction_is_never_high() -> None:
    """The other side was among the evidence."""
    model = ScriptedModel(answer=[answers(SEVEN, also=[reported(0.95)])])
    run = await make_world(TRAVEL, RECORDS).run(factory_of(model), ASKED)
    assert run.answer.outcome is Outcome.ANSWERED
    assert run.answer.confidence.badge is Badge.MEDIUM
    assert (run.answer.confidence.calibrated or 0) >= 0.85


async def test_a_contradiction_elsewhere_changes_nothing() -> None:
    """Rules that the answer does not cite may differ."""
    model = ScriptedModel(answer=[answers(MILEAGE, also=[reported(0.95)])])
    run = await make_world(TRAVEL, RECORDS, GIFTS).run(factory_of(model), ASKED)
    assert run.answer.confidence.badge is Badge.HIGH
