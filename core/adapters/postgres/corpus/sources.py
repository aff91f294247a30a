"""`PostgresSources`: sources of policies, their documents, and how far each synchronisation is."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus_changes import PostgresCorpusChanges
from core.adapters.postgres.corpus.policy_readers import PolicyReaders
from core.adapters.postgres.corpus.source_access import PostgresSourceAccess
from core.adapters.postgres.corpus.source_changes import (
    forget_changes,
    held_back_lines,
    note_changes,
    noted_changes,
)
from core.adapters.postgres.corpus.source_rows import (
    COLUMNS,
    FAILED_TEXTS,
    Failures,
    SourceEvents,
    source_of,
    unknown_source,
)
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger
from core.domain.audit import Tag
from core.domain.errors import CiteboundError, OccupiedError, OvertakenError, UsageError
from core.domain.json_value import Json
from core.domain.officers import Officers
from core.ingest.changes import CorpusChanges
from core.sources.connector import PolicySource, Readers
from core.sources.store import ItemChange, ItemState, KnownItem, SourceStatus, SyncLease, SyncReport

NOBODY = Officers(all=(), channel=None)
LEASED_FOR = timedelta(minutes=15)
"""How long a synchronisation may take over one document before another process goes on with it."""

_ADD = text(
    "INSERT INTO citebound.sources"
    " (name, kind, location, key_prefix, audience, withdrawing, every_s, access_every_s, groups,"
    " due_at)"
    " VALUES (:name, :kind, CAST(:location AS jsonb), :key_prefix, :audience, :withdrawing,"
    " :every_s, :access_every_s, CAST(:groups AS jsonb), :at)"
)
_REMOVE = text("DELETE FROM citebound.sources s WHERE name = :name RETURNING s.kind, s.location")
_STATUS = text(
    f"SELECT {COLUMNS}, s.synced_at, s.error, s.error_since, s.due_at, s.access_read_at,"  # noqa: S608
    " s.access_due_at, s.access_error, s.access_error_since, coalesce(i.states, '{}') AS states,"
    " (SELECT count(*) FROM citebound.source_readers r JOIN citebound.source_items i"
    "   USING (source_id, item_id) WHERE r.source_id = s.id AND r.problem IS NOT NULL"
    "   AND i.state IN ('stored', 'failed')) AS unread"
    " FROM citebound.sources s LEFT JOIN LATERAL (SELECT jsonb_object_agg(state, n) AS states FROM"
    " (SELECT state, count(*) AS n FROM citebound.source_items i WHERE i.source_id = s.id"
    " GROUP BY state) AS counted) AS i ON true ORDER BY s.name"
)
_DUE = text("SELECT name FROM citebound.sources WHERE due_at <= :now ORDER BY due_at LIMIT :most")
_LEASE = text(
    "UPDATE citebound.sources s SET lease = gen_random_uuid(), leased_until = :until,"  # noqa: S608
    " run = run + CASE WHEN is_running THEN 0 ELSE 1 END,"
    " cursor = CASE WHEN is_running THEN cursor END, is_running = true"
    " WHERE name = :name AND (leased_until IS NULL OR leased_until < :now)"
    f" RETURNING {COLUMNS}, s.lease, s.run, s.token, s.cursor"
)
_IS_THERE = text("SELECT true FROM citebound.sources WHERE name = :name")
_RENEW = text(
    "UPDATE citebound.sources s SET leased_until = :until, cursor = :cursor"  # noqa: S608
    f" WHERE name = :name AND lease = CAST(:lease AS uuid) RETURNING {COLUMNS}"
)
_ITEMS = text(
    "SELECT item_id, path, version, state, policy, reason FROM citebound.source_items i"
    " JOIN citebound.sources s ON s.id = i.source_id WHERE s.name = :name ORDER BY path"
)
_KEEP = text(
    "INSERT INTO citebound.source_items"
    " (source_id, item_id, path, version, state, policy, reason, seen_in, changed_at)"
    " VALUES (:source, :item_id, :path, :version, :state, :policy, :reason, :run, :at)"
    " ON CONFLICT (source_id, item_id) DO UPDATE SET path = EXCLUDED.path,"
    " version = EXCLUDED.version, state = EXCLUDED.state, policy = EXCLUDED.policy,"
    " reason = EXCLUDED.reason, seen_in = EXCLUDED.seen_in, changed_at = EXCLUDED.changed_at"
)
_SEEN = text(
    "UPDATE citebound.source_items SET seen_in = :run"
    " WHERE source_id = :source AND item_id = ANY(:items)"
)
_UNSEEN = text(
    "SELECT item_id, path, version, state, policy, reason FROM citebound.source_items i"
    " JOIN citebound.sources s ON s.id = i.source_id"
    " WHERE s.name = :name AND i.seen_in < :run AND i.state IN ('stored', 'failed') ORDER BY path"
)
_HOLDER = text(
    "SELECT s.name, i.item_id FROM citebound.source_items i"
    " JOIN citebound.sources s ON s.id = i.source_id"
    " WHERE i.policy = :policy AND i.state IN ('stored', 'failed') ORDER BY i.changed_at LIMIT 1"
)
_FINISH = text(
    "UPDATE citebound.sources SET token = :token, cursor = NULL, is_running = false, lease = NULL,"
    " leased_until = NULL, synced_at = CAST(:now AS timestamptz),"
    " due_at = CAST(:now AS timestamptz) + make_interval(secs => every_s)"
    " WHERE name = :name AND lease = CAST(:lease AS uuid) RETURNING id"
)
_RELEASE = text(
    "UPDATE citebound.sources SET lease = NULL, leased_until = NULL"
    " WHERE name = :name AND lease = CAST(:lease AS uuid)"
)
_WITHDRAWN = text(
    "UPDATE citebound.source_items i SET state = 'withdrawn', changed_at = :at"
    " FROM citebound.sources s WHERE s.id = i.source_id AND s.name = :name"
    " AND i.item_id = :item AND i.state = 'gone'"
)


class PostgresSources:
    """See `core.sources.store.SourceStore`."""

    def __init__(
        self, engine: AsyncEngine, *, ledger: Ledger, operator: str, officers: Officers = NOBODY
    ) -> None:
        self._engine = engine
        self._ledger = ledger
        self._changes = PostgresCorpusChanges(
            engine, ledger=ledger, operator=operator, officers=officers
        )
        self._events = SourceEvents(ledger, operator=operator)
        self._failures = Failures(ledger, events=self._events, officers=officers)
        self.readers = PolicyReaders(ledger, operator=operator)
        """What they say of readers, as audiences."""
        self.access = PostgresSourceAccess(
            engine,
            ledger=ledger,
            readers=self.readers,
            events=self._events,
            failures=self._failures,
        )
        """Who may read their documents."""

    @raises_transient
    async def add(self, source: PolicySource, /) -> None:
        """Begin to keep the corpus current with a source, and record that.

        Raises:
            UsageError: There is one of this name.
        """
        row: dict[str, Json] = {
            "name": source.name,
            "kind": source.kind.value,
            "location": json.dumps(dict(source.location)),
            "key_prefix": source.key_prefix,
            "audience": None if source.audience is None else [*sorted(source.audience)],
            "withdrawing": source.withdrawing.value,
            "every_s": source.every_s,
            "access_every_s": source.access_every_s,
            "groups": json.dumps(dict(source.groups)),
        }
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_ADD, {**row, "at": self._ledger.clock.now()})
                said: dict[str, Json] = {"location": {**source.location}}
                says = {**row, **said, "groups": {**source.groups}}
                await self._events.record(connection, Tag.SOURCE_ADDED, source.name, says)
        except IntegrityError as error:
            raise UsageError(
                f"there is a source {source.name!r} already: choose another name, or remove it"
            ) from error

    @raises_transient
    async def remove(self, name: str, /) -> None:
        """Forget a source; its policies stay in force.

        Raises:
            UsageError: There is no such source.
        """
        async with self._engine.begin() as connection:
            found = (await connection.execute(_REMOVE, {"name": name})).one_or_none()
            if found is None:
                raise UsageError(unknown_source(name))
            says: dict[str, Json] = {"kind": found.kind, "location": found.location}
            await self._events.record(connection, Tag.SOURCE_REMOVED, name, says)

    @raises_transient
    async def all(self) -> tuple[SourceStatus, ...]:
        """Return all sources by name."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_STATUS)).all()
        return tuple(
            SourceStatus(
                source=source_of(row),
                synced_at=row.synced_at,
                error=row.error,
                error_since=row.error_since,
                items={ItemState(state): count for state, count in row.states.items()},
                due_at=row.due_at,
                access_read_at=row.access_read_at,
                access_due_at=row.access_due_at,
                access_error=row.access_error,
                access_error_since=row.access_error_since,
                unread=row.unread,
            )
            for row in rows
        )

    @raises_transient
    async def due(self, *, most: int = 10) -> tuple[str, ...]:
        """Return the names of sources that are due, those that waited longest first."""
        async with self._engine.connect() as connection:
            given = {"now": self._ledger.clock.now(), "most": most}
            return tuple(await connection.scalars(_DUE, given))

    @raises_transient
    async def items(self, name: str, /) -> tuple[KnownItem, ...]:
        """Return the documents of a source by path.

        Raises:
            UsageError: There is no such source.
        """
        async with self._engine.connect() as connection:
            if await connection.scalar(_IS_THERE, {"name": name}) is None:
                raise UsageError(unknown_source(name))
            return tuple(map(_item, await connection.execute(_ITEMS, {"name": name})))

    @raises_transient
    async def lease(self, name: str, /) -> SyncLease:
        """See `SourceStore.lease`."""
        now = self._ledger.clock.now()
        async with self._engine.begin() as connection:
            given = {"name": name, "now": now, "until": now + LEASED_FOR}
            row = (await connection.execute(_LEASE, given)).one_or_none()
            if row is None and await connection.scalar(_IS_THERE, {"name": name}) is None:
                raise UsageError(unknown_source(name))
        if row is None:
            raise OccupiedError(
                f"another process synchronises {name!r}: it is done soon; one that was killed"
                f" is given {LEASED_FOR.seconds // 60} minutes"
            )
        return SyncLease(
            source=source_of(row),
            lease=str(row.lease),
            run=row.run,
            token=row.token,
            cursor=row.cursor,
        )

    @raises_transient
    async def known(self, lease: SyncLease, /) -> dict[str, KnownItem]:
        """See `SourceStore.known`."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(_ITEMS, {"name": lease.source.name})
            return {row.item_id: _item(row) for row in rows}

    @raises_transient
    async def holder(self, policy: str, /) -> tuple[str, str] | None:
        """See `SourceStore.holder`."""
        async with self._engine.connect() as connection:
            row = (await connection.execute(_HOLDER, {"policy": policy})).one_or_none()
        return None if row is None else (row.name, row.item_id)

    @raises_transient
    async def keep(
        self,
        lease: SyncLease,
        /,
        *,
        items: Sequence[KnownItem],
        seen: Sequence[str] = (),
        cursor: str | None = None,
        readers: Sequence[Readers] = (),
        read_at: datetime | None = None,
        changed: Sequence[ItemChange] = (),
    ) -> None:
        """See `SourceStore.keep`."""
        now = self._ledger.clock.now()
        async with self._engine.begin() as connection:
            given = _right(lease) | {"until": now + LEASED_FOR, "cursor": cursor}
            row = (await connection.execute(_RENEW, given)).one_or_none()
            if row is None:
                raise _overtaken(lease)
            rows = [
                {
                    "source": row.id,
                    "item_id": one.item_id,
                    "path": one.path,
                    "version": one.version,
                    "state": one.state.value,
                    "policy": one.policy,
                    "reason": one.reason,
                    "run": lease.run,
                    "at": now,
                }
                for one in items
            ]
            if rows:
                await connection.execute(_KEEP, rows)
            if seen:
                found = {"source": row.id, "items": list(seen), "run": lease.run}
                await connection.execute(_SEEN, found)
            await note_changes(connection, row.id, changed)
            if readers:
                await self.readers.apply(connection, row, readers=readers, read_at=read_at or now)

    async def audience(self, lease: SyncLease, readers: Readers, /) -> frozenset[str]:
        """See `SourceStore.audience`."""
        return await self.access.audience(lease.source.name, readers)

    @raises_transient
    async def unseen(self, lease: SyncLease, /) -> list[KnownItem]:
        """See `SourceStore.unseen`."""
        async with self._engine.connect() as connection:
            given = {"name": lease.source.name, "run": lease.run}
            return [_item(row) for row in await connection.execute(_UNSEEN, given)]

    @raises_transient
    async def finish(
        self, lease: SyncLease, /, *, token: str | None, report: SyncReport
    ) -> CorpusChanges:
        """See `SourceStore.finish`. One that changed nothing is neither recorded nor told."""
        name = lease.source.name
        async with self._engine.connect() as connection:
            changed = await noted_changes(connection, name)
        compared = await self._changes.between(
            [one.version_id for one in changed if one.version_id is not None],
            [one.policy for one in changed if one.version_id is None],
        )
        async with self._engine.begin() as connection:
            given = _right(lease) | {"token": token, "now": self._ledger.clock.now()}
            if await connection.scalar(_FINISH, given) is None:
                raise _overtaken(lease)
            await forget_changes(connection, name)
            await self._failures.ended(connection, name, FAILED_TEXTS)
            if report.changes:
                says: dict[str, Json] = {"run": lease.run, **report.as_json()}
                await self._events.record(connection, Tag.SOURCE_SYNCED, name, says)
            await self._changes.settle(
                connection,
                compared,
                by=f"from the source {name}",
                subject=f"source:{name}",
                cause=f"source:{lease.lease}",
                more=held_back_lines(name, report),
            )
        return compared

    @raises_transient
    async def fail(self, lease: SyncLease, /, *, error: CiteboundError) -> None:
        """See `SourceStore.fail`."""
        async with self._engine.begin() as connection:
            name = lease.source.name
            await self._failures.failed(connection, name, lease.lease, error, FAILED_TEXTS)

    @raises_transient
    async def release(self, lease: SyncLease, /) -> None:
        """See `SourceStore.release`."""
        async with self._engine.begin() as connection:
            await connection.execute(_RELEASE, _right(lease))

    @raises_transient
    async def withdrawn(self, name: str, item_id: str, /) -> None:
        """Remember that the policy of a document that is gone was withdrawn."""
        async with self._engine.begin() as connection:
            given = {"name": name, "item": item_id, "at": self._ledger.clock.now()}
            await connection.execute(_WITHDRAWN, given)


def _right(lease: SyncLease) -> dict[str, Any]:
    return {"name": lease.source.name, "lease": lease.lease}


def _overtaken(lease: SyncLease) -> OvertakenError:
    return OvertakenError(f"another process goes on with the source {lease.source.name!r}")


def _item(row: Row[Any]) -> KnownItem:
    return KnownItem(
        item_id=row.item_id,
        path=row.path,
        version=row.version,
        state=ItemState(row.state),
        policy=row.policy,
        reason=row.reason,
    )
