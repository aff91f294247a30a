"""Who holds the horizon: the oldest transaction that writes, anywhere on the server.

The sequencer seals what lies below it, so that whoever leaves one open holds up sealing.
"""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

_HOLDER = text("""
SELECT format('%s of %s has a transaction open%s, which %s ends',
              coalesce('pid ' || held.pid, 'prepared transaction ' || prepared.gid),
              coalesce(activity.usename, prepared.owner, 'another login'),
              ' for ' || round(open.age_s) || ' s',
              CASE WHEN held.pid IS NULL THEN 'ROLLBACK PREPARED' ELSE 'pg_terminate_backend' END)
  FROM pg_catalog.pg_locks AS held
  LEFT JOIN pg_catalog.pg_stat_activity AS activity ON activity.pid = held.pid
  LEFT JOIN pg_catalog.pg_prepared_xacts AS prepared ON prepared.transaction = held.transactionid,
       LATERAL (SELECT extract(epoch FROM clock_timestamp()
                       - coalesce(activity.xact_start, prepared.prepared)) AS age_s) AS open
 WHERE held.locktype = 'transactionid' AND held.mode = 'ExclusiveLock' AND held.granted
   AND held.pid IS DISTINCT FROM pg_backend_pid() AND coalesce(open.age_s, 0) >= :after
 ORDER BY age(held.transactionid) DESC LIMIT 1
""")
"""Locks are shown to every login; since when a transaction is open only to its own, and to members
of `pg_read_all_stats`."""


async def horizon_holder(connection: AsyncConnection, *, after_s: float = 0.0) -> str | None:
    """Say who has the oldest transaction that is open for longer; None: nobody."""
    return await connection.scalar(_HOLDER, {"after": after_s})
