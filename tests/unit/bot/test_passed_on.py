"""What went to Compliance by itself offers to add to its case, not to ask once more."""

import json

import pytest

from bot.slack.blocks.render import render as in_slack
from bot.teams.cards.render import render as in_teams
from core.agent.reply import compose
from core.domain.answer import Answer, Outcome, RefusalKind
from tests.unit.slack import payloads as slack
from tests.unit.teams import payloads as teams


def refused() -> Answer:
    """Return what only a person can answer."""
    return Answer(
        outcome=Outcome.ESCALATED,
        refusal=RefusalKind.NOT_FOUND,
        text="I found no passage. You can send the question to Compliance.",
        confidence=slack.CALIBRATED,
    )


def shown(answer: Answer, platform: str) -> str:
    """Return a message as it is sent."""
    if platform == "slack":
        made = in_slack(slack.stored(answer), 0, outbox_id=1, context=slack.SETTING)
        return json.dumps(made.blocks)
    return json.dumps(in_teams(teams.stored(answer), 0, context=teams.SETTING).activity)


@pytest.mark.parametrize(("platform", "main"), [("slack", "primary"), ("teams", "positive")])
def test_the_button_adds_to_the_case(platform: str, main: str) -> None:
    """And stands out no longer: there is nothing left to be done."""
    before, after = refused(), compose.passed_on(refused(), 7)
    assert ("Ask Compliance" in shown(before, platform), main in shown(before, platform)) == (
        True,
        True,
    )
    told = shown(after, platform)
    assert "as case 7" in told
    assert "Add to case 7" in told
    assert "Ask Compliance" not in told
    assert main not in told
