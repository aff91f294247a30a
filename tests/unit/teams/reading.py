"""What of a payload would be live in Teams: links, mentions, images, HTML. A reader of its own.

Messages in Markdown are read by a CommonMark parser that also knows HTML, tables and strikethrough;
bare addresses are sought in every text, since nobody says which of them a client links.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.unit.teams.payloads import Payload, cards_of, pieces

BARE = re.compile(
    r"(?<![^\W_])(?:https?://|mailto:|www\.)[^\s<>|)\"]+"
    r"|\b(?:[\w-]+\.)+(?:com|org|net|io|dev|co|eu|example|info|app|xyz|ru|cn|uk|de|be|zip)\b[^\s<>|)\"]*",
    re.IGNORECASE,
)
_OWN_DATES = re.compile(r"\{\{(?:DATE|TIME)\((?!2020-01-01T00:00:00Z)[\dT:Z-]{20}(?:,SHORT)?\)\}\}")
"""Dates that a card of ours has; those of 2020 are in hostile texts."""
_DATES = re.compile(r"\{\{\s*(?:DATE|TIME)\b", re.IGNORECASE)
_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_CODE_BLOCKS = {"code_block", "fence", "code_inline", "heading_open", "hr", "table_open", "s_open"}
_LISTS = {"bullet_list_open", "ordered_list_open"}


@dataclass(slots=True)
class Live:
    """What is live."""

    links: list[str] = field(default_factory=list[str])
    mentions: list[str] = field(default_factory=list[str])
    images: list[str] = field(default_factory=list[str])
    html: list[str] = field(default_factory=list[str])
    markup: list[str] = field(default_factory=list[str])
    """Blocks and spans that code never writes."""
    parsed: list[str] = field(default_factory=list[str])
    """Texts in places of a card that parse what they hold."""


def live_in(payload: Payload) -> Live:
    """Return what is live."""
    found = Live()
    activity = payload.activity or {}
    if activity:
        _message(activity, found)
    for card in cards_of(payload):
        _card(card, found)
    return found


def words_of(text: str) -> str:
    """Return what a reader of Markdown sees of a text."""
    return "\n".join(_words(_READER.parse(text)))


def _words(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield "".join(one.content for one in token.children or ())


def _message(activity: dict[str, Any], found: Live) -> None:
    text = str(activity.get("text") or "")
    for one in activity.get("entities", ()):
        if one["type"] == "mention":
            text = text.replace(one["text"], "", 1)
    if activity.get("textFormat", "markdown") != "plain":
        for token in _tokens(_READER.parse(text)):
            _token(token, found)
    else:
        found.links += BARE.findall(text)
    for entity in activity.get("entities", ()):
        if entity["type"] == "mention":
            found.mentions.append(entity["mentioned"]["id"])
        for one in entity.get("citation", ()):
            found.links += [one["appearance"]["url"]] if "url" in one["appearance"] else []
            found.links += BARE.findall(one["appearance"]["abstract"])
            found.links += BARE.findall(one["appearance"]["name"])
    for one in activity.get("suggestedActions", {}).get("actions", ()):
        assert one["type"] == "imBack"
        assert one["title"] == one["value"]
        found.links += BARE.findall(one["title"])


def _tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _tokens(token.children or [])


def _token(token: Token, found: Live) -> None:
    if token.type == "link_open":
        found.links.append(str(token.attrGet("href")))
    elif token.type == "image":
        found.images.append(str(token.attrGet("src")))
    elif token.type in {"html_block", "html_inline"}:
        found.html.append(token.content)
    elif token.type in _CODE_BLOCKS | _LISTS:
        found.markup.append(token.type)
    elif token.type == "text":
        found.links += BARE.findall(token.content)


def _card(card: dict[str, Any], found: Live) -> None:
    for piece in pieces(card):
        kind = piece.get("type")
        if "url" in piece:
            found.links.append(str(piece["url"]))
        if kind in {"Image", "Media", "ImageSet"} or "backgroundImage" in piece:
            found.images.append(json.dumps(piece)[:200])
        if kind in {"TextBlock", "Fact", "FactSet"}:
            found.parsed.append(str(piece.get("text")))
        if kind == "TextRun":
            text = str(piece["text"])
            found.links += BARE.findall(text)
            found.markup += _DATES.findall(_OWN_DATES.sub("", text))
