"""A card that Teams refuses stands in simpler elements, with every button and every word."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.teams.cards.plainer import VERSION, plainer
from bot.teams.cards.render import FULL, SIMPLE_CARD, render
from tests.unit.slack.payloads import defanged_once
from tests.unit.teams.limits import card_rules
from tests.unit.teams.payloads import (
    PUBLIC,
    SETTING,
    cards_of,
    every,
    pieces,
    replies,
    schema_faults,
)

__all__ = ["defanged_once"]


def pressed(card: Any) -> Iterator[str]:
    """Yield what each button carries, as whoever presses it sends it."""
    for one in card.get("actions", ()):
        sent = one.get("fallback", one)
        yield json.dumps(sent.get("data", sent.get("url")), sort_keys=True)


def said(value: Any) -> Iterator[str]:
    """Yield every word that is shown."""
    for one in pieces(value):
        if one.get("type") in {"TextRun", "TextBlock"}:
            yield str(one["text"])


@pytest.mark.parametrize("text", ["May I take a gift?", "**b** [x](https://evil.com) <at>a</at>"])
def test_every_button_and_word_stays(text: str) -> None:
    """Of each card that we make, by Microsoft's schema and our own rules."""
    seen = 0
    for payload in every(text):
        for card in cards_of(payload):
            made = plainer(card)
            assert list(pressed(made)) == list(pressed(card)), payload.name
            assert set(said(card)) <= set(said(made)), payload.name
            assert "Action.Execute" not in json.dumps(made)
            assert list(card_rules(made)) == [], payload.name
            bare = {key: value for key, value in made.items() if key != "msteams"}
            assert schema_faults(json.dumps(bare)) == (), payload.name
            seen += 1
    assert seen > 50


def test_it_is_the_shape_before_none() -> None:
    """Each reply with a card in its richest shape has one there, with the same buttons."""
    for setting in (SETTING, PUBLIC):
        for name, reply in replies("May I?"):
            rich = render(reply, FULL, context=setting).activity.get("attachments")
            simple = render(reply, SIMPLE_CARD, context=setting).activity.get("attachments")
            assert bool(rich) == bool(simple), name
            for one, other in zip(rich or (), simple or (), strict=True):  # pyright: ignore
                assert other["content"]["version"] == VERSION  # pyright: ignore
                assert list(pressed(one["content"])) == list(pressed(other["content"]))  # pyright: ignore
