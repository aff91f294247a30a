"""A message of Teams as HTML: its Markdown here, its cards by Microsoft's renderer in the page."""

import json
import re
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from tests.pictures.slack import ICONS
from tests.servers.teams.wire import Json

CARDS = ("adaptivecards", "3.0.6")
"""The package on npm that draws cards, and its version."""
_MARKDOWN = MarkdownIt("commonmark")
_CITED = re.compile(r"\[(\d{1,3})\]")
HOST: Json = {
    "fontFamily": "inherit",
    "spacing": {"small": 4, "default": 8, "medium": 12, "large": 16, "padding": 12},
    "fontSizes": {"small": 12, "default": 14, "medium": 16, "large": 18, "extraLarge": 22},
    "fontWeights": {"lighter": 300, "default": 400, "bolder": 600},
    "actions": {
        "maxActions": 6,
        "actionsOrientation": "horizontal",
        "actionAlignment": "left",
        "buttonSpacing": 8,
    },
    "containerStyles": {
        "default": {
            "backgroundColor": "#ffffff",
            "foregroundColors": {
                "default": {"default": "#242424", "subtle": "#616161"},
                "accent": {"default": "#4f52b2", "subtle": "#4f52b2"},
            },
        },
        "emphasis": {
            "backgroundColor": "#f5f5f5",
            "foregroundColors": {"default": {"default": "#242424", "subtle": "#616161"}},
        },
    },
}
"""Colours and sizes of Teams' light theme, as its cards have them."""
DARK = {
    "#ffffff": "#292929",
    "#242424": "#ffffff",
    "#616161": "#adadad",
    "#4f52b2": "#7f85f5",
    "#f5f5f5": "#1f1f1f",
}
"""Colours of the light theme as the dark one has them."""
DRAW = """
const host = new AdaptiveCards.HostConfig(%s);
for (const place of document.querySelectorAll(".card")) {
  const card = new AdaptiveCards.AdaptiveCard();
  card.hostConfig = host;
  card.parse(JSON.parse(place.dataset.card));
  place.appendChild(card.render());
}
document.body.dataset.drawn = "1";
"""


def message(activity: Json, *, is_open: bool = True) -> str:
    """Return the HTML of a message; its cards are drawn once the page runs `script`.

    `is_open`: as somebody has opened what is collapsed in them.
    """
    text = _CITED.sub(r"<sup>\1</sup>", _MARKDOWN.render(activity.get("text") or ""))
    for icon, drawn in ICONS.items():
        text = text.replace(icon, drawn)
    cards = (one["content"] for one in activity.get("attachments") or ())
    shown = (
        f"<div class='card' data-card='{_attribute(card, is_open=is_open)}'></div>"
        for card in cards
    )
    return f"{_label(activity)}{text}{''.join(shown)}{_offered(activity)}{_thumbs(activity)}"


def script(theme: str = "light") -> str:
    """Return what draws the cards of a page."""
    host = json.dumps(HOST)
    for light, dark in DARK.items() if theme == "dark" else ():
        host = host.replace(f'"{light}"', f'"!{dark[1:]}"')
    return DRAW % host.replace('"!', '"#')


def _offered(activity: Json) -> str:
    """Return the questions that one press asks."""
    held: dict[str, Any] = activity.get("suggestedActions") or {}
    told: list[dict[str, str]] = held.get("actions", [])
    shown = "".join(f"<span>{escape(one['title'])}</span>" for one in told)
    return f"<div class='offered'>{shown}</div>" if shown else ""


def _label(activity: Json) -> str:
    """Return what Teams says above a message that is marked as generated."""
    entities = activity.get("entities") or ()
    is_generated = any("AIGeneratedContent" in one.get("additionalType", ()) for one in entities)
    return "<span class='generated'>AI-generated</span>" if is_generated else ""


def _thumbs(activity: Json) -> str:
    has_loop = "feedbackLoop" in activity.get("channelData", {})
    return "<div class='thumbs'><span>Like</span><span>Dislike</span></div>" if has_loop else ""


def _attribute(card: Json, *, is_open: bool) -> str:
    shown = _opened(card) if is_open else card
    return json.dumps(shown).replace("&", "&amp;").replace("'", "&#39;")


def _opened(card: Json) -> Json:
    """Return a card as somebody has opened what is collapsed in it."""
    body = [{**one, "isVisible": True} for one in card["body"]]
    return {**card, "body": body}
