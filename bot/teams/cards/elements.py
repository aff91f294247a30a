"""The elements of Adaptive Cards, version 1.5, as Teams shows it.

Foreign text stands in `TextRun`s alone, which parse nothing. `TextBlock`s parse Markdown and hold
text that code wrote. Nothing here turns a text into a link or a mention.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from bot.replies.buttons import Button, Emphasis
from bot.replies.safe_text import cut, pieces
from bot.teams.cards.markdown import address, paragraphs, run_text
from bot.teams.protocol.action_ids import DO, OPENING
from core.domain.json_value import Json
from core.language.languages import Language

Card: TypeAlias = dict[str, Json]
T = TypeVar("T")
VERSION = "1.5"
SCHEMA = "http://adaptivecards.io/schemas/adaptive-card.json"
CARD_TYPE = "application/vnd.microsoft.card.adaptive"
TITLE = 80
"""Characters of a button, which Teams shows on one line."""
RUN = 3_000
LONGEST_URL = 2_000
MESSAGE_BYTES = 80_000
"""Of the whole message as JSON in UTF-16; Teams refuses those near 100,000 (413)."""
CARD_BYTES = 28_000
_STYLES = {Emphasis.MAIN: "positive", Emphasis.DANGER: "destructive"}


def card(
    body: Iterable[Card], actions: Iterable[Card] = (), *, is_wide: bool = True, **more: Json
) -> Card:
    """Return a card."""
    made: Card = {"type": "AdaptiveCard", "$schema": SCHEMA, "version": VERSION}
    if is_wide:
        made["msteams"] = {"width": "Full"}
    made |= {**more, "body": list(body)}
    deeds = list(actions)
    return made | ({"actions": deeds} if deeds else {})


def attached(made: Card) -> Card:
    """Return a card as an attachment of a message, or as that of a dialog."""
    return {"contentType": CARD_TYPE, "content": made}


def text_run(text: str, *, url: str | None = None, **style: bool | str) -> Card:
    """Return a run of text, as a link where there is an address of ours."""
    made: Card = {"type": "TextRun", "text": run_text(text) or "-", **style}
    if url is not None and len(url) <= LONGEST_URL:
        opened: Card = {"type": "Action.OpenUrl", "url": address(url)}
        made |= {"color": "Accent", "underline": True, "selectAction": opened}
    return made


def dated_run(text: str, **style: bool | str) -> Card:
    """Return a run in which code wrote times, and foreign text went through `run_text`."""
    return {"type": "TextRun", "text": text or "-", **style}


def rich_text(*runs: Card, **more: Json) -> Card:
    """Return a line of text that parses nothing."""
    return {"type": "RichTextBlock", "inlines": list(runs) or [text_run("")], **more}


def text_lines(text: str, *, lines: int = 12, **style: bool | str) -> list[Card]:
    """Return a whole text, one element for each of its first `lines` lines."""
    return [
        rich_text(text_run(piece, url=None, **style))
        for line in paragraphs(text, most=lines)
        for piece in pieces(line, RUN)
    ]


def paragraph(text: str, **style: Json) -> Card:
    """Return a paragraph that code wrote; foreign text must not go in here."""
    return {"type": "TextBlock", "text": text, "wrap": True, **style}


def small_print(text: str) -> Card:
    """Return small print, of any text."""
    return rich_text(text_run(text, size="Small", isSubtle=True), spacing="Small")


def container(items: Sequence[Card], **more: Json) -> Card:
    """Return a container."""
    return {"type": "Container", **more, "items": list(items)}


def collapsed(title: str, name: str, items: Sequence[Card]) -> list[Card]:
    """Return a button and the container that it shows and hides; code wrote the title."""
    toggle: Card = {
        "type": "Action.ToggleVisibility",
        "title": cut(title, TITLE),
        "targetElements": [name],
    }
    row: Card = {"type": "ActionSet", "actions": [toggle]}
    return [row, container(items, id=name, isVisible=False)]


def dialog_button(name: str, title: str, data: Mapping[str, Json], **more: Json) -> Card:
    """Return a button that opens a dialog."""
    asked: Card = {"msteams": {"type": "task/fetch"}, DO: name, **data}
    return {"type": "Action.Submit", "title": cut(title, TITLE), "data": asked, **more}


def submit_button(name: str, title: str, data: Mapping[str, Json]) -> Card:
    """Return the button that sends what was entered in a dialog."""
    return {"type": "Action.Submit", "title": cut(title, TITLE), "data": {DO: name, **data}}


def execute_button(name: str, title: str, data: Mapping[str, Json], **more: Json) -> Card:
    """Return a button that may change its card; an older client sends a message instead."""
    shown = cut(title, TITLE)
    simple: Card = {"type": "Action.Submit", "title": shown, "data": {DO: name, **data}}
    made: Card = {"type": "Action.Execute", "title": shown, "verb": name, "data": dict(data)}
    return made | more | {"fallback": simple}


def press_button(shown: Button, data: Mapping[str, Json], language: Language) -> Card:
    """Return a button that replies share; one that opens a dialog only does that."""
    style: Card = {"style": _STYLES[shown.emphasis]} if shown.emphasis else {}
    make = dialog_button if shown.act in OPENING else execute_button
    return make(shown.act.value, shown.text.of(language), data, **style)


def with_data(made: Card, more: Mapping[str, Json]) -> Card:
    """Return a card whose first button that carries data carries more of it."""
    buttons = made.get("actions")
    changed, is_done = list[Json](), False
    for one in buttons if isinstance(buttons, list) else ():
        is_next = isinstance(one, dict) and "data" in one and not is_done
        changed.append(_carrying(one, more) if isinstance(one, dict) and is_next else one)
        is_done = is_done or is_next
    return made | {"actions": changed} if is_done else made


def _carrying(button: Card, more: Mapping[str, Json]) -> Card:
    data, fallback = button.get("data"), button.get("fallback")
    made = button | {"data": {**(data if isinstance(data, dict) else {}), **more}}
    return made | ({"fallback": _carrying(fallback, more)} if isinstance(fallback, dict) else {})


def link_button(title: str, url: str) -> Card:
    """Return a button that opens one of our addresses."""
    return {"type": "Action.OpenUrl", "title": cut(title, TITLE), "url": address(url)}


def size(value: Json) -> int:
    """Return how many bytes it is as JSON in UTF-16, the way in which Teams counts."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-16-le", "surrogatepass"))


def fitting(sizes: Iterable[T], make: Callable[[T], Card], *, most: int = CARD_BYTES) -> Card:
    """Return the first card of at most so many bytes, made in each size in turn; else the last."""
    made = card([])
    for one in sizes:
        made = make(one)
        if size(made) <= most:
            break
    return made
