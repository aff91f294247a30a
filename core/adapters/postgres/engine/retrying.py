"""Units of work: a transaction that the database ended for reasons of its own is begun again.

The whole of it, three times: then the caller hears, and the platform or the queue comes again. Only
for methods that may be repeated: each writes under a key or a lease, so that one whose COMMIT was
in doubt finds what it has done.
"""

import asyncio
import random
from collections.abc import Callable
from functools import wraps
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar

import psycopg
from sqlalchemy.exc import DBAPIError

ATTEMPTS = 3
PAUSES_S = (0.05, 0.25)
"""After the first attempt and the second."""
JITTER = 0.5
ENDED = frozenset({"40001", "40P01", "57P01", "57P02", "57P03"})
"""Serialization failure, deadlock; shut down by an administrator, crashed, not yet accepting."""
CONNECTION = "08"
"""Class of connection exceptions (Postgres, appendix A)."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


def begun_again(
    method: "Callable[_P, CoroutineType[Any, Any, _T]]",
) -> "Callable[_P, CoroutineType[Any, Any, _T]]":
    """Let a method of a store run anew where the database ended its transaction."""

    @wraps(method)
    async def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        for pause_s in PAUSES_S:
            try:
                return await method(*args, **kwargs)
            except DBAPIError as error:
                if not is_passing(error):
                    raise
            spread = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  # no secret
            await asyncio.sleep(pause_s * spread)
        return await method(*args, **kwargs)

    return wrapped


def is_passing(error: DBAPIError) -> bool:
    """Say whether the same transaction, begun anew, may succeed."""
    code: str | None = getattr(error.orig, "sqlstate", None)
    if code is None:
        # A connection that broke, or was never made, has no code of the server's.
        return error.connection_invalidated or isinstance(error.orig, psycopg.OperationalError)
    return code in ENDED or code.startswith(CONNECTION)
