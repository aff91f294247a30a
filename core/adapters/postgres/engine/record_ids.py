"""Records as people name them: by the beginning of their id, or by the reference below a reply.

That is the end of the id, which is random: the beginning tells the time.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.domain.delivery import REFERENCE

_DIGITS = 32
_HEX = frozenset("0123456789abcdef")
_MEANT = text(
    "(SELECT id FROM audit.record WHERE id BETWEEN :first AND :last LIMIT 2)"
    " UNION (SELECT id FROM audit.record"
    " WHERE id IN (SELECT audit.referred(CAST(:reference AS text))) LIMIT 2) LIMIT 2"
)
"""A range, which the primary key finds: a pattern would read every record."""
_NAMED = "ref"
"""What stands before a reference below a reply."""


def id_range(typed: str) -> tuple[UUID, UUID] | None:
    """Return the first and the last id that begin so, in either case; None: no id does."""
    digits = _digits(typed)
    if not digits or len(digits) > _DIGITS or set(digits) - _HEX:
        return None
    return UUID(digits.ljust(_DIGITS, "0")), UUID(digits.ljust(_DIGITS, "f"))


def reference_in(typed: str) -> str | None:
    """Return what was typed as a reference; None: it is none."""
    digits = _digits(typed)
    return digits if len(digits) == REFERENCE and not set(digits) - _HEX else None


def _digits(typed: str) -> str:
    return typed.strip().lower().removeprefix(_NAMED).strip().replace("-", "")


async def records_named(connection: AsyncConnection, typed: str) -> Sequence[UUID]:
    """Return the ids of records that are meant: at most two, as more say nothing else."""
    found = id_range(typed)
    if found is None:
        return ()
    given = {"first": found[0], "last": found[1], "reference": reference_in(typed)}
    return (await connection.scalars(_MEANT, given)).all()
