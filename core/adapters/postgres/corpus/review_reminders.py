"""Tell owners of policies that are past their review, or else officers: once for each and date.

What was told is the queued reply itself, by its cause: nothing else is kept. A policy that gets
another date is told of again when that has passed, one that is withdrawn no more.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.cases.case_posts import tell_officers
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.transactions import AdvisoryLock, begun_again, wait_for_one
from core.adapters.postgres.record.affected import EVERYBODYS_VERSIONS
from core.domain.delivery import Notice
from core.domain.officers import Officers, Route
from core.ports import IdSource

_EDITION = text("SELECT max(number) FROM citebound.editions")
_OVERDUE = text(f"""
WITH {EVERYBODYS_VERSIONS}, overdue AS (
  SELECT p.key, v.title, v.review_by, v.owner, 'review:' || p.key || ':' || v.review_by AS cause,
         'everyone' = ANY (citebound.audience_now(v.audience, v.policy_id)) AS is_public
    FROM live JOIN citebound.policy_versions v ON v.id = live.id
    JOIN citebound.policies p ON p.id = v.policy_id WHERE v.review_by < :day)
SELECT * FROM overdue o
 WHERE NOT EXISTS (SELECT FROM citebound.outbox b WHERE b.cause = o.cause)
 ORDER BY o.review_by, o.key LIMIT :most""")  # noqa: S608  # constants
MOST = 20
"""Policies that are told of at a time: a corpus whose dates have all passed floods nobody."""


class PostgresReviewReminders:
    """See `core.ports.corrections.Comparisons`, for reviews. Safe from many processes."""

    def __init__(self, engine: AsyncEngine, *, officers: Officers, ids: IdSource) -> None:
        self._engine = engine
        self._officers = officers
        self._ids = ids

    @raises_transient
    @begun_again
    async def compare(self, *, on_day: date) -> int:
        """Tell of policies whose review is overdue; return of how many.

        An owner who is an officer is told alone. A policy that not everyone may read is named in no
        channel.
        """
        async with self._engine.begin() as connection:
            edition = await connection.scalar(_EDITION)
            if edition is None or not self._officers.routes(is_sensitive=False):
                return 0
            await wait_for_one(connection, AdvisoryLock.TELLING_OFFICERS, "reviews")
            given = {"edition": edition, "day": on_day, "most": MOST}
            rows = (await connection.execute(_OVERDUE, given)).all()
            for row in rows:
                owner = f", owner {row.owner}" if row.owner else ""
                await tell_officers(
                    connection,
                    Notice.REVIEW_OVERDUE,
                    subject=f"{row.title} ({row.key}), due by {row.review_by}{owner}",
                    cause=row.cause,
                    officers=self._officers,
                    ids=self._ids,
                    routes=self._routes(row),
                )
            return len(rows)

    def _routes(self, row: Row[Any]) -> Sequence[Route]:
        owner = self._officers.named(row.owner or "")
        direct = self._officers.route_to(owner.login) if owner else None
        return [direct] if direct else self._officers.routes(is_sensitive=not row.is_public)
