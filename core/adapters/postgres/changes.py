"""What the last editions did to the policies."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.database import raises_transient
from core.adapters.postgres.units import begun_again
from core.domain.policy import EVERYONE
from core.ports.changes import PolicyChanged

_LATEST = text(
    "SELECT e.number, e.published_at, p.key, v.title, v.label,"
    " CASE WHEN v.edition_from <> e.number THEN 'withdrawn'"
    "  WHEN EXISTS (SELECT FROM citebound.policy_versions b WHERE b.policy_id = v.policy_id"
    "   AND b.edition_from < v.edition_from) THEN 'revised' ELSE 'added' END AS became"
    " FROM citebound.editions e"
    " JOIN citebound.policy_versions v ON v.edition_from = e.number OR (v.edition_until = e.number"
    "  AND NOT EXISTS (SELECT FROM citebound.policy_versions n WHERE n.policy_id = v.policy_id"
    "   AND n.edition_from = e.number))"
    " JOIN citebound.policies p ON p.id = v.policy_id"
    " WHERE v.audience && CAST(:groups AS text[])"
    " ORDER BY e.number DESC, v.title, v.id LIMIT :limit"
)


class PostgresPolicyChanges:
    """See `core.ports.changes.PolicyChanges`."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use a migrated database."""
        self._engine = engine

    @raises_transient
    @begun_again
    async def latest(self, groups: frozenset[str], /, *, limit: int) -> tuple[PolicyChanged, ...]:
        """See `PolicyChanges.latest`."""
        keys = {"groups": sorted(groups | {EVERYONE}), "limit": limit}
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_LATEST, keys)).all()
        return tuple(
            PolicyChanged(
                edition=row.number,
                published_at=row.published_at,
                policy_key=row.key,
                title=row.title,
                label=row.label,
                became=row.became,
            )
            for row in rows
        )
