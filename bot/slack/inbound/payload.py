"""Reading what Slack sent: fields that must be there, and fields that may."""

from datetime import UTC, datetime, timedelta

from bot.json_fields import Object
from core.domain.errors import ContractError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LONGEST_SECONDS = 11
"""Digits: until the year 5138."""


def need(given: Object, key: str) -> str:
    """Return a string that Slack promises.

    Raises:
        ContractError: It is not there, or empty.
    """
    value = given.get(key)
    if not isinstance(value, str) or not value:
        raise ContractError(f"expected a string {key!r} from Slack, got {type(value).__name__}")
    return value


def maybe(given: Object, key: str) -> str:
    """Return a string, `""` where there is none."""
    value = given.get(key)
    return value if isinstance(value, str) else ""


def instant(ts: str) -> datetime:
    """Return when something was written; a `ts` is seconds and microseconds, exactly.

    Raises:
        ContractError: It is no `ts`.
    """
    seconds, _, micros = ts.partition(".")
    digits = seconds.isascii() and seconds.isdecimal() and len(seconds) <= LONGEST_SECONDS
    if not (digits and micros.isascii() and micros.isdecimal()):
        raise ContractError("expected a Slack timestamp: seconds, a dot, microseconds")
    return EPOCH + timedelta(seconds=int(seconds), microseconds=int(micros[:6].ljust(6, "0")))
