"""From a ruling to what is shown: what is escalated, and what is only refused."""

import pytest

from core.agent.reply.compose import passed_on
from core.agent.reply.release import OFF_TOPIC, refusal
from core.agent.wording import ASK_A_PERSON
from core.domain.answer import Outcome, RefusalKind


@pytest.mark.parametrize(
    ("needs_person", "relevance", "outcome", "kind"),
    [
        (True, 0.9, Outcome.ESCALATED, RefusalKind.POLICY_SILENT),
        (False, 0.9, Outcome.REFUSED, RefusalKind.POLICY_SILENT),
        (True, OFF_TOPIC / 2, Outcome.REFUSED, RefusalKind.OUT_OF_SCOPE),
    ],
)
def test_what_a_person_should_decide_is_escalated(
    *, needs_person: bool, relevance: float, outcome: Outcome, kind: RefusalKind
) -> None:
    """Unless it has nothing to do with the policies: nobody is bothered with the weather."""
    answer = refusal(
        RefusalKind.POLICY_SILENT,
        nearest=(),
        best_relevance=relevance,
        reported=None,
        needs_person=needs_person,
    )
    assert (answer.outcome, answer.refusal) == (outcome, kind)
    assert not answer.is_report
    assert answer.needs_person is (outcome is Outcome.ESCALATED)


def test_what_was_passed_on_says_so() -> None:
    """In place of how to pass it on."""
    answer = refusal(
        RefusalKind.NOT_FOUND, nearest=(), best_relevance=None, reported=None, needs_person=True
    )
    assert answer.text.endswith(ASK_A_PERSON.en)
    told = passed_on(answer, 7).text
    assert ASK_A_PERSON.en not in told
    assert "as case 7, in your words but without your name" in told
