"""An answer of an officer, approved by a second one, reaches whoever asks the same, anywhere."""

import json

from core.adapters.postgres.cases.precedents import PostgresPrecedents
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.cases.clauses import clause_name
from core.cases.precedents import PrecedentService
from core.domain.officers import Officer, Officers
from core.ports.precedents import Proposal
from tests.acceptance.both.test_cases import ANSWER, Desk, office, slack_cards
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.acceptance.teams.test_pressing import QUESTION, shown

__all__ = ["office"]


async def test_asked_in_teams_and_told_in_both(office: Desk) -> None:
    """Verbatim, headed by who answered and when; nothing calls it generated or sure."""
    run = office.run
    _, first = await office.asked(QUESTION)
    assert ANSWER not in shown(first)
    await office.sent(first, "For Acme")
    await office.answered(slack_cards(run.slack, office.desk)[-1], ANSWER)
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="default")
    desk = PrecedentService(
        PostgresPrecedents(run.engine, ledger=ledger, officers=Officers()),
        clock=ledger.clock,
        ids=ledger.ids,
    )
    olga, paul = Officer(login="olga", name="Olga O."), Officer(login="paul", name="Paul P.")
    clauses = (clause_name("gifts/2.1"),)
    proposed = await desk.propose(Proposal(case_number=1, by=olga, clauses=clauses))
    await desk.approve(proposed.number, paul)

    said = await run.teams.people.mention(office.ben, office.room, QUESTION.lower())
    carl = run.slack.workspace.user("carl")
    general = run.slack.workspace.channel("general", carl)
    asked = await run.slack.people.mention(carl, general, QUESTION)
    await run.quiet()
    (in_teams,) = run.teams.checks.replies(said.message)
    in_slack = run.slack.checks.one_answer(asked.message)
    for words in (shown(in_teams), shown_in_slack(in_slack)):
        assert "Answered by Compliance, approved on " in words
        assert ANSWER in words
        assert "AI-generated" not in words
        assert "onfidence" not in words
    assert "AIGeneratedContent" not in json.dumps(in_teams.activity)
