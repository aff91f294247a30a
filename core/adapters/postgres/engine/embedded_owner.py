"""Who owns an embedded database, admitted to its record as an officer."""

from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.audit.documents import Event
from core.domain.audit import Tag

_WAS_GRANTED = text(
    "SELECT EXISTS (SELECT FROM audit.record WHERE subject = :subject AND tag = 'officer:granted')"
)
_ADMIT = text(
    "INSERT INTO audit.officer (login, units, audiences) VALUES (:officer, '{*}', '{*}')"
    " ON CONFLICT (login) DO UPDATE SET units = excluded.units, audiences = excluded.audiences,"
    " revoked_at = NULL"
)


async def admit_owner(url: str, owner: str, ledger: Ledger) -> None:
    """Let who owns an embedded database read the record of all units; it is recorded once.

    Args:
        url: of its superuser.
        owner: their name.
        ledger: writes the record of it.
    """
    says = {"officer": owner, "units": ["*"], "audiences": ["*"], "has_login": False}
    subject = f"officer:{owner}"
    granted = Event(
        tag=Tag.OFFICER_GRANTED, actor=owner, actor_kind="operator", subject=subject, says=says
    )
    engine = engine_for(url, pooled=False)
    try:
        async with engine.begin() as connection:
            if not await connection.scalar(_WAS_GRANTED, {"subject": subject}):
                await connection.execute(_ADMIT, {"officer": owner})
                await ledger.event(connection, granted, content={})
    finally:
        await engine.dispose()
