"""Thumbs, and the way to take an answer back: a row of its own, with words for screen readers."""

from bot.slack import names
from bot.slack.elements import ID, Block, person, plain


def feedback_block(answer_id: str, asker: str) -> Block:
    """Return the row; only the asker, if known, sees "Remove"."""
    elements = [_thumbs(answer_id), *([_remove(answer_id, asker)] if person(asker) else [])]
    return {"type": "context_actions", "block_id": f"fb:{answer_id}"[:ID], "elements": elements}


def _thumbs(answer_id: str) -> Block:
    return {
        "type": "feedback_buttons",
        "action_id": names.FEEDBACK,
        "positive_button": _thumb(answer_id, "up", "Helpful", "Mark this answer helpful"),
        "negative_button": _thumb(answer_id, "down", "Not helpful", "Mark this answer not helpful"),
    }


def _thumb(answer_id: str, choice: str, text: str, label: str) -> Block:
    return {
        "text": plain(text),
        "value": names.value_of(answer_id, choice),
        "accessibility_label": label,
    }


def _remove(answer_id: str, asker: str) -> Block:
    return {
        "type": "icon_button",
        "action_id": names.REMOVE,
        "icon": "trash",
        "text": plain("Remove"),
        "value": answer_id,
        "accessibility_label": "Remove this answer",
        "visible_to_user_ids": [asker],
        "confirm": {
            "title": plain("Remove this answer?"),
            "text": plain("It disappears from the thread. Its record is kept."),
            "confirm": plain("Remove"),
            "deny": plain("Keep"),
        },
    }
