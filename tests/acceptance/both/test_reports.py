"""A report reaches nobody whom it names, on both platforms."""

import pytest

from tests.acceptance.both.test_cases import Desk, form_of, office, slack_cards
from tests.acceptance.slack.office import shown as shown_in_slack
from tests.servers.slack.people import User

__all__ = ["office"]
NAMES_HER = "Our compliance officer Olga takes bribes from a supplier. What should I do?"
NAMES_NOBODY = "My manager takes bribes from a supplier. What should I do?"
NOBODY = "I have passed nothing on"


async def reported_in_slack(desk: Desk, who: User, words: str, note: str = "") -> str:
    """Report something directly in Slack, press, send the form, and return what is said to it."""
    slack = desk.run.slack
    said = await slack.people.say(who, slack.workspace.direct(who), words)
    await desk.run.quiet()
    answer = slack.checks.one_answer(said.message)
    form = await form_of(slack, who, answer, "escalate_open")
    assert "Deal, counterparty" not in shown_in_slack(form)
    await slack.presses.submit(who, form, {"without": {"value": note}} if note else {})
    await desk.run.quiet()
    return shown_in_slack(form)


@pytest.mark.parametrize(("words", "note"), [(NAMES_HER, ""), (NAMES_NOBODY, "Olga O.")])
async def test_in_slack_it_is_passed_to_no_officer_whom_it_names(
    office: Desk, words: str, note: str
) -> None:
    """She is the only officer: nothing goes to her, and the reporter is told where else to turn."""
    anna = office.run.slack.workspace.user("anna")
    assert NOBODY in await reported_in_slack(office, anna, words, note)
    assert slack_cards(office.run.slack, office.own) == []
    assert slack_cards(office.run.slack, office.desk) == []


async def test_in_teams_it_is_passed_to_no_officer_whom_it_names(office: Desk) -> None:
    """The same, with what the form held."""
    _, pointer = await office.asked(NAMES_NOBODY)
    assert NOBODY in await office.sent(pointer, "She shares them with Olga from Compliance.")
    assert slack_cards(office.run.slack, office.own) == []
