"""For whom a transaction reads: the database shows officers what their units and audiences allow.

The rules are the database's (migration `0070_reach`). An engine that is for officers names them
first in each transaction: no statement can leave that out.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Connection, Text, bindparam, event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

_READERS = "citebound_readers"
_NAME = text(
    "SELECT set_config('citebound.readers', CAST(CAST(:officers AS text[]) AS text), true),"
    " set_config('citebound.own_unit', :unit, true)"
).bindparams(bindparam("officers", type_=ARRAY(Text)))


def for_officers(engine: AsyncEngine, officers: Sequence[str], *, unit: str) -> AsyncEngine:
    """Return an engine for officers: rows of the units of the first, texts that all of them read.

    `unit` is that of officers who were granted nothing.
    """
    return engine.execution_options(**{_READERS: {"officers": list(officers), "unit": unit}})


async def blank_for(connection: AsyncConnection, officers: Sequence[str]) -> None:
    """Withhold, for the rest of a transaction, texts that not all of these officers read."""
    await connection.execute(_NAME, {"officers": list(officers), "unit": ""})


def is_for_officers(engine: AsyncEngine) -> bool:
    """Say whether each transaction of an engine names officers: it needs a transaction, then."""
    return _READERS in engine.sync_engine.get_execution_options()


def name_readers(engine: AsyncEngine) -> None:
    """Let each transaction that an engine begins name the officers for whom it is."""

    @event.listens_for(engine.sync_engine, "begin")
    def _begins(connection: Connection) -> None:
        options: Any = connection.get_execution_options()
        if _READERS not in options:
            return
        if options.get("isolation_level") == "AUTOCOMMIT":
            raise RuntimeError("expected a transaction to read for officers, got AUTOCOMMIT")
        connection.execute(_NAME, options[_READERS])
