"""Codes of reports: of each no more than a keyed hash, by which it is found again."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.pseudonyms import Pseudonyms

_KEEP = text("UPDATE citebound.cases SET code_hash = :hash WHERE id = CAST(:case AS uuid)")
_FIND = text("SELECT id::text FROM citebound.cases WHERE code_hash = :hash AND person <> ''")
"""Of what was erased there is no person, and no code either."""


class PostgresCaseCodes:
    """See `core.ports.cases.CaseCodes`: writes on one connection."""

    def __init__(self, connection: AsyncConnection, pseudonyms: Pseudonyms) -> None:
        self._connection = connection
        self._pseudonyms = pseudonyms

    async def keep(self, case_id: str, code: str, /) -> None:
        """See `CaseCodes.keep`."""
        keys = {"case": case_id, "hash": self._pseudonyms.code_hash(code)}
        await self._connection.execute(_KEEP, keys)

    async def find(self, code: str, /) -> str | None:
        """See `CaseCodes.find`."""
        keys = {"hash": self._pseudonyms.code_hash(code)}
        return await self._connection.scalar(_FIND, keys)
