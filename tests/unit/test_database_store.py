"""What a store of the database raises."""

import pytest
from sqlalchemy.exc import DBAPIError

from core.adapters.postgres.engine.database import database_store
from core.domain.errors import TransientError


@database_store
class _Store:
    async def read(self) -> None:
        await self._read()

    async def _read(self) -> None:
        raise DBAPIError("SELECT", None, OSError("gone"))


async def test_a_store_raises_a_transient_error_where_the_database_failed() -> None:
    """A public method of a store translates the failure; a private one leaves it to its caller."""
    with pytest.raises(TransientError, match="the database failed: gone"):
        await _Store().read()
    with pytest.raises(DBAPIError):
        await _Store()._read()  # pyright: ignore[reportPrivateUsage]
