"""Editions that a run of `ingest` has published, kept until they are told of."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.domain.errors import OvertakenError
from core.ports.corpus import IngestRunId

_NOTE = text(
    "INSERT INTO citebound.untold_editions (edition, run, operator)"
    " VALUES (:edition, :run, :operator)"
)
_RUNS = text("SELECT run FROM citebound.untold_editions GROUP BY run ORDER BY min(edition)")
_UNTOLD = text("""
SELECT u.edition, u.operator, v.id AS version_id, p.key AS withdrawn
  FROM citebound.untold_editions u
  LEFT JOIN citebound.policy_versions v ON v.edition_from = u.edition
  LEFT JOIN citebound.withdrawals w ON w.edition = u.edition
  LEFT JOIN citebound.policies p ON p.id = w.policy_id
 WHERE u.run = :run ORDER BY u.edition""")
_FORGET = text(
    "DELETE FROM citebound.untold_editions WHERE edition = ANY(:editions) RETURNING edition"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Untold:
    """What a run has changed, and nobody was told of."""

    editions: Sequence[int]
    """Editions, at least one."""
    versions: Sequence[int]
    """Versions that they brought."""
    withdrawn: Sequence[str]
    """Policies that they withdrew, by key."""
    operator: str
    """Who ran it."""


async def note_untold(
    connection: AsyncConnection, edition: int, *, run: IngestRunId | None, operator: str
) -> None:
    """Note an edition in the transaction that publishes it; None: no run tells of it."""
    if run is not None:
        await connection.execute(_NOTE, {"edition": edition, "run": run, "operator": operator})


async def runs_with_untold(connection: AsyncConnection) -> list[IngestRunId]:
    """Return the runs that have notes, in the order of their first editions."""
    return [IngestRunId(run) for run in await connection.scalars(_RUNS)]


async def untold_of(connection: AsyncConnection, run: IngestRunId) -> Untold | None:
    """Return what is noted of a run; None: nothing is."""
    rows = (await connection.execute(_UNTOLD, {"run": run})).all()
    if not rows:
        return None
    return Untold(
        editions=[row.edition for row in rows],
        versions=[row.version_id for row in rows if row.version_id is not None],
        withdrawn=[row.withdrawn for row in rows if row.withdrawn is not None],
        operator=rows[0].operator,
    )


async def forget_untold(connection: AsyncConnection, untold: Untold) -> None:
    """Forget notes in the transaction that tells of them.

    Raises:
        OvertakenError: Another process told of some of them; the transaction must not be committed.
    """
    forgotten = (await connection.execute(_FORGET, {"editions": list(untold.editions)})).all()
    if len(forgotten) < len(untold.editions):
        raise OvertakenError("another process told of what this ingestion changed")
