"""A reply of each kind says the same and offers the same on both platforms.

What can't be the same is in `tests.parity.EXCEPTIONS`, each with its reason; nothing else may
differ.
"""

from dataclasses import replace
from typing import Any

import pytest

from bot.forms.evidence import EvidenceView
from bot.forms.excerpts import Around
from bot.replies.context import Library, RenderContext, Shelf
from bot.replies.samples import HIGH, sample_replies
from bot.slack.blocks.evidence import evidence_modal
from bot.slack.blocks.render import RICH, SIMPLE
from bot.slack.blocks.render import render as slack_render
from bot.teams.cards.evidence import evidence_card
from bot.teams.cards.render import FULL, SIMPLE_CARD
from bot.teams.cards.render import render as teams_render
from core.domain.delivery import StoredReply
from core.ports.starters import Starter, StarterSet
from tests.parity import EXCEPTIONS, differences, page, slack_shows, teams_shows

HOST = "policies.example.com"
LIBRARY = Library(
    shelves={"gifts": Shelf(url=f"https://{HOST}/gifts", owner="Legal")},
    hosts=frozenset({HOST}),
    console="https://console.example.com",
)
STARTERS = StarterSet(
    edition=1,
    starters=(Starter(starter_id="s1", topic="Gifts", question="What may a gift be worth?"),),
)
CONTEXT = RenderContext(library=LIBRARY, asker_name="Anna", starters=STARTERS)
SAMPLES = list(sample_replies())


@pytest.mark.parametrize("is_public", [False, True], ids=["alone", "among others"])
@pytest.mark.parametrize(("name", "reply"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_of_each_kind(name: str, reply: StoredReply, is_public: bool) -> None:
    """In the richest shape; a simpler one keeps every button."""
    context = replace(CONTEXT, is_public=is_public)
    in_slack, in_teams = replace(context, asker="U0ANNA"), replace(context, asker="29:anna")
    message = slack_render(reply, RICH, outbox_id=1, context=in_slack)
    shown = slack_shows(message.blocks, message.text)
    other = teams_shows(teams_render(reply, FULL, context=in_teams).activity)
    assert shown.says, name
    assert differences(shown, other) == []
    plainer = slack_render(reply, SIMPLE, outbox_id=1, context=in_slack)
    assert slack_shows(plainer.blocks, plainer.text).offers == shown.offers
    plainer_card = teams_render(reply, SIMPLE_CARD, context=in_teams).activity
    assert teams_shows(plainer_card).offers == other.offers


def test_a_card_holds_something() -> None:
    """Teams draws an empty one as a box."""
    for name, reply in SAMPLES:
        activity: Any = teams_render(
            reply, FULL, context=replace(CONTEXT, asker="29:anna")
        ).activity
        for one in activity.get("attachments", ()):
            assert one["content"]["body"] or one["content"].get("actions"), name


def test_the_evidence() -> None:
    """The same words, quotes and sources."""
    around = {1: Around(before="Gifts must never influence a decision. ", after=" Meals, too.")}
    view = EvidenceView(
        answer=HIGH, answer_id="ans_1", around=around, record_id="01983f2a-6c1e", leaf_hash="9f2c"
    )
    in_slack = slack_shows(evidence_modal(view, LIBRARY)["blocks"])
    in_teams = teams_shows(page(evidence_card(view, LIBRARY)))
    assert differences(in_slack, in_teams) == []


def test_each_exception_has_a_reason() -> None:
    """In a sentence."""
    assert all(len(one.why.split()) > 3 and one.why.endswith(".") for one in EXCEPTIONS)
