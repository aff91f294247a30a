"""A closest passage as it is shown on each platform, and what a press under it is answered with."""

import json
from typing import Any

import pytest

from bot.actions.feedback import answers_it
from bot.forms.evidence import summary_of
from bot.replies.buttons import ANSWERS_IT
from bot.slack.blocks import render as slack_render
from bot.teams.cards import render as teams_render
from core.agent.reply import compose
from core.agent.wording import IF_IT_DOES_NOT
from core.domain.answer import RefusalKind
from core.domain.case import Case, CaseState
from core.domain.case_actions import Refusal
from core.domain.feedback import FeedbackKept, FeedbackRefused
from tests.unit.slack import payloads as slack
from tests.unit.teams import payloads as teams

WORDS = "Screens may be brought along if the service desk has checked them."
SHOWN = slack.closest(WORDS, many=2)
LINK = "https://policies.example.com/gifts#"


def in_slack(shape: int) -> str:
    made = slack_render.render(slack.stored(SHOWN), shape, outbox_id=1, context=slack.SETTING)
    return made.text + json.dumps(made.blocks, ensure_ascii=False)


def in_teams(shape: int) -> str:
    made = teams_render.render(teams.stored(SHOWN), shape, context=teams.SETTING)
    return json.dumps(made.activity, ensure_ascii=False)


def blocks() -> list[dict[str, Any]]:
    made = slack_render.render(slack.stored(SHOWN), 0, outbox_id=1, context=slack.SETTING)
    return json.loads(json.dumps(made.blocks))


@pytest.mark.parametrize("shape", range(slack_render.SHAPES))
def test_slack_quotes_it_open_in_every_shape(shape: int) -> None:
    """Named as what it is, where it stands, its words, and what to do if it does not answer."""
    told = in_slack(shape)
    assert "Closest passage" in told
    assert "It may not answer you" in told
    for words in (f"“{WORDS}”", "[1][2]", LINK, IF_IT_DOES_NOT.en):
        assert words in told
    assert "confidence" not in told
    assert "31" not in told.replace("f31", "")


@pytest.mark.parametrize("shape", range(teams_render.SHAPES))
def test_teams_quotes_it_open_in_every_shape(shape: int) -> None:
    """The same; its text says where it stands, so that no card repeats it."""
    told = in_teams(shape).replace("\\\\", "")
    for words in ("Closest passage", "It may not answer you", WORDS, LINK, "[2]"):
        assert words in told
    assert "Sources (" not in told
    assert "onfidence" not in told


def test_its_buttons_are_two_and_the_evidence() -> None:
    """Neither stands out, as each press is a label; no thumbs, nothing to share or to report."""
    (row,) = [one for one in blocks() if one["type"] == "actions"]
    assert [one["text"]["text"] for one in row["elements"]] == [
        ANSWERS_IT.text.en,
        "Ask Compliance",
        "Show evidence",
    ]
    assert row["elements"][0]["action_id"] == "closest_answers"
    assert not any("style" in one for one in row["elements"])
    made: Any = teams_render.render(teams.stored(SHOWN), 0, context=teams.SETTING).activity
    card = made["attachments"][0]["content"]
    assert [one["title"] for one in card["actions"]] == [
        ANSWERS_IT.text.en,
        "Ask Compliance",
        "Show evidence",
    ]
    assert not any("style" in one for one in card["actions"])
    assert card["body"] == []
    assert "feedbackLoop" not in json.dumps(made)


@pytest.mark.parametrize("kind", [kind for kind in RefusalKind if kind is not RefusalKind.CONFLICT])
def test_no_other_refusal_has_its_button(kind: RefusalKind) -> None:
    """Without a passage nothing can be said to answer."""
    refused = compose.refused(
        kind, nearest=[slack.place("x")], confidence=compose.NO_CONFIDENCE, notes=()
    )
    shown = slack_render.render(slack.stored(refused), 0, outbox_id=1, context=slack.SETTING)
    assert ANSWERS_IT.text.en not in json.dumps(shown.blocks)
    made = teams_render.render(teams.stored(refused), 0, context=teams.SETTING).activity
    assert ANSWERS_IT.text.en not in json.dumps(made)


def test_a_long_passage_is_shortened_and_says_so() -> None:
    """Within the limits of each shape, with all that stands around it."""
    long = slack.closest("Screens may be brought along. " * 300)
    for shape in range(slack_render.SHAPES):
        made = slack_render.render(slack.stored(long), shape, outbox_id=1, context=slack.SETTING)
        whole = made.text + json.dumps(made.blocks, ensure_ascii=False)
        assert "hortened" in whole
        assert IF_IT_DOES_NOT.en in made.text
        assert "Ref 1c0e8d44" in made.text
        assert len(made.text) <= 4_000


def test_evidence_does_not_call_it_supported() -> None:
    """It is no claim of ours that could be."""
    assert "supported" not in summary_of(SHOWN).text


def case(state: CaseState) -> Case:
    return slack.case("May I?", None, state)


@pytest.mark.parametrize(
    ("kept", "is_asker", "state", "words"),
    [
        (FeedbackKept(is_new=True), True, None, "answers your question"),
        (FeedbackKept(is_new=False), True, None, "answers your question"),
        (FeedbackKept(is_new=True, is_repeated=True), True, None, "already told me"),
        (FeedbackKept(is_new=True), False, None, "Nothing changes for the person who asked"),
        (FeedbackKept(is_new=True), True, CaseState.OPEN, "Case 214 is open"),
        (FeedbackKept(is_new=True), True, CaseState.CLOSED, "answers your question."),
        (FeedbackRefused(why=Refusal.ANSWERED), True, None, "already been settled"),
        (FeedbackRefused(why=Refusal.UNKNOWN), False, None, "You can't see this here"),
    ],
)
def test_what_is_said_to_a_press(
    kept: FeedbackKept | FeedbackRefused, *, is_asker: bool, state: CaseState | None, words: str
) -> None:
    """To the asker, to somebody else, again, with an open case, and too late."""
    told = answers_it(kept, is_asker=is_asker, case=case(state) if state else None).en
    assert words in told
    assert ("stays with Compliance" in told) is (state is CaseState.OPEN)
