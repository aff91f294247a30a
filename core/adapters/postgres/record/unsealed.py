"""What has no place in the tree: how long it waits, and who holds it up.

The sequencer seals what lies below the horizon: the oldest transaction that writes, anywhere on the
server. Whoever leaves one open holds up sealing, and is named.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import RowMapping, TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record
from core.audit.canonical import canonical_document
from core.audit.timeline import age_s
from core.audit.verification import CLOCKS_DIFFER_S, ProblemClass, ProblemLog

LISTED = 100
"""Records that are named, of those whose transaction did not begin."""

_UNSEALED = """
SELECT record.id::text AS id, record.canonical, record.xid::text AS xid,
       pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text AS ends
  FROM audit.record AS record
 WHERE NOT EXISTS (SELECT FROM audit.leaf AS leaf WHERE leaf.record_id = record.id)
 ORDER BY record.xid {} LIMIT :listed
"""
_OLDEST, _NEWEST = text(_UNSEALED.format("ASC")), text(_UNSEALED.format("DESC"))
_HOLDER = text("""
SELECT lock.pid, prepared.gid, coalesce(activity.usename, prepared.owner) AS login,
       pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()
         - coalesce(activity.xact_start, prepared.prepared)) AS age_s
  FROM pg_catalog.pg_locks AS lock
  LEFT JOIN pg_catalog.pg_stat_activity AS activity ON activity.pid = lock.pid
  LEFT JOIN pg_catalog.pg_prepared_xacts AS prepared ON prepared.transaction = lock.transactionid
 WHERE lock.locktype = 'transactionid' AND lock.mode = 'ExclusiveLock' AND lock.granted
   AND lock.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
 ORDER BY pg_catalog.age(lock.transactionid) DESC LIMIT 1
""")
"""Who has the oldest transaction that writes. Locks are shown to every login; since when it is open
only to members of `pg_read_all_stats`."""


async def compare_unsealed(
    connection: AsyncConnection, log: ProblemLog, *, now: float, is_sealed: bool
) -> None:
    """Name records that will never be sealed, and say how long others wait.

    Args:
        connection: of the verification's snapshot.
        log: takes the problems.
        now: seconds since 1970, UTC, by the clock of whoever verifies.
        is_sealed: whether anything ever was; else everything waits.
    """
    ahead = [one for one in await _read(connection, _NEWEST) if int(one["xid"]) >= int(one["ends"])]
    for row in ahead:
        log.add(
            ProblemClass.XID_AHEAD,
            f"the record is of transaction {row['xid']}, and the server has begun those before"
            f" {row['ends']}: it was put there by hand, and counts for nothing",
            record=str(row["id"]),
        )
    waiting = [
        one for one in await _read(connection, _OLDEST) if int(one["xid"]) < int(one["ends"])
    ]
    ages = {str(one["id"]): _age_s(one, now) for one in waiting}
    oldest = max(ages, key=lambda waiting: abs(ages[waiting]), default=None)
    if is_sealed and oldest is not None and abs(ages[oldest]) > CLOCKS_DIFFER_S:
        holder = await horizon_holder(connection)
        log.add(
            ProblemClass.RECORD_UNSEALED,
            f"a record dated {ages[oldest]:.0f} s ago is not sealed, and counts for nothing:"
            f" {holder or 'see whether `citebound audit seal` runs'}",
            record=oldest,
        )


def _age_s(row: RowMapping, now: float) -> float:
    document = canonical_document(bytes(row["canonical"])) or {}
    return age_s(document.get("at"), now)


async def _read(connection: AsyncConnection, query: TextClause) -> Sequence[RowMapping]:
    return (await connection.execute(query, {"listed": LISTED})).mappings().all()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who has the oldest transaction that writes, anywhere on the server."""

    pid: int | None
    """Process of the server; None: the transaction is prepared, and belongs to none."""
    gid: str | None
    """Name of a prepared transaction."""
    login: str
    age_s: float | None
    """Since when it is open; None: this login may not know."""

    def __str__(self) -> str:
        """Say who it is, since when, and what ends it."""
        who = f"pid {self.pid}" if self.gid is None else f"prepared transaction {self.gid!r}"
        since = "" if self.age_s is None else f" for {self.age_s:.0f} s"
        ended_by = "pg_terminate_backend" if self.gid is None else "ROLLBACK PREPARED"
        return f"{who} of {self.login!r} has a transaction open{since}, which {ended_by} ends"


async def horizon_holder(connection: AsyncConnection) -> Holder | None:
    """Return who holds the horizon of sealing; None: nobody."""
    row = (await connection.execute(_HOLDER)).mappings().one_or_none()
    return None if row is None else record(Holder, row)
