"""JSON as it travels, and how Teams says no."""

from tests.servers.slack.wire import Json, is_array, is_object, objects

__all__ = ["Json", "RefusedError", "is_array", "is_object", "objects", "refused"]


class RefusedError(Exception):
    """Teams answers with this status and error."""

    def __init__(self, status: int, code: str, message: str, *, retry_after_s: int | None = None):
        super().__init__(status, code, message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s

    def body(self) -> Json:
        """Return the JSON of the answer."""
        if self.status == 401:
            return {"message": self.message}
        return {"error": {"code": self.code, "message": self.message}}


def refused(status: int, code: str, message: str) -> RefusedError:
    """Return a refusal."""
    return RefusedError(status, code, message)
