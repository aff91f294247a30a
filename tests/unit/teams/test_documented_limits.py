"""Teams' documented limits, each with its page: no message, card or dialog of ours passes one.

Text of any length stands in every place at once, in each of the shapes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from bot.teams.cards.elements import size
from bot.teams.cards.plainer import plainer
from bot.teams.cards.render import FULL, render
from tests.unit.slack.payloads import case, defanged_once, stored
from tests.unit.teams.payloads import SETTING, Payload, cards_of, every

__all__ = ["defanged_once"]
LEARN = "https://learn.microsoft.com/en-us/microsoftteams/platform"
MESSAGES = f"{LEARN}/bots/how-to/format-your-bot-messages"
AI = f"{LEARN}/bots/how-to/format-ai-bot-messages"
STREAMS = f"{LEARN}/bots/streaming-ux"
CARDS = f"{LEARN}/task-modules-and-cards/cards/cards-reference"
SUGGESTED = f"{LEARN}/bots/how-to/conversations/suggested-actions"
UNIVERSAL = f"{LEARN}/task-modules-and-cards/cards/universal-actions-for-adaptive-cards"
REFRESH = f"{UNIVERSAL}/work-with-universal-actions-for-adaptive-cards"
LONG = "Gifts & hospitality <b> \N{GRINNING FACE} of suppliers: " * 200
Measure = Callable[[Payload], Iterator[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One figure of Microsoft's documentation."""

    name: str
    most: int
    page: str
    measured: Measure


def width(text: Any) -> int:
    """Return UTF-16 units."""
    return len(str(text).encode("utf-16-le", "surrogatepass")) // 2


def message_bytes(payload: Payload) -> Iterator[int]:
    if payload.activity is not None:
        yield size(payload.activity)


def card_bytes(payload: Payload) -> Iterator[int]:
    yield from (size(card) for card in cards_of(payload))


def suggestions(payload: Payload) -> Iterator[int]:
    offered = (payload.activity or {}).get("suggestedActions")
    if offered:
        yield len(offered["actions"])


def entities(payload: Payload) -> list[dict[str, Any]]:
    found: Any = (payload.activity or {}).get("entities", ())
    return [one for one in found if one.get("type") == "https://schema.org/Message"]


def roots(payload: Payload) -> Iterator[int]:
    if payload.activity is not None:
        yield len(entities(payload))


def citations(payload: Payload) -> Iterator[int]:
    yield from (len(one.get("citation", ())) for one in entities(payload))


def of_citation(key: str) -> Measure:
    def measured(payload: Payload) -> Iterator[int]:
        for entity in entities(payload):
            for one in entity.get("citation", ()):
                yield width(one["appearance"].get(key, ""))

    return measured


def keywords(payload: Payload) -> Iterator[int]:
    for entity in entities(payload):
        for one in entity.get("citation", ()):
            yield len(one["appearance"].get("keywords", ()))


def keyword(payload: Payload) -> Iterator[int]:
    for entity in entities(payload):
        for one in entity.get("citation", ()):
            yield from map(width, one["appearance"].get("keywords", ()))


def informative(payload: Payload) -> Iterator[int]:
    activity = payload.activity or {}
    if (activity.get("channelData") or {}).get("streamType") == "informative":
        yield width(activity["text"])


def refreshed(payload: Payload) -> Iterator[int]:
    for card in cards_of(payload):
        if "refresh" in card:
            yield len(card["refresh"]["userIds"])


def primary(payload: Payload) -> Iterator[int]:
    """Buttons that are not behind "…"; Teams shows six."""
    for card in cards_of(payload):
        yield sum(one.get("mode") != "secondary" for one in card.get("actions", ()))


LIMITS = (
    Limit(name="bytes of a message", most=100_000, page=MESSAGES, measured=message_bytes),
    Limit(name="bytes of a card", most=28_000, page=CARDS, measured=card_bytes),
    Limit(name="buttons of a card", most=6, page=CARDS, measured=primary),
    Limit(name="suggested actions", most=3, page=SUGGESTED, measured=suggestions),
    Limit(name="root entities", most=1, page=AI, measured=roots),
    Limit(name="citations", most=20, page=AI, measured=citations),
    Limit(name="name of a citation", most=80, page=AI, measured=of_citation("name")),
    Limit(name="abstract of a citation", most=160, page=AI, measured=of_citation("abstract")),
    Limit(name="keywords of a citation", most=3, page=AI, measured=keywords),
    Limit(name="a keyword", most=28, page=AI, measured=keyword),
    Limit(name="a step of a stream", most=1_000, page=STREAMS, measured=informative),
    Limit(name="people for whom a card is fresh", most=60, page=REFRESH, measured=refreshed),
)


@cache
def made() -> tuple[Payload, ...]:
    """Return everything that is sent, and each card in its simple shape."""
    found = [one for text in (LONG, "May I?") for one in every(text)]
    simple = [
        Payload(name=f"{one.name}, simple", card=plainer(card))
        for one in found
        for card in cards_of(one)
    ]
    many = replace(SETTING, officers=tuple(f"29:{number}" for number in range(200)))
    card = replace(stored(None), case=case("May I?", None))
    fresh = Payload(name="case, many officers", activity=render(card, FULL, context=many).activity)
    return (*found, *simple, fresh)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda one: one.name)
def test_a_limit(limit: Limit) -> None:
    """It is looked at at least once, and never passed."""
    measured = [(count, one.name) for one in made() for count in limit.measured(one)]
    assert measured, limit.name
    assert max(measured)[0] <= limit.most, (max(measured), limit.page)
