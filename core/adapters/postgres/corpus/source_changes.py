"""What a synchronisation has changed so far, kept until it has ended."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.sources.store import ItemChange, SyncReport

_NOTE = text(
    "INSERT INTO citebound.source_changes (source_id, policy, version_id)"
    " VALUES (:source, :policy, :version)"
)
_NOTED = text(
    "SELECT policy, version_id FROM citebound.source_changes c"
    " JOIN citebound.sources s ON s.id = c.source_id WHERE s.name = :name"
)
_FORGET = text(
    "DELETE FROM citebound.source_changes c USING citebound.sources s"
    " WHERE s.id = c.source_id AND s.name = :name"
)


async def note_changes(
    connection: AsyncConnection, source_id: int, changed: Sequence[ItemChange]
) -> None:
    """Keep what a synchronisation changed."""
    if changed:
        rows = [
            {"source": source_id, "policy": one.policy, "version": one.version_id}
            for one in changed
        ]
        await connection.execute(_NOTE, rows)


async def noted_changes(connection: AsyncConnection, name: str) -> list[ItemChange]:
    """Return what is kept."""
    rows = await connection.execute(_NOTED, {"name": name})
    return [ItemChange(policy=row.policy, version_id=row.version_id) for row in rows]


async def forget_changes(connection: AsyncConnection, name: str) -> None:
    """Forget it, once it is told."""
    await connection.execute(_FORGET, {"name": name})


def held_back_lines(name: str, report: SyncReport) -> list[str]:
    """Say which policies have lost their documents, when that is news."""
    if not report.newly_held:
        return []
    count = len(report.held_back)
    are = "policy is gone and stays" if count == 1 else "policies are gone, and they stay"
    return [
        f"the document{'s' * (count != 1)} of {count} {are} in force:"
        f" `citebound sources withdraw {name}` takes them out of it"
    ]
