"""What came of one call of Teams' connector service: an answer, a refusal, a wait, or nobody knows.

Nothing is ever repeated here: the service has no key by which it would know a second post for the
first (`reliability.md`, section 2), so whoever calls decides. No argument and no answer is logged.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from bot.json_fields import Object
from bot.teams.protocol.payload import words
from core.domain.run import Json

REST_S = 5.0
"""After a 429 or a 412 that does not say how long."""
LONGEST_REST_S = 600.0
"""Whatever the service says: an answer that waits longer is better tried."""
DONE, REFUSED_FROM, BROKEN = 200, 300, 500
BAD_REQUEST, UNAUTHORISED, FORBIDDEN, NOT_FOUND, TIMED_OUT = 400, 401, 403, 404, 408
CONFLICT, TOO_LARGE, TOO_MANY = 412, 413, 429
NOT_HERE = frozenset({BAD_REQUEST, FORBIDDEN, NOT_FOUND, 405})
"""Teams has no messages for one person alone in that place."""
FOREIGN_HOST = "service_host"
"""The address is none that our token may go to: nothing was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of the service, as it came."""

    status: int
    """Of HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names in lower case."""
    body: bytes = field(default=b"", repr=False)
    """Not yet read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The service did it."""

    body: Object
    """Its answer; empty if it told nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The service did not do it."""

    status: int
    """Of HTTP; 0 if it was not asked."""
    code: str
    """Its word for why."""
    message: str = field(default="", repr=False)
    """Its sentence for why: one code has several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """Too many, or not now: the service did not do it."""

    after_s: float
    """Seconds until it may be asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSent:
    """The service was not reached, or we have no token: nothing was done."""

    why: str
    """What happened, in a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """It may have been done."""

    why: str
    """What happened, in a word."""
    status: int = 0
    """Of HTTP; 0 if there was no answer."""


Outcome: TypeAlias = Told | Refused | Limited | NotSent | Unclear


def outcome_of(answer: Answer) -> Outcome:
    """Read an answer."""
    status = answer.status
    if status in {CONFLICT, TOO_MANY}:
        return Limited(after_s=_rest(answer.headers))
    if status >= BROKEN or status == TIMED_OUT:
        return Unclear(why=str(status), status=status)
    body = _object(answer.body)
    if DONE <= status < REFUSED_FROM:
        return Unclear(why="no_json", status=status) if body is None else Told(body=body)
    error = (body or {}).get("error")
    told: Object = error if isinstance(error, Mapping) else (body or {})
    return Refused(
        status=status,
        code=words(told, "code") or words(told, "errorCode") or str(status),
        message=words(told, "message"),
    )


def _object(body: bytes) -> Object | None:
    """Read a body; an empty one is an empty object, None is none at all."""
    if not body.strip():
        return {}
    try:
        given = cast("Json", json.loads(body))
    except ValueError:
        return None
    return given if isinstance(given, Mapping) else None


def _rest(headers: Mapping[str, str]) -> float:
    told = headers.get("retry-after", "")
    digits = told.isascii() and told.isdecimal()
    return min(LONGEST_REST_S, float(told)) if digits else REST_S
