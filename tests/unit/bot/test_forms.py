"""Forms and cards as data: what comes back is read alike, and every button has a name."""

import json
from dataclasses import replace

import pytest

from bot.forms.effects import ADDS, CONFIRMS, REPLACES, effects_of
from bot.forms.forms import (
    ANONYMOUS,
    DIRECT,
    EFFECT,
    PRIVACY,
    URGENCY,
    ChoiceField,
    Entered,
    OptionsField,
    SeenBy,
    case_answer_form,
    entered,
    escalation_form,
)
from bot.replies.buttons import Act
from bot.slack.blocks.action_ids import NAMES
from bot.slack.blocks.cases import case_blocks, case_text
from bot.slack.blocks.modals import fields_in, form_modal
from bot.teams.cards import cases as teams
from bot.teams.cards.dialogs import form_dialog
from bot.teams.protocol.action_ids import EXECUTED, OPENING
from core.domain.case import ReviewVerdict
from tests.unit.slack.payloads import SETTING, answered, case

SLACK = {"note": "n", "urg": "today", "vis": "dm,anon"}
TEAMS = {"note": "n", "urgency": "today", "dm": "true", "anon": "true", "why": "true"}


@pytest.mark.parametrize("values", [fields_in(SLACK), TEAMS])
def test_what_was_entered_is_read_alike(values: dict[str, str]) -> None:
    """Ticked boxes of one field, or a field for each."""
    found = entered(values)
    assert (found.text, found.urgency) == ("n", "today")
    assert found.is_private
    assert found.is_anonymous


@pytest.mark.parametrize(
    "values", [{}, {PRIVACY: ""}, {DIRECT: "false", ANONYMOUS: "false"}, {URGENCY: "dm", "x": "dm"}]
)
def test_nothing_is_private_unless_it_was_chosen(values: dict[str, str]) -> None:
    """A name that happens to stand elsewhere chooses nothing."""
    assert not entered(values).is_private
    assert not entered(values).is_anonymous
    assert entered({}) == Entered()


@pytest.mark.parametrize(
    ("seen_by", "offered"),
    [
        (SeenBy.THREAD, [DIRECT, ANONYMOUS]),
        (SeenBy.ASKER, [ANONYMOUS]),
        (SeenBy.ASKER_UNNAMED, []),
    ],
)
def test_a_form_offers_what_does_not_hold_anyway(seen_by: SeenBy, offered: list[str]) -> None:
    """A report is private and unnamed, whatever is chosen."""
    form = escalation_form("a1", seen_by=seen_by)
    fields = [item for item in form.items if isinstance(item, OptionsField)]
    assert [value for field in fields for value, _ in field.options] == offered


def test_a_private_case_is_answered_in_private() -> None:
    """The officer is not asked where the answer goes."""
    form = case_answer_form("c1", is_private=True)
    assert not any(isinstance(item, OptionsField) for item in form.items)


def test_confirming_is_a_choice_of_its_own() -> None:
    """Of an answer that was given; one that was found right is not replaced."""
    given = case("bribes", answered("bribes"))
    assert [value for value, _ in effects_of(given)] == [REPLACES, CONFIRMS, ADDS]
    right = replace(given, verdict=ReviewVerdict.RIGHT)
    assert [value for value, _ in effects_of(right)] == [CONFIRMS, ADDS]
    assert effects_of(replace(given, answer=None)) == ()
    form = case_answer_form("c1", is_private=True, effects=effects_of(given))
    (field,) = [item for item in form.items if isinstance(item, ChoiceField)]
    assert (field.id, field.initial) == (EFFECT, REPLACES)
    assert json.dumps(form_modal(form)).count("Confirm it") == 2
    assert json.dumps(form_dialog(form)).count("Confirm it") == 2


def test_every_button_has_a_name() -> None:
    """On Slack each; on Teams all but the one that Slack alone has opens a dialog or acts."""
    assert set(NAMES) == set(Act)
    assert len(set(NAMES.values())) == len(NAMES)
    assert {act.value for act in Act} - {Act.SHARE} <= OPENING | EXECUTED


def test_a_report_has_no_content_where_others_read() -> None:
    """Neither on its card nor in the text of it, on either platform."""
    secret = replace(case("bribes", answered("bribes")), is_sensitive=True)
    public = replace(SETTING, is_public=True)
    shown = [
        json.dumps(case_blocks(secret, public)),
        case_text(secret, public),
        json.dumps(teams.case_card(secret, public)),
        teams.case_text(secret, public),
    ]
    assert not any("bribes" in one for one in shown)
    assert "bribes" in case_text(secret, SETTING)
