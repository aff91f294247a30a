"""What every modal has in common: titles, metadata, inputs, and the answers to a submit."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from bot.replies.text import cut, line, short
from bot.slack.blocks.action_ids import VIEW_DONE
from bot.slack.blocks.elements import BUTTON, TEXT, VIEW_TITLE, Block, plain, section
from core.domain.errors import ContractError
from core.domain.run import Json

INPUT = 3_000
"""Characters that Slack lets somebody type into one input."""
METADATA = 3_000


def modal(
    title: str,
    blocks: Sequence[Block],
    *,
    callback_id: str,
    metadata: Mapping[str, Json] | None = None,
    submit: str | None = None,
) -> Block:
    """Return a modal; `metadata` are ids, which come back from a client and prove nothing."""
    made: Block = {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain(title, VIEW_TITLE),
        "close": plain("Cancel" if submit else "Close", VIEW_TITLE),
        "blocks": list(blocks),
    }
    if submit:
        made["submit"] = plain(submit, VIEW_TITLE)
    if metadata:
        made["private_metadata"] = json.dumps(metadata, separators=(",", ":"))[:METADATA]
    return made


def ids_in(context: str) -> dict[str, str]:
    """Read the ids that a modal of ours carried; a client may have changed them.

    Raises:
        ContractError: It is none of ours.
    """
    try:
        told = json.loads(context)
    except ValueError as error:
        raise ContractError("expected the metadata of a form as we wrote it") from error
    if not isinstance(told, dict):
        raise ContractError("expected the metadata of a form as we wrote it")
    ids = cast("dict[str, Json]", told)
    return {key: value for key, value in ids.items() if isinstance(value, str)}


def message_modal(title: str, text: str) -> Block:
    """Return a modal that says one thing."""
    return modal(line(title), [section(short(text, TEXT))], callback_id=VIEW_DONE)


def updated(view: Block) -> Block:
    """Return the answer to a submit that shows another view in place of it."""
    return {"response_action": "update", "view": view}


def errors(wrong: Mapping[str, str]) -> Block:
    """Return the answer to a submit with wrong fields, by their `block_id`."""
    return {
        "response_action": "errors",
        "errors": {block_id: cut(text, 150) for block_id, text in wrong.items()},
    }


def asked(block_id: str, label: str, element: Block, *, is_optional: bool = False) -> Block:
    """Return an input; its element is called `v`."""
    made: Block = {
        "type": "input",
        "block_id": block_id,
        "label": plain(label, 200),
        "element": {**element, "action_id": "v"},
    }
    if is_optional:
        made["optional"] = True
    return made


def typed_in(
    *, limit: int = INPUT, least: int = 0, hint: str | None = None, initial: str = ""
) -> Block:
    """Return an element for several lines of text."""
    made: Block = {"type": "plain_text_input", "multiline": True, "max_length": min(limit, INPUT)}
    if least:
        made["min_length"] = least
    if hint:
        made["placeholder"] = plain(hint, 150)
    if initial:
        made["initial_value"] = cut(initial, min(limit, INPUT))
    return made


def options(choices: Iterable[tuple[str, str]]) -> list[Json]:
    """Return options of a menu, by their value and words."""
    return [{"text": plain(text, BUTTON), "value": value} for value, text in choices]
