"""What can't wait is shown with a refusal too."""

import pytest

from core.agent.reply.duties import is_urgent_duty
from core.agent.wording import ASK_A_PERSON, URGENT
from core.domain.answer import Decision, Outcome, RefusalKind
from tests.factories import make_judgement
from tests.fakes import Policy, ScriptedReasoner
from tests.unit.agent.world import make_world, says

LOSS = "The loss of a device must be reported to the service desk within 1 hour."
REPLACED = "The service desk may replace a lost device within 3 days."
DEVICES = Policy(
    key="devices",
    title="Devices Policy",
    text=f"# Devices Policy\n\n## 1 Loss\n{LOSS} {REPLACED}\n",
)
WEAK = make_judgement(0.3, approved=False, decision=Decision.RETRY, reason="too little")


@pytest.mark.parametrize(
    "text",
    [
        LOSS,
        "Report the theft of a badge within two business days.",
        "Incidents must be escalated immediately.",
        "Managers should tell the security team at once.",
        "A breach has to be notified no later than 72 hours after it was found.",
        "The form must be sent within 5 days.",
    ],
)
def test_a_duty_of_days_or_less_is_urgent(text: str) -> None:
    """By figure or by word, as a duty or as an order."""
    assert is_urgent_duty(text)


@pytest.mark.parametrize(
    "text",
    [
        REPLACED,
        "The form must be sent within 30 days.",
        "Receipts must be kept for 3 days.",
        "Passwords must be changed every 5 days.",
        "Gifts must not be accepted.",
        "The request must be made 5 days in advance.",
        "",
    ],
)
def test_anything_else_can_wait(text: str) -> None:
    """Permissions, longer times, times for which, how often and in advance."""
    assert not is_urgent_duty(text)


async def test_a_refusal_shows_what_can_not_wait() -> None:
    """With its quote, above the way to a person; what can wait is left out."""
    reasoner = ScriptedReasoner(
        drafts=[says((LOSS, LOSS), (REPLACED, REPLACED))], judgements=[WEAK]
    )
    answer = (await make_world(DEVICES).run(reasoner, "I lost my laptop, what now?")).answer
    assert (answer.outcome, answer.refusal) == (Outcome.ESCALATED, RefusalKind.NOT_FOUND)
    assert answer.needs_person
    assert [claim.text for claim in answer.claims] == [LOSS]
    assert [citation.quote for citation in answer.citations] == [LOSS]
    assert answer.text.startswith(f"{URGENT.en}\n\n{LOSS} [1]\n\n")
    assert answer.text.endswith(ASK_A_PERSON.en)
    assert answer.confidence.badge is None


async def test_what_an_earlier_draft_found_is_shown_too() -> None:
    """A second draft that is no better must not hide it."""
    drafts = [says((LOSS, LOSS)), says((REPLACED, REPLACED))]
    reasoner = ScriptedReasoner(drafts=drafts, judgements=[WEAK, WEAK])
    answer = (await make_world(DEVICES).run(reasoner, "I lost my laptop, what now?")).answer
    assert [claim.text for claim in answer.claims] == [LOSS]


async def test_a_duty_that_is_not_verified_or_not_about_the_question_is_not_shown() -> None:
    """Another figure than the policy's, and anything found for a question about the weather."""
    wrong = LOSS.replace("1 hour", "2 hours")
    reasoner = ScriptedReasoner(drafts=[says((wrong, LOSS))], judgements=[WEAK])
    answer = (await make_world(DEVICES).run(reasoner, "I lost my laptop, what now?")).answer
    assert answer.claims == ()
    reasoner = ScriptedReasoner(drafts=[says((LOSS, LOSS))], judgements=[WEAK])
    away = make_world(DEVICES, relevance=0.01)
    assert (await away.run(reasoner, "Will it rain tomorrow?")).answer.claims == ()
