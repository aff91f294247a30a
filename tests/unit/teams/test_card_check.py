"""What the shipped check knows of cards is what Microsoft's schema says, as far as we use it."""

import json
from typing import Any

import pytest

from bot.teams.cards.card_check import KNOWN, WORDS, card_faults
from bot.teams.cards.elements import card, paragraph
from tests.unit.slack.payloads import defanged_once
from tests.unit.teams.payloads import cards_of, every, schema

__all__ = ["defanged_once"]
SCHEMA: Any = schema().schema  # pyright: ignore[reportUnknownMemberType]


def properties(name: str) -> dict[str, Any]:
    """Return what Microsoft's schema lets an element hold, with what it takes from others."""
    found: dict[str, Any] = {}
    definition = SCHEMA["definitions"][name]
    for one in (definition, *definition.get("allOf", ()), *definition.get("anyOf", ())):
        found |= one.get("properties", {})
        if "$ref" in one:
            found |= properties(one["$ref"].rpartition("/")[2])
    return found


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_property_is_microsofts(name: str) -> None:
    """None of ours is invented."""
    assert KNOWN[name] <= set(properties(name)) | {"type", "$schema"}


@pytest.mark.parametrize("word", sorted(WORDS))
def test_every_word_is_microsofts(word: str) -> None:
    """Wherever the schema lists the words of a property, ours are among them."""
    listed = json.dumps(SCHEMA).casefold()
    assert all(f'"{one.casefold()}"' in listed for one in WORDS[word])


def test_every_card_keeps_to_it() -> None:
    """All that are made, from a text that takes each place."""
    for payload in every("May I take a gift?"):
        for one in cards_of(payload):
            assert list(card_faults(one)) == [], payload.name


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        ({"type": "Image", "url": "https://x.test/p.png"}, "Image: not known"),
        ({"type": "TextBlock"}, "TextBlock: text is missing"),
        ({**paragraph("x"), "onclick": "y"}, "TextBlock: onclick is not known"),
        (paragraph("x", weight="Heavy"), "TextBlock: weight is Heavy"),
        (paragraph("x" * 30_000), "bytes, at most"),
        ({"type": "Container", "items": []}, "Container: items is missing"),
    ],
)
def test_faults_are_named(piece: dict[str, Any], fault: str) -> None:
    """Each in a line."""
    assert any(fault in one for one in card_faults(card([piece])))
