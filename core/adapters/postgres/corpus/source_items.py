"""Documents of sources as they were found last, and the files beside them that are no policies."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.rows import record, row_of
from core.sources.connector import OtherItem
from core.sources.store import ItemState, KnownItem

_THERE = frozenset({ItemState.STORED, ItemState.FAILED})
_ITEMS = (
    "SELECT item_id, path, version, state, policy, reason FROM citebound.source_items i"
    " JOIN citebound.sources s ON s.id = i.source_id WHERE s.name = :name"
)
_ALL = text(f"{_ITEMS} ORDER BY path")
_UNSEEN = text(f"{_ITEMS} AND i.seen_in < :run AND i.state IN ('stored', 'failed') ORDER BY path")
_KEEP = text(
    "INSERT INTO citebound.source_items"
    " (source_id, item_id, path, version, state, policy, reason, seen_in, changed_at)"
    " VALUES (:source, :item_id, :path, :version, :state, :policy, :reason, :run, now())"
    " ON CONFLICT (source_id, item_id) DO UPDATE SET path = EXCLUDED.path,"
    " version = EXCLUDED.version, state = EXCLUDED.state, policy = EXCLUDED.policy,"
    " reason = EXCLUDED.reason, seen_in = EXCLUDED.seen_in, changed_at = EXCLUDED.changed_at"
)
_SEEN = text(
    "UPDATE citebound.source_items SET seen_in = :run"
    " WHERE source_id = :source AND item_id = ANY(:items)"
)
_NEVER_WAS = text(
    "DELETE FROM citebound.source_items WHERE source_id = :source AND item_id = ANY(:items)"
    " AND state = 'withdrawn' AND policy IS NULL"
)
_HOLDER = text(
    "SELECT s.name, i.item_id FROM citebound.source_items i"
    " JOIN citebound.sources s ON s.id = i.source_id"
    " WHERE i.policy = :policy AND i.state IN ('stored', 'failed') ORDER BY i.changed_at LIMIT 1"
)
_WITHDRAWN = text(
    "UPDATE citebound.source_items i SET state = 'withdrawn', changed_at = now()"
    " FROM citebound.sources s WHERE s.id = i.source_id AND s.name = :name"
    " AND i.item_id = :item AND i.state = 'gone'"
)
_KEEP_OTHERS = text(
    "INSERT INTO citebound.source_others (source_id, item_id, path, seen_in)"
    " VALUES (:source, :item_id, :path, :run) ON CONFLICT (source_id, item_id)"
    " DO UPDATE SET path = EXCLUDED.path, seen_in = EXCLUDED.seen_in"
)
_FORGET_OTHERS = text(
    "DELETE FROM citebound.source_others WHERE source_id = :source AND item_id = ANY(:items)"
)
_UNSEEN_OTHERS = text(
    "DELETE FROM citebound.source_others WHERE source_id = :source AND seen_in < :run"
)
_COUNT_OTHERS = text("SELECT count(*) FROM citebound.source_others WHERE source_id = :source")
_OTHERS = text(
    "SELECT o.path FROM citebound.source_others o JOIN citebound.sources s ON s.id = o.source_id"
    " WHERE s.name = :name ORDER BY path"
)


async def all_items(connection: AsyncConnection, name: str) -> tuple[KnownItem, ...]:
    """Return the documents of a source by path."""
    return tuple(record(KnownItem, row) for row in await connection.execute(_ALL, {"name": name}))


async def unseen_items(connection: AsyncConnection, name: str, *, run: int) -> list[KnownItem]:
    """Return those that are not gone, and that a synchronisation has not listed."""
    given = {"name": name, "run": run}
    return [record(KnownItem, row) for row in await connection.execute(_UNSEEN, given)]


async def keep_items(
    connection: AsyncConnection,
    source_id: int,
    *,
    run: int,
    items: Sequence[KnownItem],
    seen: Sequence[str],
) -> None:
    """Remember documents, and that others are there as they were.

    One that is gone and never became a policy is forgotten.
    """
    rows = [row_of(item, source=source_id, run=run) for item in items]
    if rows:
        given = {"source": source_id, "items": [one.item_id for one in items]}
        await connection.execute(_KEEP, rows)
        await connection.execute(_NEVER_WAS, given)
        there = [one.item_id for one in items if one.state in _THERE]
        await connection.execute(_FORGET_OTHERS, {"source": source_id, "items": there})
    if seen:
        await connection.execute(_SEEN, {"source": source_id, "items": list(seen), "run": run})


async def keep_other_items(
    connection: AsyncConnection,
    source_id: int,
    *,
    run: int,
    others: Sequence[OtherItem],
    gone: Sequence[str],
) -> None:
    """Remember files that are no policies, and forget those that are gone."""
    rows = [
        {"source": source_id, "item_id": one.item_id, "path": one.path, "run": run}
        for one in others
    ]
    if rows:
        await connection.execute(_KEEP_OTHERS, rows)
    if gone:
        await connection.execute(_FORGET_OTHERS, {"source": source_id, "items": list(gone)})


async def count_other_items(
    connection: AsyncConnection, source_id: int, *, run: int, is_whole: bool
) -> int:
    """Return how many there are; if all was listed, forget those that were not."""
    if is_whole:
        await connection.execute(_UNSEEN_OTHERS, {"source": source_id, "run": run})
    return await connection.scalar(_COUNT_OTHERS, {"source": source_id}) or 0


async def other_paths(connection: AsyncConnection, name: str) -> tuple[str, ...]:
    """Return where the files of a source lie that are no policies."""
    return tuple(await connection.scalars(_OTHERS, {"name": name}))


async def holder_of(connection: AsyncConnection, policy: str) -> tuple[str, str] | None:
    """Return source and identity of the document that a policy is; None: it is none."""
    row = (await connection.execute(_HOLDER, {"policy": policy})).one_or_none()
    return None if row is None else (row.name, row.item_id)


async def mark_withdrawn(connection: AsyncConnection, name: str, item_id: str) -> None:
    """Remember that the policy of a document that is gone was withdrawn."""
    await connection.execute(_WITHDRAWN, {"name": name, "item": item_id})
