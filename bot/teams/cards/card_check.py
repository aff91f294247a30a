"""What a card of ours may hold, as Teams' schema of Adaptive Cards 1.5 has it: a check without it.

Only elements that we make are known here, with their properties; anything else is a fault. Tests
hold the tables against Microsoft's schema.
"""

from collections.abc import Iterator, Mapping

from bot.teams.cards.elements import CARD_BYTES, LONGEST_URL, size
from core.domain.json_value import Json

WORDS: Mapping[str, frozenset[str]] = {
    "weight": frozenset({"Default", "Lighter", "Bolder"}),
    "size": frozenset({"Default", "Small", "Medium", "Large", "ExtraLarge"}),
    "spacing": frozenset({"None", "Default", "Small", "Medium", "Large", "ExtraLarge", "Padding"}),
    "color": frozenset({"Default", "Accent", "Good", "Warning", "Attention", "Light", "Dark"}),
    "fontType": frozenset({"Default", "Monospace"}),
    "mode": frozenset({"primary", "secondary"}),
}
"""Of properties that take one of some words, whatever holds them, those that we use."""
_ITEM = frozenset({"type", "id", "isVisible", "separator", "spacing"})
_INPUT = _ITEM | {"label", "isRequired", "errorMessage", "value"}
_ACTION = frozenset({"type", "title", "style", "mode", "fallback"})
_TEXT = frozenset({"text", "weight", "size", "color", "isSubtle", "fontType"})
KNOWN: Mapping[str, frozenset[str]] = {
    "AdaptiveCard": frozenset({"type", "$schema", "version", "body", "actions", "refresh"}),
    "TextBlock": _ITEM | _TEXT | {"wrap", "style"},
    "RichTextBlock": _ITEM | {"inlines"},
    "TextRun": _TEXT | {"type", "underline", "selectAction"},
    "Container": _ITEM | {"items", "style", "bleed"},
    "ActionSet": _ITEM | {"actions"},
    "Input.Text": _INPUT | {"isMultiline", "maxLength", "placeholder"},
    "Input.ChoiceSet": _INPUT | {"choices", "style"},
    "Input.Toggle": _INPUT | {"title", "wrap", "valueOn", "valueOff"},
    "Action.Submit": _ACTION | {"data"},
    "Action.Execute": _ACTION | {"data", "verb"},
    "Action.OpenUrl": _ACTION | {"url"},
    "Action.ToggleVisibility": _ACTION | {"targetElements"},
}
"""What an element may hold."""
NEEDED: Mapping[str, tuple[str, ...]] = {
    "AdaptiveCard": ("version", "body"),
    "TextBlock": ("text",),
    "RichTextBlock": ("inlines",),
    "TextRun": ("text",),
    "Container": ("items",),
    "ActionSet": ("actions",),
    "Input.Text": ("id", "label"),
    "Input.ChoiceSet": ("id", "label", "choices"),
    "Input.Toggle": ("id", "title"),
    "Action.OpenUrl": ("url",),
    "Action.ToggleVisibility": ("targetElements",),
}
"""What it must hold, and what readers of a screen need."""
_PLAIN = frozenset({"data", "msteams", "choices"})
"""Objects that are no elements."""


def card_faults(card: Mapping[str, Json]) -> Iterator[str]:
    """Yield what is wrong with a card."""
    if size(dict(card)) > CARD_BYTES:
        yield f"{size(dict(card))} bytes, at most {CARD_BYTES}"
    pieces = list(_pieces({key: one for key, one in card.items() if key != "msteams"}))
    names = [str(piece["id"]) for piece in pieces if "id" in piece]
    if len(names) != len(set(names)):
        yield "an id stands twice"
    for piece in pieces:
        yield from _faults(piece, frozenset(names))


def _faults(piece: Mapping[str, Json], names: frozenset[str]) -> Iterator[str]:
    kind = str(piece.get("type"))
    known = KNOWN.get(kind)
    if known is None:
        yield f"{kind}: not known"
        return
    yield from (f"{kind}: {key} is not known" for key in sorted(piece.keys() - known))
    for key in NEEDED.get(kind, ()):
        if not piece.get(key) and key != "body":
            yield f"{kind}: {key} is missing"
    for key, words in WORDS.items():
        if key in piece and piece[key] not in words:
            yield f"{kind}: {key} is {piece[key]}"
    targets = piece.get("targetElements")
    if isinstance(targets, list) and not {str(one) for one in targets} <= names:
        yield f"{kind}: shows what is not there"
    if len(str(piece.get("url") or "")) > LONGEST_URL:
        yield f"{kind}: an address of more than {LONGEST_URL} characters"


def _pieces(value: Json) -> Iterator[Mapping[str, Json]]:
    """Yield each element, outermost first."""
    if isinstance(value, Mapping):
        if "type" in value:
            yield value
        for key, inner in value.items():
            if key not in _PLAIN:
                yield from _pieces(inner)
    elif isinstance(value, list):
        for one in value:
            yield from _pieces(one)
