"""Reading what Teams sent: fields that must be there, and fields that may.

Ids are printable ASCII of a bounded length: whatever else would reach the database could only fail
there, and a failure there asks the platform to send it again.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bot.json_fields import Object
from core.domain.errors import ContractError
from core.domain.json_value import Json

LONGEST_ID = 400
"""Characters: conversations of channels have about 120, users about 100."""
LONGEST_INSTANT = 40
"""Characters of an instant in ISO 8601."""


def is_id(value: Json) -> bool:
    """Say whether a value can be an id: printable ASCII without spaces, of a bounded length."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= LONGEST_ID
        and value.isascii()
        and value.isprintable()
        and " " not in value
    )


def need(given: Object, key: str) -> str:
    """Return an id that Teams promises.

    Raises:
        ContractError: It is not there, or can be no id.
    """
    value = given.get(key)
    if not isinstance(value, str) or not is_id(value):
        raise ContractError(f"expected an id {key!r} from Teams, got {type(value).__name__}")
    return value


def maybe(given: Object, key: str) -> str:
    """Return an id, `""` where there is none, or none that can be one."""
    value = given.get(key)
    return value if isinstance(value, str) and is_id(value) else ""


def words(given: Object, key: str) -> str:
    """Return what somebody wrote, `""` where nobody did: any text, of any length."""
    value = given.get(key)
    return value if isinstance(value, str) else ""


def objects(given: Object, key: str) -> list[dict[str, Json]]:
    """Return the objects of a list; nothing else that it holds."""
    value = given.get(key)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [dict(one) for one in value if isinstance(one, Mapping)]


def instant(given: Object, key: str) -> datetime:
    """Return when something was done, aware, UTC.

    Raises:
        ContractError: It is no instant of ISO 8601 with its offset.
    """
    value = need(given, key)
    try:
        moment = datetime.fromisoformat(value) if len(value) <= LONGEST_INSTANT else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ContractError(f"expected an instant {key!r} from Teams: ISO 8601 with its offset")


def scalar(value: Json) -> str:
    """Return what an input of a card holds, as text; `""` for a list or an object."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and (not math.isfinite(value) or value.is_integer()):
        return str(int(value)) if math.isfinite(value) else ""
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
