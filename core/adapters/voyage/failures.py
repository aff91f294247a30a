"""What a failed exchange with Voyage means to us: pure.

May pass: 408, 429, 5xx, no answer in time, a dropped connection. Will not: a refused key or address
(the operator's to correct), a refused request, a reply that can't be read. Messages are one line;
the service's own words are cut short, and never hold the key.
"""

import math
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from core.domain.errors import CiteboundError, ConfigError, ContractError, TransientError

SHOWN = 200
"""Characters of the service's own words in a message."""


class AgainError(TransientError):
    """An attempt failed in a way that may pass."""

    def __init__(self, message: str, *, after_s: float | None = None) -> None:
        """Take the cause, and how long the service asks to wait; None: it does not say."""
        super().__init__(message)
        self.after_s = after_s


class RefusedRequestError(ContractError):
    """Voyage refused the request itself: sending less at once may help."""


def failure(
    error: Exception | None, *, status: int | None, headers: Mapping[str, str], secret: str
) -> CiteboundError:
    """Return our error for an exchange that failed.

    Args:
        error: What the SDK raised; None: it took the status for success.
        status: Of the reply; None: there was none.
        headers: Of the reply.
        secret: The key, which stands in no message.
    """
    if status is None:
        return _unanswered(error)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return AgainError(
            f"Voyage's rate limit is reached (429){_said(error, secret)}",
            after_s=retry_after_s(headers.get("Retry-After")),
        )
    if status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return AgainError(f"Voyage failed ({status})")
    if status >= HTTPStatus.MULTIPLE_CHOICES:
        return _refused(status, _said(error, secret))
    return ContractError(f"Voyage's reply can't be read ({type(error).__name__})")


def _unanswered(error: Exception | None) -> CiteboundError:
    kind = type(error).__name__
    if kind == "Timeout":
        return AgainError("Voyage did not answer in time")
    if kind == "APIConnectionError":
        return AgainError("the connection to Voyage failed")
    return ConfigError(f"Voyage can't be called ({kind}): check VOYAGE_BASE_URL, VOYAGE_API_KEY")


def _refused(status: int, said: str) -> CiteboundError:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return ConfigError(f"Voyage refused the key ({status}): check VOYAGE_API_KEY")
    if status == HTTPStatus.NOT_FOUND or status < HTTPStatus.BAD_REQUEST:
        return ConfigError(f"Voyage is not at this address ({status}): check VOYAGE_BASE_URL")
    return RefusedRequestError(f"Voyage refused the request ({status}){said}")


def _said(error: Exception | None, secret: str) -> str:
    """Return what the service said, in one short line without the key."""
    body = getattr(error, "json_body", None)
    detail = body.get("detail") if isinstance(body, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if not isinstance(detail, str) or not detail.strip():
        return ""
    return f": {' '.join(detail.replace(secret, '***').split())[:SHOWN]}"


def retry_after_s(value: str | None) -> float | None:
    """Read `Retry-After` (RFC 9110, 10.2.3): seconds or a date; None if it says nothing usable."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - time.time()
    return None if math.isnan(seconds) else max(0.0, seconds)
