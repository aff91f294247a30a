"""Whether texts and interactive elements are such as Slack takes them."""

from collections.abc import Iterator
from typing import Any

from tests.servers.slack.shapes import faults_of_shape
from tests.servers.slack.wire import Json, is_array, is_object, objects

ACTION_ID = 255
IN_ACTIONS = frozenset(
    [
        "button",
        "channels_select",
        "checkboxes",
        "conversations_select",
        "datepicker",
        "datetimepicker",
        "external_select",
        "multi_static_select",
        "multi_users_select",
        "overflow",
        "radio_buttons",
        "static_select",
        "timepicker",
        "users_select",
        "workflow_button",
    ]
)
IN_INPUT = frozenset(
    [
        "channels_select",
        "checkboxes",
        "conversations_select",
        "datepicker",
        "datetimepicker",
        "email_text_input",
        "external_select",
        "file_input",
        "multi_static_select",
        "multi_users_select",
        "number_input",
        "plain_text_input",
        "radio_buttons",
        "rich_text_input",
        "static_select",
        "timepicker",
        "url_text_input",
        "users_select",
    ]
)
AS_ACCESSORY = IN_ACTIONS | {"image"}
MOST_OPTIONS = {"checkboxes": 10, "radio_buttons": 10, "overflow": 5}
"""Elsewhere 100."""


def text_faults(given: Any, most: int, path: str, *, plain: bool = False) -> Iterator[str]:
    """Check a text object."""
    if not is_object(given):
        yield f"must provide an object [json-pointer:{path}]"
        return
    yield from faults_of_shape(given, "text", path)
    if plain and given.get("type") != "plain_text":
        yield f"must be plain_text [json-pointer:{path}/type]"
    yield from string_faults(given.get("text"), most, f"{path}/text", least=1)


def string_faults(given: Any, most: int, path: str, *, least: int = 0) -> Iterator[str]:
    """Check a string's length, in characters."""
    if not isinstance(given, str):
        yield f"must provide a string [json-pointer:{path}]"
    elif len(given) > most:
        yield f"must be less than {most + 1} characters [json-pointer:{path}]"
    elif len(given) < least:
        yield f"must be more than {least - 1} characters [json-pointer:{path}]"


def elements_faults(
    given: Any, allowed: frozenset[str], most: int, path: str, *, least: int = 1
) -> Iterator[str]:
    """Check the elements of an actions or context_actions block."""
    found = objects(given)
    if not is_array(given) or len(found) != len(given):
        yield f"must provide an array of objects [json-pointer:{path}]"
        return
    if not least <= len(found) <= most:
        yield f"expected {least} to {most} items, got {len(found)} [json-pointer:{path}]"
    ids = [one["action_id"] for one in found if "action_id" in one]
    if len(ids) != len(set(ids)):
        yield f"`action_id` already exists in this block [json-pointer:{path}]"
    for index, one in enumerate(found):
        yield from element_faults(one, allowed, f"{path}/{index}")


def _keys_faults(given: Json, keys: str, path: str) -> Iterator[str]:
    for key in sorted(given.keys() - set(keys.split())):
        yield f"invalid additional property: {key} [json-pointer:{path}]"


def element_faults(given: Any, allowed: frozenset[str], path: str) -> Iterator[str]:
    """Check one element."""
    if not is_object(given):
        yield f"must provide an object [json-pointer:{path}]"
        return
    kind = str(given.get("type"))
    if kind not in allowed:
        yield f"unsupported element: {kind} [json-pointer:{path}/type]"
        return
    yield from faults_of_shape(given, "element", path)
    for key, most in (
        ("action_id", ACTION_ID),
        ("value", 2000),
        ("url", 3000),
        ("accessibility_label", 75),
        ("alt_text", 2000),
        ("image_url", 3000),
    ):
        if key in given:
            yield from string_faults(given[key], most, f"{path}/{key}", least=1)
    for key, most in (("text", 75), ("placeholder", 150)):
        if key in given:
            yield from text_faults(given[key], most, f"{path}/{key}", plain=True)
    if kind == "image" and ("image_url" in given) == ("slack_file" in given):
        yield f"needs image_url or slack_file [json-pointer:{path}]"
    yield from _special_faults(given, kind, path)


def _special_faults(given: Json, kind: str, path: str) -> Iterator[str]:
    if given.get("style", "primary") not in {"primary", "danger"}:
        yield f"invalid style [json-pointer:{path}/style]"
    if "options" in given or kind in MOST_OPTIONS:
        yield from _option_faults(given.get("options"), MOST_OPTIONS.get(kind, 100), path)
    if kind in {"static_select", "multi_static_select"} and not (
        "options" in given or "option_groups" in given
    ):
        yield f"needs options or option_groups [json-pointer:{path}]"
    if "confirm" in given:
        yield from _confirm_faults(given["confirm"], f"{path}/confirm")
    if "initial_value" in given:
        yield from string_faults(given["initial_value"], 3000, f"{path}/initial_value")
    if not 1 <= int(given.get("max_length", 3000)) <= 3000:
        yield f"must be 1 to 3000 [json-pointer:{path}/max_length]"
    if len(given.get("visible_to_user_ids", ())) > 10:
        yield f"no more than 10 items allowed [json-pointer:{path}/visible_to_user_ids]"
    for key in ("positive_button", "negative_button"):
        if key in given:
            yield from _feedback_faults(given[key], f"{path}/{key}")


def _feedback_faults(given: Any, path: str) -> Iterator[str]:
    if not is_object(given):
        yield f"must provide an object [json-pointer:{path}]"
        return
    yield from _keys_faults(given, "text value accessibility_label", path)
    yield from text_faults(given.get("text"), 75, f"{path}/text", plain=True)
    yield from string_faults(given.get("value"), 2000, f"{path}/value", least=1)
    if "accessibility_label" in given:
        yield from string_faults(given["accessibility_label"], 75, f"{path}/accessibility_label")


def _option_faults(given: Any, most: int, path: str) -> Iterator[str]:
    found = objects(given)
    if not 1 <= len(found) <= most:
        yield f"expected 1 to {most} options, got {len(found)} [json-pointer:{path}/options]"
    for index, one in enumerate(found):
        here = f"{path}/options/{index}"
        yield from _keys_faults(one, "text value description url", here)
        yield from text_faults(one.get("text"), 75, f"{here}/text")
        yield from string_faults(one.get("value", "-"), 150, f"{here}/value", least=1)
        if "description" in one:
            yield from text_faults(one["description"], 75, f"{here}/description")


def _confirm_faults(given: Any, path: str) -> Iterator[str]:
    if not is_object(given):
        yield f"must provide an object [json-pointer:{path}]"
        return
    yield from _keys_faults(given, "title text confirm deny style", path)
    for key, most, plain in (
        ("title", 100, True),
        ("text", 300, False),
        ("confirm", 30, True),
        ("deny", 30, True),
    ):
        if key in given or key == "text":
            yield from text_faults(given.get(key), most, f"{path}/{key}", plain=plain)
