"""A card in the simplest elements: what Teams refuses in one shape stands in another.

Every button stays, with what it carries. Foreign text stays in `TextRun`s, which parse nothing, and
which cards of version 1.2 have already.
"""

from collections.abc import Iterator, Mapping

from bot.teams.cards.elements import SCHEMA, Card, paragraph
from core.domain.json_value import Json

VERSION = "1.2"
_KEPT = ("type", "title", "data", "url")
"""Of a button; how it stands out, and what only newer clients know, goes."""
_RUN = ("type", "text", "weight", "size", "isSubtle", "color", "selectAction")


def plainer(card: Mapping[str, Json]) -> Card:
    """Return a card as lines, inputs and buttons alone, all of it visible."""
    body = list[Json](one for item in _objects(card, "body") for one in _plainer(item))
    buttons = list[Json](_button(one) for one in _objects(card, "actions"))
    made: Card = {"type": "AdaptiveCard", "$schema": SCHEMA, "version": VERSION, "body": body}
    return made | ({"actions": buttons} if buttons else {})


def _plainer(item: Card) -> Iterator[Card]:
    match item.get("type"):
        case "Container":
            for inner in _objects(item, "items"):
                yield from _plainer(inner)
        case "ActionSet":
            # What it showed and hid stands open; it has no other buttons.
            titles = [str(one.get("title") or "") for one in _objects(item, "actions")]
            yield from (paragraph(title, weight="Bolder") for title in titles if title)
        case "RichTextBlock":
            runs = list[Json](_only(one, _RUN) for one in _objects(item, "inlines"))
            yield {"type": "RichTextBlock", "inlines": runs}
        case "TextBlock":
            yield paragraph(str(item.get("text") or "-"))
        case _:
            yield item


def _button(action: Card) -> Card:
    """Return a button that every client knows: one that changes its card sends a message."""
    fallback = action.get("fallback")
    is_newer = action.get("type") == "Action.Execute" and isinstance(fallback, dict)
    return _only(fallback if is_newer and isinstance(fallback, dict) else action, _KEPT)


def _only(held: Card, keys: tuple[str, ...]) -> Card:
    return {key: held[key] for key in keys if key in held}


def _objects(held: Mapping[str, Json], key: str) -> list[Card]:
    found = held.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
