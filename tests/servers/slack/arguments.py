"""What a caller sent: in the address, as a form or as JSON."""

import json
from typing import Any

from aiohttp import web

from tests.servers.slack.wire import Json, RefusedError, is_array, is_object

STRUCTURED = frozenset(
    {"attachments", "blocks", "chunks", "loading_messages", "metadata", "prompts", "view"}
)
"""Arguments that a form carries as a string of JSON."""
LONGEST_BODY = 1024 * 1024


async def read_arguments(request: web.Request) -> Json:
    """Return the arguments of a call.

    Raises:
        RefusedError: The body is not what its type says.
    """
    arguments: Json = dict(request.query)
    kind = request.content_type
    if kind == "application/json":
        try:
            given = json.loads(await request.text() or "{}")
        except ValueError as error:
            raise RefusedError("invalid_json") from error
        if not is_object(given):
            raise RefusedError("json_not_object")
        arguments |= given
    elif kind in {"application/x-www-form-urlencoded", "multipart/form-data"}:
        form = await request.post()
        arguments |= {key: value for key, value in form.items() if isinstance(value, str)}
    elif request.can_read_body:
        raise RefusedError("invalid_post_type")
    return {key: _opened(key, value) for key, value in arguments.items()}


def _opened(key: str, value: Any) -> Any:
    if key not in STRUCTURED or not isinstance(value, str) or not value:
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        fault = {"blocks": "invalid_blocks_format", "metadata": "invalid_metadata_format"}
        raise RefusedError(fault.get(key, "invalid_arguments")) from error


class Arguments:
    """The arguments of one call, read by name and kind."""

    def __init__(self, given: Json):
        self.given = given
        self.read: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return self.given.get(name) is not None

    def raw(self, name: str) -> Any:
        """Return an argument as it came, or None."""
        self.read.add(name)
        return self.given.get(name)

    def text(self, name: str, default: str = "") -> str:
        """Return a string."""
        value = self.raw(name)
        return default if value is None else str(value)

    def need(self, name: str) -> str:
        """Return a string that must be there.

        Raises:
            RefusedError: `invalid_arguments`.
        """
        if not self.text(name):
            raise RefusedError("invalid_arguments", f"missing required field: {name}")
        return self.text(name)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a boolean: true, 1."""
        value = self.raw(name)
        return default if value is None else str(value).lower() in {"1", "true"}

    def number(self, name: str, default: int) -> int:
        """Return a whole number."""
        value = self.text(name) or str(default)
        if not value.lstrip("-").isdigit():
            raise RefusedError("invalid_arguments", f"not a number: {name}")
        return int(value)

    def array(self, name: str, fault: str = "invalid_arguments") -> list[Any] | None:
        """Return an array, or None where there is none.

        Raises:
            RefusedError: `fault`, when it is something else.
        """
        value = self.raw(name)
        if value is None or value == "":
            return None
        if not is_array(value):
            raise RefusedError(fault, f"{name} must be an array")
        return value
