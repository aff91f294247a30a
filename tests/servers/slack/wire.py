"""JSON as it travels, and the ways in which Slack says no."""

from typing import Any, TypeGuard

Json = dict[str, Any]


def is_object(value: Any) -> TypeGuard[Json]:
    """Say whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Say whether a value is a JSON array."""
    return isinstance(value, list)


def objects(value: Any) -> list[Json]:
    """Return the objects of an array; nothing for anything else."""
    return [one for one in value if is_object(one)] if is_array(value) else []


class RefusedError(Exception):
    """Slack answers 200 with `ok: false` and this error."""

    def __init__(self, error: str, *messages: str, **more: Any):
        super().__init__(error, *messages)
        self.error = error
        self.messages = messages
        self.more = more

    def body(self) -> Json:
        """Return the JSON of the answer."""
        body: Json = {"ok": False, "error": self.error, **self.more}
        if self.messages:
            body["response_metadata"] = {"messages": [f"[ERROR] {m}" for m in self.messages]}
        return body


class RateLimitedError(Exception):
    """Slack answers 429 with a Retry-After header."""

    def __init__(self, retry_after_s: int):
        super().__init__(retry_after_s)
        self.retry_after_s = retry_after_s
