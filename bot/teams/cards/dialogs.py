"""Bodies of the replies to invokes: dialogs, lines in their place, cards in place of cards."""

from bot.replies.text import line
from bot.teams.cards.elements import CARD_TYPE, Card, attached

MESSAGE_TYPE = "application/vnd.microsoft.activity.message"
ERROR_TYPE = "application/vnd.microsoft.error"
NOTHING: Card = {}
"""The only reply that Teams takes to feedback."""


def opened(title: str, card: Card, *, is_large: bool = False) -> Card:
    """Return a dialog, or its next page; for `task/fetch`, `task/submit` and extensions."""
    shown: Card = {
        "title": line(title, limit=60),
        "height": "large" if is_large else "medium",
        "width": "medium",
        "card": attached(card),
    }
    return {"task": {"type": "continue", "value": shown}}


def told(text: str) -> Card:
    """Return a line that takes the place of a dialog; what code wrote."""
    return {"task": {"type": "message", "value": text}}


def replaced(card: Card) -> Card:
    """Return the card that takes the place of the one that was pressed."""
    return {"statusCode": 200, "type": CARD_TYPE, "value": card}


def whispered(text: str) -> Card:
    """Return a line that only who pressed sees; the card stays."""
    return {"statusCode": 200, "type": MESSAGE_TYPE, "value": text}


def refused(text: str, *, status: int = 403) -> Card:
    """Return that a press did nothing; 403: that person may not."""
    code = "Forbidden" if status == 403 else "BadRequest"  # noqa: PLR2004
    return {"statusCode": status, "type": ERROR_TYPE, "value": {"code": code, "message": text}}
