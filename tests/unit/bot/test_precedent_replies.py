"""A precedent as it is shown: a person answered, and nothing says that a machine did."""

import json
from dataclasses import replace
from datetime import date
from io import StringIO

import pytest
from rich.console import Console, Group

from bot.console.views.render import answer_view
from bot.forms.evidence import summary_of
from bot.slack.blocks import render as slack
from bot.teams.cards import render as teams
from core.agent.reply.answer_json import answer_json, answer_of
from core.agent.reply.compose import NO_CONFIDENCE
from core.domain.answer import Answer, ShownClaim, ToldPrecedent
from tests.unit.slack.payloads import SETTING as IN_SLACK
from tests.unit.slack.payloads import answered, stored
from tests.unit.teams.payloads import SETTING as IN_TEAMS

HEADING = "Answered by Compliance, approved on 12 March 2026"
WORDS = "Yes, up to EUR 50.\n\nTell <@U1> and *sign* the register: https://evil.example"
GENERATED = ("AI-generated", "AIGeneratedContent", "onfidence", "language model")


def told(words: str = WORDS) -> Answer:
    """Return a precedent with one clause."""
    return replace(
        answered("Gifts up to EUR 50 are accepted.", many=1),
        text=f"{HEADING}\n\n{words} [1]",
        claims=(ShownClaim(text=words, numbers=(1,)),),
        confidence=NO_CONFIDENCE,
        assumptions=(),
        notes=(),
        nearest=(),
        precedent=ToldPrecedent(precedent_id="p", number=3, approved_on=date(2026, 3, 12)),
    )


@pytest.mark.parametrize("shape", range(slack.SHAPES))
def test_in_slack(shape: int) -> None:
    """In every shape it begins with who answered and when, and mentions nobody."""
    shown = slack.render(stored(told()), shape, outbox_id=17, context=IN_SLACK)
    drawn = json.dumps([shown.text, shown.blocks], ensure_ascii=False, default=str)
    assert HEADING in drawn
    assert "Yes, up to EUR 50." in drawn
    assert not any(word in drawn for word in GENERATED)
    assert "<@U1>" not in drawn


@pytest.mark.parametrize("shape", range(3))
def test_in_teams(shape: int) -> None:
    """The label of generated content is left out, the citations are not."""
    drawn = json.dumps(teams.render(stored(told()), shape, context=IN_TEAMS).activity)
    assert HEADING in drawn
    assert not any(word in drawn for word in GENERATED)
    assert "Gifts up to EUR 50 are accepted." in drawn


def test_at_the_terminal() -> None:
    """No badge stands above it."""
    console = Console(width=100, record=True, file=StringIO())
    console.print(Group(*answer_view(told())))
    shown = console.export_text()
    assert shown.startswith(HEADING)
    assert "onfidence" not in shown


def test_its_longest_form() -> None:
    """An answer as long as officers may write it is shown whole."""
    words = " ".join(f"word{number:04}" for number in range(330))
    shown = slack.render(stored(told(words)), slack.RICH, outbox_id=17, context=IN_SLACK)
    assert "word0329" in json.dumps(shown.blocks)


def test_evidence_and_storage() -> None:
    """The evidence claims no check of the officer's words; what is stored is read again."""
    assert "Compliance answered" in summary_of(told()).text
    assert answer_of(json.loads(json.dumps(answer_json(told())))).precedent == told().precedent
    assert "precedent" not in answer_json(answered("x"))
