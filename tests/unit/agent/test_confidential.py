"""Reports of misconduct, and what is added to them, stay in the house."""

from typing import Any

import pytest

from core.agent.conversation.misconduct import (
    is_confidential,
    speaks_of_somebody,
    was_confidential,
)
from core.domain.answer import NotJudged, Outcome
from core.domain.conversation import ContextMessage
from core.domain.question import Turn
from core.retrieval.retriever import Query, Retriever
from tests.factories import make_question
from tests.fakes import ScriptedReasoner
from tests.unit.agent.world import TRUE, make_world
from tests.unit.anthropic.scripted import ScriptedModel, factory_of

REPORT = Turn(
    question="My manager has been taking cash from a haulier.",
    outcome="escalated",
    answer="This needs a person.",
)
ANSWERED = Turn(question="May I accept cash?", outcome="answered", answer="No.")


@pytest.mark.parametrize(
    "text",
    [
        "It happened last Friday in the Hamburg depot, Peter Schmidt was there too.",
        "He told me to keep quiet or I lose my job",
        "Peter Schmidt, from purchasing.",
        "What should I do? Two others saw it.",
        "Can they fire me for telling you about it at such length?",
        "Did you know that he did it twice?",
    ],
)
def test_what_is_added_to_a_report_is_confidential(text: str) -> None:
    """Places, dates and names follow in messages that no word list knows."""
    assert is_confidential(make_question(text, history=(ANSWERED, REPORT)))
    assert not is_confidential(make_question(text, history=(REPORT, ANSWERED)))


@pytest.mark.parametrize(
    "text",
    [
        "What is the deadline for expense claims?",
        "Thank you. How long are receipts kept?",
        "ok, and may I accept a gift worth EUR 80?",
    ],
)
def test_a_plain_question_after_a_report_is_none(text: str) -> None:
    """Who has reported may go on to ask about the rules."""
    assert not is_confidential(make_question(text, history=(REPORT,)))


def test_a_turn_was_confidential_by_its_outcome_or_its_words() -> None:
    """What was added to a report has no words of one."""
    added = Turn(question="In the Hamburg depot.", outcome=Outcome.ESCALATED, answer="")
    failed = Turn(question=REPORT.question, outcome=Outcome.FAILED, answer="")
    assert was_confidential(added)
    assert was_confidential(failed)
    assert not was_confidential(ANSWERED)


@pytest.mark.parametrize(
    ("text", "history"),
    [(REPORT.question, ()), ("It was in the Hamburg depot on Friday.", (REPORT,))],
)
async def test_nothing_confidential_is_searched_for_or_sent(
    text: str, history: tuple[Turn, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search begun ahead of the plan would hand the words to whoever embeds them."""
    sought: list[str] = []
    retrieve = Retriever.retrieve

    async def watched(self: Retriever, query: Query) -> Any:
        sought.append(query.text)
        return await retrieve(self, query)

    monkeypatch.setattr(Retriever, "retrieve", watched)
    model = ScriptedModel()
    run = await make_world().run(factory_of(model), text, history=history)
    assert run.answer.outcome is Outcome.ESCALATED
    assert run.answer.nearest
    assert not model.requests
    assert len(sought) == 1
    assert "depot" not in sought[0]
    assert "haulier" not in sought[0]


TOLD = [
    "My boss is sleeping with a supplier and gives him all the contracts",
    "I saw Tom put a laptop in his bag.",
    "There is something fishy going on in purchasing, invoices without deliveries",
    "A driver told me that the depot sells diesel privately",
    "I want to blow the whistle on my department",
]
RULES = ScriptedReasoner(drafts=[TRUE], judgements=[NotJudged(reason="no model")])


@pytest.mark.parametrize("text", TOLD)
async def test_what_asks_nothing_and_speaks_of_somebody_goes_to_no_model(text: str) -> None:
    """No word list knows all misconduct; without a question the rules lose nothing by it."""
    assert speaks_of_somebody(text)
    assert was_confidential(Turn(question=text, outcome="refused", answer=""))
    model = ScriptedModel()
    run = await make_world().run(factory_of(model), text, fallback=RULES)
    assert not model.requests
    assert not run.model_calls


async def test_a_message_that_speaks_of_somebody_goes_to_no_model_either() -> None:
    """Whoever asks about it: the rules answer."""
    model = ScriptedModel()
    around = (ContextMessage(text=TOLD[0], part="about"),)
    run = await make_world().run(
        factory_of(model), "Is this allowed?", fallback=RULES, context=around
    )
    assert not model.requests
    assert not run.model_calls


@pytest.mark.parametrize(
    "text",
    [
        "My manager is on leave. Who approves my trip?",
        "who approves my manager's expenses",
        "I received a bottle of wine from a supplier",
        "Help me to find the rule on gifts that my manager meant",
        "limit for gifts",
    ],
)
def test_what_asks_something_or_speaks_of_nobody_may_go_to_a_model(text: str) -> None:
    """A question is one, also with somebody in it."""
    assert not speaks_of_somebody(text)
