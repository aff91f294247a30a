"""Whether blocks, views and chunks are such as Slack takes them (limits: platforms, 2.7)."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Literal

from tests.servers.slack.elements import (
    ACTION_ID,
    AS_ACCESSORY,
    IN_ACTIONS,
    IN_INPUT,
    element_faults,
    elements_faults,
    string_faults,
    text_faults,
)
from tests.servers.slack.rich_text import rich_text_faults, table_faults
from tests.servers.slack.shapes import faults_of_shape
from tests.servers.slack.wire import Json, is_array, is_object, objects

Surface = Literal["message", "modal", "home"]
_EVERYWHERE = frozenset(
    ["actions", "context", "divider", "header", "image", "input", "rich_text", "section", "video"]
)
_BOTH = _EVERYWHERE | {"container", "data_table", "table"}
ON = {
    "message": _BOTH
    | frozenset(["card", "carousel", "context_actions", "file", "markdown", "plan", "task_card"]),
    "modal": _EVERYWHERE | {"alert"},
    "home": _BOTH,
}
IN_CONTAINER = frozenset(
    ["actions", "context", "divider", "header", "image", "section", "table", "video"]
)
"""What both Slack's pages name and its validator is reported to take: `rich_text` only the pages
(https://docs.slack.dev/reference/block-kit/blocks/container-block)."""
MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
LEVELS = frozenset({"default", "info", "warning", "error", "success"})
TASK_STATES = frozenset({"pending", "in_progress", "complete", "error"})
MARKDOWN = 12_000


def kinds_of(given: Any) -> set[str]:
    """Return the kinds of blocks in a message or view, those within containers among them."""
    found = {str(block.get("type")) for block in objects(given)}
    return found.union(*(kinds_of(block.get("child_blocks")) for block in objects(given)))


def blocks_faults(given: Any, surface: Surface) -> list[str]:
    """Return what is wrong with the blocks of a message or view."""
    blocks = objects(given)
    if not is_array(given) or len(blocks) != len(given):
        return ["must provide an array of objects [json-pointer:/blocks]"]
    faults: list[str] = []
    if len(blocks) > MOST_BLOCKS[surface]:
        faults.append(f"no more than {MOST_BLOCKS[surface]} items allowed [json-pointer:/blocks]")
    markdown = [str(block.get("text")) for block in blocks if block.get("type") == "markdown"]
    if sum(map(len, markdown)) > MARKDOWN:
        faults.append("markdown blocks together exceed 12,000 characters [json-pointer:/blocks]")
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        faults.append("`block_id` already exists [json-pointer:/blocks]")
    for index, block in enumerate(blocks):
        faults += _block_faults(block, ON[surface], f"/blocks/{index}")
    return faults


def _block_faults(block: Json, allowed: frozenset[str], path: str) -> Iterator[str]:
    kind = str(block.get("type"))
    if kind not in allowed:
        yield f"unsupported type: {kind} [json-pointer:{path}/type]"
        return
    yield from faults_of_shape(block, "block", path)
    if "block_id" in block:
        yield from string_faults(block["block_id"], ACTION_ID, f"{path}/block_id", least=1)
    check = _CHECKS.get(kind)
    if check:
        yield from check(block, path)


def _section(block: Json, path: str) -> Iterator[str]:
    if not ("text" in block or block.get("fields")):
        yield f"needs text or fields [json-pointer:{path}]"
    if "text" in block:
        yield from text_faults(block["text"], 3000, f"{path}/text")
    fields = objects(block.get("fields"))
    if len(fields) > 10:
        yield f"no more than 10 items allowed [json-pointer:{path}/fields]"
    for index, one in enumerate(fields):
        yield from text_faults(one, 2000, f"{path}/fields/{index}")
    if "accessory" in block:
        yield from element_faults(block["accessory"], AS_ACCESSORY, f"{path}/accessory")


def _actions(block: Json, path: str) -> Iterator[str]:
    yield from elements_faults(block.get("elements"), IN_ACTIONS, 25, f"{path}/elements")


def _context_actions(block: Json, path: str) -> Iterator[str]:
    allowed = frozenset({"feedback_buttons", "icon_button"})
    yield from elements_faults(block.get("elements"), allowed, 5, f"{path}/elements")


def _context(block: Json, path: str) -> Iterator[str]:
    elements = objects(block.get("elements"))
    if not 1 <= len(elements) <= 10:
        yield f"expected 1 to 10 items, got {len(elements)} [json-pointer:{path}/elements]"
    for index, one in enumerate(elements):
        here = f"{path}/elements/{index}"
        if one.get("type") == "image":
            yield from element_faults(one, frozenset({"image"}), here)
        else:
            yield from text_faults(one, 3000, here)


def _container(block: Json, path: str) -> Iterator[str]:
    if "title" in block:
        yield from text_faults(block["title"], 150, f"{path}/title", plain=True)
    elif "rich_text_title" not in block:
        yield f"needs a title [json-pointer:{path}]"
    if block.get("has_header_divider") and block.get("is_collapsible"):
        yield f"has_header_divider excludes is_collapsible [json-pointer:{path}]"
    children = objects(block.get("child_blocks"))
    if not 1 <= len(children) <= 10:
        yield f"expected 1 to 10 items, got {len(children)} [json-pointer:{path}/child_blocks]"
    for index, child in enumerate(children):
        yield from _block_faults(child, IN_CONTAINER, f"{path}/child_blocks/{index}")


def _alert(block: Json, path: str) -> Iterator[str]:
    yield from text_faults(block.get("text"), 200, f"{path}/text")
    if block.get("level", "default") not in LEVELS:
        yield f"unknown level [json-pointer:{path}/level]"


def _header(block: Json, path: str) -> Iterator[str]:
    yield from text_faults(block.get("text"), 150, f"{path}/text", plain=True)


def _input(block: Json, path: str) -> Iterator[str]:
    yield from text_faults(block.get("label"), 2000, f"{path}/label", plain=True)
    if "hint" in block:
        yield from text_faults(block["hint"], 2000, f"{path}/hint", plain=True)
    yield from element_faults(block.get("element"), IN_INPUT, f"{path}/element")


def _image(block: Json, path: str) -> Iterator[str]:
    yield from string_faults(block.get("alt_text"), 2000, f"{path}/alt_text", least=1)
    if ("image_url" in block) == ("slack_file" in block):
        yield f"needs image_url or slack_file [json-pointer:{path}]"


def _markdown(block: Json, path: str) -> Iterator[str]:
    yield from string_faults(block.get("text"), MARKDOWN, f"{path}/text", least=1)


def _task_card(block: Json, path: str) -> Iterator[str]:
    if block.get("status") not in TASK_STATES - {"pending"}:
        yield f"a card alone cannot be {block.get('status')} [json-pointer:{path}/status]"


def _plan(block: Json, path: str) -> Iterator[str]:
    tasks = objects(block.get("tasks"))
    if len(tasks) > 50:
        yield f"no more than 50 items allowed [json-pointer:{path}/tasks]"
    for index, task in enumerate(tasks):
        if task.get("status") not in TASK_STATES:
            yield f"unknown status [json-pointer:{path}/tasks/{index}/status]"


_CHECKS: dict[str, Callable[[Json, str], Iterator[str]]] = {
    "section": _section,
    "actions": _actions,
    "context_actions": _context_actions,
    "context": _context,
    "container": _container,
    "alert": _alert,
    "header": _header,
    "input": _input,
    "image": _image,
    "markdown": _markdown,
    "rich_text": rich_text_faults,
    "table": table_faults,
    "data_table": table_faults,
    "task_card": _task_card,
    "plan": _plan,
}


def view_faults(view: Any, surface: Literal["modal", "home"]) -> list[str]:
    """Return what is wrong with a view."""
    if not is_object(view):
        return ["must provide an object [json-pointer:/view]"]
    if view.get("type") != surface:
        return [f"must be a {surface} [json-pointer:/view/type]"]
    faults = faults_of_shape(view, "view", "/view")
    for key in ("title", "submit", "close"):
        if key in view:
            faults += text_faults(view[key], 24, f"/view/{key}", plain=True)
    for key, most in (("callback_id", ACTION_ID), ("external_id", 255), ("private_metadata", 3000)):
        if key in view:
            faults += string_faults(view[key], most, f"/view/{key}")
    blocks = objects(view.get("blocks"))
    if not blocks:
        faults.append("must have at least 1 block [json-pointer:/view/blocks]")
    has_input = any(block.get("type") == "input" for block in blocks)
    if surface == "modal" and has_input and "submit" not in view:
        faults.append("`submit` is needed with an input block [json-pointer:/view]")
    return faults + blocks_faults(view.get("blocks"), surface)


def view_size(view: Json) -> int:
    """Return how many bytes a view has."""
    return len(json.dumps(view, ensure_ascii=False).encode())


def chunk_faults(given: Any) -> list[str]:
    """Return what is wrong with the chunks of a stream."""
    chunks = objects(given)
    if not is_array(given) or len(chunks) != len(given) or not chunks:
        return ["must provide an array of objects, not empty [json-pointer:/chunks]"]
    faults: list[str] = []
    for index, chunk in enumerate(chunks):
        path = f"/chunks/{index}"
        faults += faults_of_shape(chunk, "chunk", path)
        faults += _chunk_faults(chunk, path)
    return faults


def _chunk_faults(chunk: Json, path: str) -> Iterator[str]:
    kind = chunk.get("type")
    if kind == "markdown_text":
        yield from string_faults(chunk.get("text"), MARKDOWN, f"{path}/text", least=1)
    if kind in {"task_update", "plan_update"}:
        yield from string_faults(chunk.get("title"), 256, f"{path}/title", least=1)
    if kind == "task_update" and chunk.get("status") not in TASK_STATES:
        yield f"unknown status: {chunk.get('status')} [json-pointer:{path}/status]"
    if kind == "blocks":
        for fault in blocks_faults(chunk.get("blocks"), "message"):
            yield f"{fault} [json-pointer:{path}]"
