"""What Teams refuses or shows wrongly and no validator finds: limits of messages and cards."""

from collections.abc import Iterator, Mapping, Sequence

from bot.teams.cards.elements import CARD_BYTES, MESSAGE_BYTES, size
from bot.teams.cards.plainer import VERSION as SIMPLE
from core.domain.json_value import Json

SUGGESTED = 3
CITATIONS, NAME, ABSTRACT, KEYWORDS, KEYWORD = 10, 80, 160, 3, 28
INFORMATIVE = 1_000
REFRESHED = 60
"""People for whom a card is kept fresh."""
ROOT = "https://schema.org/Message"


def own_rules(activity: Mapping[str, Json]) -> Iterator[str]:
    """Yield each fault of an activity, its cards among it."""
    if size(activity) > MESSAGE_BYTES:
        yield f"{size(activity)} bytes, at most {MESSAGE_BYTES}"
    if activity.get("textFormat") == "xml":
        yield "textFormat xml"
    text = str(activity.get("text") or "")
    attachments = _objects(activity.get("attachments"))
    if activity.get("type") == "message" and not text.strip() and not attachments:
        yield "an empty message"
    if activity.get("type") == "typing" and _width(text) > INFORMATIVE:
        is_step = _object(activity.get("channelData")).get("streamType") == "informative"
        yield from ["a step of more than 1,000 characters"] if is_step else []
    suggested = _object(activity.get("suggestedActions"))
    if len(_objects(suggested.get("actions"))) > SUGGESTED:
        yield "more than 3 suggested actions"
    yield from _entities(_objects(activity.get("entities")), text)
    for one in attachments:
        yield from card_rules(_object(one.get("content")))


def card_rules(card: Mapping[str, Json]) -> Iterator[str]:
    """Yield each fault of a card."""
    if size(card) > CARD_BYTES:
        yield f"a card of {size(card)} bytes, at most {CARD_BYTES}"
    if card.get("version") not in {"1.5", SIMPLE}:
        yield "a card of another version than 1.5 or, in its simple shape, 1.2"
    if len(_list(_object(card.get("refresh")).get("userIds"))) > REFRESHED:
        yield "a card kept fresh for more than 60 people"
    pieces = list(_pieces(card))
    ids = [piece["id"] for piece in pieces if "id" in piece]
    if len(ids) != len(set(map(str, ids))):
        yield "an id used twice in a card"
    for piece in pieces:
        yield from _piece(piece, ids)


def _entities(entities: Sequence[Mapping[str, Json]], text: str) -> Iterator[str]:
    roots = [one for one in entities if one.get("type") == ROOT]
    if len(roots) > 1:
        yield "more than one root entity"
    for one in entities:
        if one.get("type") == "mention" and str(one.get("text")) not in text:
            yield "a mention that is not in the text"
    for root in roots:
        cited = _objects(root.get("citation"))
        if len(cited) > CITATIONS:
            yield f"{len(cited)} citations, at most {CITATIONS}"
        for one in cited:
            yield from _citation(one, root)


def _citation(one: Mapping[str, Json], root: Mapping[str, Json]) -> Iterator[str]:
    document = _object(one.get("appearance"))
    name, abstract = str(document.get("name") or ""), str(document.get("abstract") or "")
    if not 0 < _width(name) <= NAME:
        yield f"a citation's name of {_width(name)} characters"
    if not 0 < _width(abstract) <= ABSTRACT:
        yield f"a citation's abstract of {_width(abstract)} characters"
    keywords = [str(word) for word in _list(document.get("keywords"))]
    if len(keywords) > KEYWORDS or any(_width(word) > KEYWORD for word in keywords):
        yield "too many keywords, or too long ones"
    if "usageInfo" in document and document["usageInfo"] != root.get("usageInfo"):
        yield "a citation's sensitivity that is not the message's"


def _piece(piece: Mapping[str, Json], ids: Sequence[Json]) -> Iterator[str]:
    kind = piece.get("type")
    if kind in {"Image", "ImageSet", "Media", "FactSet"}:
        yield f"{kind}, which loads or parses what it holds"
    targets = set(map(str, _list(piece.get("targetElements"))))
    if not targets <= set(map(str, ids)):
        yield "a button that shows nothing"
    if kind == "Action.Execute" and "title" in piece and "fallback" not in piece:
        yield "Action.Execute without a fallback"
    if kind == "RichTextBlock" and not _objects(piece.get("inlines")):
        yield "an empty RichTextBlock"


def _pieces(value: Json) -> Iterator[Mapping[str, Json]]:
    """Yield each object with a type, but for the data of buttons."""
    if isinstance(value, Mapping):
        if "type" in value:
            yield value
        for key, inner in value.items():
            if key != "data":
                yield from _pieces(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _pieces(inner)


def _width(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _object(given: Json) -> Mapping[str, Json]:
    return given if isinstance(given, Mapping) else {}


def _list(given: Json) -> Sequence[Json]:
    return given if isinstance(given, Sequence) and not isinstance(given, str) else []


def _objects(given: Json) -> list[Mapping[str, Json]]:
    return [one for one in _list(given) if isinstance(one, Mapping)]
