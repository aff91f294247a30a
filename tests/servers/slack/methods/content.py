"""What a message may hold: text, blocks, attachments, metadata."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.servers.slack.blocks import MARKDOWN, blocks_faults, kinds_of
from tests.servers.slack.methods.call import Call
from tests.servers.slack.wire import Json, RefusedError, is_object, objects

MOST_METADATA = 16 * 1024
"""Bytes. Slack names no figure; ours are below one kilobyte."""
MANNER = ("parse", "link_names", "unfurl_links", "unfurl_media", "mrkdwn", "reply_broadcast")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a call wants to show; None where it says nothing."""

    text: str | None
    blocks: list[Json] | None
    attachments: list[Json] | None
    metadata: Json | None
    sent: Json = field(default_factory=dict)


def read_content(call: Call, *, longest: int) -> Content:
    """Return what was sent.

    Raises:
        RefusedError: `no_text`, `msg_too_long`, `invalid_blocks`, `markdown_text_conflict`, …
    """
    given = call.arguments
    text = given.text("text") if "text" in given else None
    blocks, attachments = read_blocks(call), given.array("attachments", "invalid_attachments")
    sent: Json = {name: given.raw(name) for name in MANNER if name in given}
    if "markdown_text" in given:
        if text or blocks:
            raise RefusedError("markdown_text_conflict")
        text, sent["markdown_text"] = given.text("markdown_text"), True
        longest = MARKDOWN
    if not (text or blocks or attachments):
        raise RefusedError("no_text")
    if text is not None and len(text) > longest:
        raise RefusedError("msg_too_long")
    if len(attachments or ()) > 100:
        raise RefusedError("too_many_attachments")
    return Content(
        text=text,
        blocks=blocks,
        attachments=None if attachments is None else objects(attachments),
        metadata=read_metadata(given.raw("metadata")),
        sent=sent,
    )


def read_blocks(call: Call) -> list[Json] | None:
    """Return the blocks of a message, checked.

    Raises:
        RefusedError: `invalid_blocks`, `invalid_blocks_format`.
    """
    blocks = call.arguments.array("blocks", "invalid_blocks_format")
    if blocks is None:
        return None
    faults = [*blocks_faults(blocks, "message"), *unknown_kinds(call, blocks)]
    if faults:
        raise RefusedError("invalid_blocks", *faults, errors=faults)
    return named(objects(blocks), call)


def unknown_kinds(call: Call, blocks: Any) -> list[str]:
    """Return the kinds of blocks that this Slack does not take."""
    known = call.workspace.knobs.only_blocks
    strange = sorted(kinds_of(blocks) - known) if known is not None else []
    return [f"unsupported type: {kind} [json-pointer:/blocks]" for kind in strange]


def named(blocks: list[Json], call: Call) -> list[Json]:
    """Give each block an id, and each element that can be pressed an action id, as Slack does."""
    return [_named(block, call, is_block=True) for block in blocks]


def _named(thing: Json, call: Call, *, is_block: bool) -> Json:
    named_thing = dict(thing)
    if is_block:
        named_thing.setdefault("block_id", f"b{call.workspace.number()}")
    elif thing.get("type") in _PRESSED:
        named_thing.setdefault("action_id", f"a{call.workspace.number()}")
    for key, inner_is_block in (("child_blocks", True), ("elements", False)):
        if key in thing and thing.get("type") in {"actions", "context_actions", "container"}:
            named_thing[key] = [
                _named(one, call, is_block=inner_is_block) for one in objects(thing[key])
            ]
    for key in ("accessory", "element"):
        if is_object(thing.get(key)):
            named_thing[key] = _named(thing[key], call, is_block=False)
    return named_thing


_PRESSED = frozenset({"button", "static_select", "feedback_buttons", "icon_button", "overflow"}) | {
    "checkboxes",
    "radio_buttons",
    "users_select",
    "plain_text_input",
}


def read_metadata(given: Any) -> Json | None:
    """Return metadata, checked.

    Raises:
        RefusedError: `invalid_metadata_format`, `metadata_too_large`.
    """
    if given is None or given == {}:
        return given
    if not is_object(given) or not isinstance(given.get("event_type"), str):
        raise RefusedError("invalid_metadata_format")
    if not given["event_type"] or not is_object(given.get("event_payload")):
        raise RefusedError("invalid_metadata_format")
    if given.keys() - {"event_type", "event_payload", "entities"}:
        raise RefusedError("invalid_metadata_format")
    if len(json.dumps(given)) > MOST_METADATA:
        raise RefusedError("metadata_too_large")
    return given
