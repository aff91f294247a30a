"""What the last editions did to the policies."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.transactions import begun_again
from core.domain.policy import EVERYONE
from core.ports.changes import PolicyChanged

_LATEST = text(
    "WITH changed AS ("
    " SELECT edition_from AS edition, id AS version_id, policy_id, false AS is_withdrawn"
    "  FROM citebound.policy_versions"
    " UNION ALL SELECT w.edition, (SELECT l.id FROM citebound.policy_versions l"
    "   WHERE l.policy_id = w.policy_id AND l.edition_from < w.edition"
    "   ORDER BY l.number DESC LIMIT 1), w.policy_id, true"
    "  FROM citebound.withdrawals w),"
    " latest AS MATERIALIZED (SELECT c.* FROM"
    "   (SELECT * FROM changed ORDER BY edition DESC OFFSET 0) c"
    "  WHERE (SELECT r.of_text && CAST(:groups AS text[]) AND r.of_today && CAST(:groups AS text[])"
    "   FROM citebound.version_readers r"
    "   WHERE r.policy_id = c.policy_id AND r.version_id = c.version_id)"
    "  LIMIT :limit)"
    " SELECT e.number, e.published_at, p.key, v.title, v.label,"
    " CASE WHEN l.is_withdrawn THEN 'withdrawn'"
    "  WHEN EXISTS (SELECT FROM citebound.policy_versions b WHERE b.policy_id = v.policy_id"
    "   AND b.edition_from < v.edition_from) THEN 'revised' ELSE 'added' END AS became"
    " FROM latest l"
    " JOIN citebound.editions e ON e.number = l.edition"
    " JOIN citebound.policy_versions v ON v.id = l.version_id"
    " JOIN citebound.policies p ON p.id = l.policy_id"
    " ORDER BY e.number DESC, v.title, v.id"
)
"""An edition changes one policy. Who may read is asked for one policy after the other, the last
changed first, until there are enough: joined, the view would be computed anew for each row."""


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
