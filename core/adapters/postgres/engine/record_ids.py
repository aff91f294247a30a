"""Records as people name them: by the beginning of their id, or by the reference below a reply.

That is the end of the id, which is random: the beginning tells the time.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.domain.delivery import REFERENCE
from core.domain.errors import UsageError

_DIGITS = 32
_HEX = frozenset("0123456789abcdef")
_MEANT = text(
    "(SELECT id FROM audit.record WHERE id BETWEEN :first AND :last LIMIT 9)"
    " UNION (SELECT id FROM audit.record"
    " WHERE id IN (SELECT audit.referred(CAST(:reference AS text))) LIMIT 9) LIMIT 9"
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


async def record_named(connection: AsyncConnection, typed: str) -> UUID | None:
    """Return the id of the one record that is meant; None: there is none.

    Raises:
        UsageError: Several are, and it names them.
    """
    meant = id_range(typed)
    if meant is None:
        return None
    given = {"first": meant[0], "last": meant[1], "reference": reference_in(typed)}
    found = (await connection.scalars(_MEANT, given)).all()
    if len(found) > 1:
        raise several(typed, found)
    return found[0] if found else None


def several(typed: str, ids: Sequence[UUID | str]) -> UsageError:
    """Return what is said where a name fits several records: their whole ids."""
    listed = ", ".join(sorted(map(str, ids)))
    return UsageError(f"{typed!r} fits several records: name one by its whole id, such as {listed}")
