"""Records by the beginning of their id, as people type it."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

_DIGITS = 32
_HEX = frozenset("0123456789abcdef")
_MEANT = text("SELECT id FROM audit.record WHERE id BETWEEN :first AND :last LIMIT 2")
"""A range, which the primary key finds: a pattern would read every record."""


def id_range(typed: str) -> tuple[UUID, UUID] | None:
    """Return the first and the last id that begin so, in either case; None: no id does."""
    digits = typed.strip().lower().replace("-", "")
    if not digits or len(digits) > _DIGITS or set(digits) - _HEX:
        return None
    return UUID(digits.ljust(_DIGITS, "0")), UUID(digits.ljust(_DIGITS, "f"))


async def records_beginning(connection: AsyncConnection, typed: str) -> Sequence[UUID]:
    """Return the ids of records that begin so: at most two, as more say nothing else."""
    found = id_range(typed)
    if found is None:
        return ()
    given = {"first": found[0], "last": found[1]}
    return (await connection.scalars(_MEANT, given)).all()
