"""For whom a transaction reads: the database shows officers what their units and audiences allow.

The rules are the database's (migration `0070_reach`). A store that acts for officers has an engine
of its own, each transaction of which names them first: no statement of it can leave that out.
"""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import ARRAY, Connection, Text, bindparam, event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

if TYPE_CHECKING:  # it imports the engine, which names readers
    from core.adapters.postgres.engine.ledger import Ledger

_READERS = "citebound_readers"
_NAME = text(
    "SELECT set_config('citebound.readers', CAST(CAST(:officers AS text[]) AS text), true),"
    " set_config('citebound.own_unit', :unit, true)"
).bindparams(bindparam("officers", type_=ARRAY(Text)))


class ReadsForOfficers:
    """A store that can act for officers; by itself it acts for the product, and sees all."""

    _engine: AsyncEngine
    _ledger: "Ledger"

    def seen_by(self, *officers: str) -> Self:
        """Return it as officers may use it: rows of the units of the first, texts that all read."""
        bound = copy(self)
        bound._engine = self.engine_for(*officers)  # noqa: SLF001  # our own copy
        return bound

    def engine_for(self, *officers: str) -> AsyncEngine:
        """Return an engine each transaction of which is for officers, as `seen_by` says."""
        named = {"officers": list(officers), "unit": self._ledger.unit}
        return self._engine.execution_options(**{_READERS: named})


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
