"""Thumbs, and the way to take an answer back: a row of its own, with words for screen readers."""

from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import ID, Block, actions, button, person, plain

_UP, _DOWN = "Mark this answer helpful", "Mark this answer not helpful"


def feedback_block(answer_id: str, asker: str) -> Block:
    """Return the row; only the asker, if known, sees "Remove"."""
    elements = [_thumbs(answer_id), *([_remove(answer_id, asker)] if person(asker) else [])]
    return {"type": "context_actions", "block_id": f"fb:{answer_id}"[:ID], "elements": elements}


def feedback_buttons(answer_id: str) -> Block:
    """Return the thumbs as two plain buttons, where Slack has no row for them."""
    up = action_ids.value_of(answer_id, "up")
    down = action_ids.value_of(answer_id, "down")
    return actions(
        f"fb:{answer_id}",
        button(f"{action_ids.FEEDBACK}:up", "Helpful", up, label=_UP),
        button(f"{action_ids.FEEDBACK}:down", "Not helpful", down, label=_DOWN),
    )


def _thumbs(answer_id: str) -> Block:
    return {
        "type": "feedback_buttons",
        "action_id": action_ids.FEEDBACK,
        "positive_button": _thumb(answer_id, "up", "Helpful", _UP),
        "negative_button": _thumb(answer_id, "down", "Not helpful", _DOWN),
    }


def _thumb(answer_id: str, choice: str, text: str, label: str) -> Block:
    return {
        "text": plain(text),
        "value": action_ids.value_of(answer_id, choice),
        "accessibility_label": label,
    }


def _remove(answer_id: str, asker: str) -> Block:
    return {
        "type": "icon_button",
        "action_id": action_ids.REMOVE,
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
