"""What a synchronisation has changed so far, kept until it has ended."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.sources.store import SyncReport

_NOTE_WITHDRAWN = text(
    "INSERT INTO citebound.source_changes (source_id, policy) VALUES (:source, :policy)"
)
_NOTE_VERSION = text(
    "INSERT INTO citebound.source_changes (source_id, policy, version_id)"
    " SELECT id, :policy, :version FROM citebound.sources WHERE name = :name"
)
_NOTED = text(
    "SELECT policy, version_id FROM citebound.source_changes c"
    " JOIN citebound.sources s ON s.id = c.source_id WHERE s.name = :name"
)
_FORGET = text(
    "DELETE FROM citebound.source_changes c USING citebound.sources s"
    " WHERE s.id = c.source_id AND s.name = :name"
)


async def note_version(
    connection: AsyncConnection, source: str | None, policy: str, version_id: int
) -> None:
    """Keep a version in the transaction that publishes it; None: no source tells of it."""
    if source is not None:
        given = {"name": source, "policy": policy, "version": version_id}
        await connection.execute(_NOTE_VERSION, given)


async def note_withdrawn(
    connection: AsyncConnection, source_id: int, policies: Sequence[str]
) -> None:
    """Keep which policies a synchronisation withdrew."""
    if policies:
        rows = [{"source": source_id, "policy": one} for one in policies]
        await connection.execute(_NOTE_WITHDRAWN, rows)


async def noted_changes(connection: AsyncConnection, name: str) -> tuple[list[int], list[str]]:
    """Return the versions that are kept, and the keys of the policies that were withdrawn."""
    rows = (await connection.execute(_NOTED, {"name": name})).all()
    versions = [row.version_id for row in rows if row.version_id is not None]
    return versions, [row.policy for row in rows if row.version_id is None]


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
