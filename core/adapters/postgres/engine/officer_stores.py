"""Stores that can act for officers."""

from copy import copy
from typing import Self

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.ledger import RecordingStore
from core.adapters.postgres.engine.reach import for_officers


class ReadsForOfficers(RecordingStore):
    """A store that can act for officers; by itself it acts for the product, and sees all."""

    def seen_by(self, *officers: str) -> Self:
        """Return it as officers may use it; see `for_officers`."""
        bound = copy(self)
        bound._engine = self.engine_for(*officers)  # noqa: SLF001  # our own copy
        return bound

    def engine_for(self, *officers: str) -> AsyncEngine:
        """Return an engine each transaction of which is for officers, as `seen_by` says."""
        return for_officers(self._engine, officers, unit=self._ledger.unit)
