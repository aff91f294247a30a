"""Errors of failed calls of the Messages API: pure.

May pass: 408, 409, 429, 5xx, no answer in time, a broken connection. Will not pass: a refused key,
model, request or bill. An error event within a stream comes with status 200: the type in its body
tells them apart. Messages are one line; the service's own words are cut short, without secrets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, cast

from core.backoff import RetryableError, retry_after_s
from core.domain.errors import ModelUnavailableError

SHOWN = 200
"""Characters of the service's own words in a message."""

PASSING = frozenset(
    {
        "overloaded_error",
        "api_error",
        "rate_limit_error",
        "timeout_error",
        "conflict_error",
        "throttlingException",
        "internalServerException",
        "serviceUnavailableException",
        "modelTimeoutException",
        "modelStreamErrorException",
    }
)
"""Types of errors that may pass; those in camel case are Bedrock's."""
LASTING = frozenset(
    {
        "invalid_request_error",
        "authentication_error",
        "billing_error",
        "permission_error",
        "not_found_error",
    }
)
"""Types of errors that will not pass by themselves."""
_OF_ACCESS = frozenset({"authentication_error", "permission_error"})
_SPENT = frozenset({"contract_spend_limit_reached", "enforced_spend_limit_reached"})
"""Causes of a 429 that waiting does not cure."""
_PASSING_STATUSES = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
)


class RetryableModelError(RetryableError, ModelUnavailableError):
    """See `RetryableError`."""


class LateError(RetryableModelError):
    """The deadline came before the reply."""


class RefusedError(ModelUnavailableError):
    """The service answered, and will not serve this."""


class RefusedAccessError(RefusedError):
    """The service does not take our key, or lets it do nothing."""

    def __init__(self, message: str, *, cause: str) -> None:
        """Take the service's word for why."""
        super().__init__(message)
        self.cause = cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Names of settings, for messages that say what to check."""

    provider: str
    """The provider (`Anthropic`)."""
    access: str
    """Setting of the key (`ANTHROPIC_API_KEY`)."""
    address: str
    """Setting of the address (`ANTHROPIC_BASE_URL`)."""
    models: str = "CITEBOUND_MODEL, CITEBOUND_SMALL_MODEL"
    """Settings of the models."""


def refusal(
    status: int,
    body: object,
    headers: Mapping[str, str],
    *,
    names: Names,
    secrets: Sequence[str],
    now: datetime,
) -> ModelUnavailableError:
    """Return our error for an error status, or for an error event within a stream (200).

    Args:
        status: Of the reply.
        body: Of the reply: parsed JSON, else text.
        headers: Of the reply.
        names: Settings to check.
        secrets: Must not appear in a message.
        now: The present instant, aware.
    """
    error = _mapping(_mapping(body).get("error"))
    kind = one_line(str(error.get("type") or ""), secrets)
    said = _said(error.get("message"), secrets)
    code = str(_mapping(error.get("details")).get("error_code") or "")
    if code in _SPENT or kind == "billing_error" or status == HTTPStatus.PAYMENT_REQUIRED:
        return RefusedError(f"{names.provider}: no credit, or the spend limit is reached{said}")
    if _may_pass(status, kind, headers):
        failed = f"{names.provider} failed ({kind or status}){said}"
        return RetryableModelError(failed, after_s=retry_after_s(headers, now=now))
    refused = f"{names.provider} {_cause(status, kind, names)}{said}"
    if kind in _OF_ACCESS or status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return RefusedAccessError(refused, cause=f"{kind or 'refused'} ({status})")
    return RefusedError(refused)


def _cause(status: int, kind: str, names: Names) -> str:
    """Return the cause of a lasting refusal, and the settings to check."""
    if kind == "authentication_error" or status == HTTPStatus.UNAUTHORIZED:
        return f"refused the key ({status}): check {names.access}"
    if kind == "permission_error" or status == HTTPStatus.FORBIDDEN:
        return f"does not permit this ({status}): check {names.access}, {names.models}"
    if kind == "not_found_error" or status == HTTPStatus.NOT_FOUND:
        return f"found no such model or address ({status}): check {names.models}, {names.address}"
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return f"is not at this address ({status}): check {names.address}"
    return f"refused the request ({kind or status})"


def _may_pass(status: int, kind: str, headers: Mapping[str, str]) -> bool:
    is_redirect = HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST
    if is_redirect or headers.get("x-should-retry") == "false":
        return False
    if kind in PASSING or kind in LASTING:
        return kind in PASSING
    return (
        status in _PASSING_STATUSES
        or status >= HTTPStatus.INTERNAL_SERVER_ERROR
        or status == HTTPStatus.OK
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _said(message: object, secrets: Sequence[str]) -> str:
    """Return the service's own words, in one short line without secrets."""
    return f": {one_line(message, secrets)}" if isinstance(message, str) and message else ""


def one_line(text: str, secrets: Sequence[str]) -> str:
    """Return a text as one short line without secrets."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:SHOWN]
