"""`PostgresSources`: sources of policies, their documents, and how far each synchronisation is."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.corpus.corpus_changes import PostgresCorpusChanges
from core.adapters.postgres.corpus.policy_readers import PolicyReaders
from core.adapters.postgres.corpus.source_access import PostgresSourceAccess
from core.adapters.postgres.corpus.source_changes import (
    forget_changes,
    held_back_lines,
    note_withdrawn,
    noted_changes,
)
from core.adapters.postgres.corpus.source_items import (
    all_items,
    count_other_items,
    holder_of,
    keep_items,
    keep_other_items,
    mark_withdrawn,
    other_paths,
    unseen_items,
)
from core.adapters.postgres.corpus.source_rows import (
    COLUMNS,
    FAILED_TEXTS,
    LEASE_ENDS,
    LEASED_S,
    Failures,
    SourceEvents,
    source_of,
    unknown_source,
)
from core.adapters.postgres.engine.database import database_store, server_now
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.rows import record, row_of
from core.domain.audit import Tag
from core.domain.errors import CiteboundError, OccupiedError, OvertakenError, UsageError
from core.domain.json_value import Json
from core.domain.officers import Officers
from core.ingest.changes import CorpusChanges
from core.sources.connector import OtherItem, PolicySource, Readers
from core.sources.store import ItemState, KnownItem, SourceStatus, SyncLease, SyncReport

NOBODY = Officers(all=(), channel=None)
_ADD = text(
    "INSERT INTO citebound.sources"
    " (name, kind, location, key_prefix, audience, withdrawing, every_s, access_every_s, groups,"
    " due_at)"
    " VALUES (:name, :kind, CAST(:location AS jsonb), :key_prefix, :audience, :withdrawing,"
    " :every_s, :access_every_s, CAST(:groups AS jsonb), now())"
)
_FORGET_REFUSAL = text("DELETE FROM citebound.refused_credentials WHERE name = :name")
_REMOVE = text("DELETE FROM citebound.sources s WHERE name = :name RETURNING s.kind, s.location")
_STATUS = text(
    f"SELECT {COLUMNS}, s.synced_at, s.error, s.error_since, s.due_at, s.access_read_at,"  # noqa: S608
    " s.access_due_at, s.access_error, s.access_error_since, coalesce(i.states, '{}') AS states,"
    " (SELECT count(*) FROM citebound.source_readers r JOIN citebound.source_items i"
    "   USING (source_id, item_id) WHERE r.source_id = s.id AND r.problem IS NOT NULL"
    "   AND i.state IN ('stored', 'failed')) AS unread,"
    " (SELECT count(*) FROM citebound.source_others o WHERE o.source_id = s.id) AS others"
    " FROM citebound.sources s LEFT JOIN LATERAL (SELECT jsonb_object_agg(state, n) AS states FROM"
    " (SELECT state, count(*) AS n FROM citebound.source_items i WHERE i.source_id = s.id"
    " GROUP BY state) AS counted) AS i ON true ORDER BY s.name"
)
_DUE = text("SELECT name FROM citebound.sources WHERE due_at <= now() ORDER BY due_at LIMIT :most")
_LEASE = text(
    f"UPDATE citebound.sources s SET lease = gen_random_uuid(), leased_until = {LEASE_ENDS},"  # noqa: S608  # constants
    " run = run + CASE WHEN is_running THEN 0 ELSE 1 END,"
    " cursor = CASE WHEN is_running THEN cursor END, is_running = true"
    " WHERE name = :name AND (leased_until IS NULL OR leased_until < now())"
    f" RETURNING {COLUMNS}, s.lease, s.run, s.token, s.cursor"
)
_IS_THERE = text("SELECT true FROM citebound.sources WHERE name = :name")
_RENEW = text(
    f"UPDATE citebound.sources SET leased_until = {LEASE_ENDS}"  # noqa: S608  # constants
    " WHERE name = :name AND lease = CAST(:lease AS uuid) RETURNING id"
)
_PROGRESS = text(
    f"UPDATE citebound.sources s SET leased_until = {LEASE_ENDS}, cursor = :cursor"  # noqa: S608  # constants
    f" WHERE name = :name AND lease = CAST(:lease AS uuid) RETURNING {COLUMNS}"
)
_FINISH = text(
    "UPDATE citebound.sources SET token = :token, cursor = NULL, is_running = false, lease = NULL,"
    " leased_until = NULL, synced_at = now(),"
    " due_at = now() + make_interval(secs => every_s)"
    " WHERE name = :name AND lease = CAST(:lease AS uuid) RETURNING id"
)
_RELEASE = text(
    "UPDATE citebound.sources SET lease = NULL, leased_until = NULL"
    " WHERE name = :name AND lease = CAST(:lease AS uuid)"
)


@database_store
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

    async def add(self, source: PolicySource, /) -> None:
        """Begin to keep the corpus current with a source, and record that.

        Raises:
            UsageError: There is one of this name.
        """
        groups = json.dumps(dict(source.groups))
        row = row_of(source, location=json.dumps(dict(source.location)), groups=groups)
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_ADD, row)
                said: dict[str, Json] = {"location": {**source.location}}
                says = {**row, **said, "groups": {**source.groups}}
                await self._events.record(connection, Tag.SOURCE_ADDED, source.name, says)
        except IntegrityError as error:
            raise UsageError(
                f"there is a source {source.name!r} already: choose another name, or remove it"
            ) from error

    async def remove(self, name: str, /) -> None:
        """Forget a source; its policies stay in force.

        Raises:
            UsageError: There is no such source.
        """
        async with self._engine.begin() as connection:
            found = (await connection.execute(_REMOVE, {"name": name})).one_or_none()
            if found is None:
                raise UsageError(unknown_source(name))
            await connection.execute(_FORGET_REFUSAL, {"name": f"source/{name}"})
            says: dict[str, Json] = {"kind": found.kind, "location": found.location}
            await self._events.record(connection, Tag.SOURCE_REMOVED, name, says)

    async def all(self) -> tuple[SourceStatus, ...]:
        """Return all sources by name."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_STATUS)).all()
        return tuple(
            record(
                SourceStatus,
                row,
                source=source_of(row),
                items={ItemState(state): count for state, count in row.states.items()},
            )
            for row in rows
        )

    async def due(self, *, most: int = 10) -> tuple[str, ...]:
        """Return the names of sources that are due, those that waited longest first."""
        async with self._engine.connect() as connection:
            return tuple(await connection.scalars(_DUE, {"most": most}))

    async def items(self, name: str, /) -> tuple[KnownItem, ...]:
        """Return the documents of a source by path.

        Raises:
            UsageError: There is no such source.
        """
        async with self._engine.connect() as connection:
            if await connection.scalar(_IS_THERE, {"name": name}) is None:
                raise UsageError(unknown_source(name))
            return await all_items(connection, name)

    async def others(self, name: str, /) -> tuple[str, ...]:
        """Return where the files of a source lie that are no policies.

        Raises:
            UsageError: There is no such source.
        """
        async with self._engine.connect() as connection:
            if await connection.scalar(_IS_THERE, {"name": name}) is None:
                raise UsageError(unknown_source(name))
            return await other_paths(connection, name)

    async def lease(self, name: str, /) -> SyncLease:
        """See `SourceStore.lease`."""
        async with self._engine.begin() as connection:
            row = (await connection.execute(_LEASE, {"name": name})).one_or_none()
            if row is None and await connection.scalar(_IS_THERE, {"name": name}) is None:
                raise UsageError(unknown_source(name))
        if row is None:
            raise OccupiedError(
                f"another process synchronises {name!r}: it is done soon; one that was killed"
                f" is given {LEASED_S // 60} minutes"
            )
        return record(SyncLease, row, source=source_of(row))

    async def renew(self, lease: SyncLease, /) -> None:
        """See `SourceStore.renew`."""
        async with self._engine.begin() as connection:
            await self._renewed(connection, lease)

    async def _renewed(self, connection: AsyncConnection, lease: SyncLease) -> int:
        found: int | None = await connection.scalar(_RENEW, _right(lease))
        if found is None:
            raise _overtaken(lease)
        return found

    async def now(self) -> datetime:
        """See `SourceStore.now`."""
        async with self._engine.connect() as connection:
            return await server_now(connection)

    async def known(self, lease: SyncLease, /) -> dict[str, KnownItem]:
        """See `SourceStore.known`."""
        async with self._engine.connect() as connection:
            found = await all_items(connection, lease.source.name)
        return {one.item_id: one for one in found}

    async def holder(self, policy: str, /) -> tuple[str, str] | None:
        """See `SourceStore.holder`."""
        async with self._engine.connect() as connection:
            return await holder_of(connection, policy)

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
        withdrawn: Sequence[str] = (),
    ) -> None:
        """See `SourceStore.keep`."""
        async with self._engine.begin() as connection:
            given = _right(lease) | {"cursor": cursor}
            row = (await connection.execute(_PROGRESS, given)).one_or_none()
            if row is None:
                raise _overtaken(lease)
            await keep_items(connection, row.id, run=lease.run, items=items, seen=seen)
            await note_withdrawn(connection, row.id, withdrawn)
            if readers:
                asked_at = read_at or await server_now(connection)
                await self.readers.apply(connection, row, readers=readers, read_at=asked_at)

    async def audience(self, lease: SyncLease, readers: Readers, /) -> frozenset[str]:
        """See `SourceStore.audience`."""
        return await self.access.audience(lease.source.name, readers)

    async def unseen(self, lease: SyncLease, /) -> list[KnownItem]:
        """See `SourceStore.unseen`."""
        async with self._engine.connect() as connection:
            return await unseen_items(connection, lease.source.name, run=lease.run)

    async def keep_others(
        self, lease: SyncLease, /, *, others: Sequence[OtherItem], gone: Sequence[str]
    ) -> None:
        """See `SourceStore.keep_others`."""
        async with self._engine.begin() as connection:
            source_id = await self._renewed(connection, lease)
            await keep_other_items(connection, source_id, run=lease.run, others=others, gone=gone)

    async def count_others(self, lease: SyncLease, /, *, is_whole: bool) -> int:
        """See `SourceStore.count_others`."""
        async with self._engine.begin() as connection:
            source_id = await self._renewed(connection, lease)
            return await count_other_items(connection, source_id, run=lease.run, is_whole=is_whole)

    async def finish(
        self, lease: SyncLease, /, *, token: str | None, report: SyncReport
    ) -> CorpusChanges:
        """See `SourceStore.finish`. One that changed nothing is neither recorded nor told."""
        name = lease.source.name
        async with self._engine.connect() as connection:
            published, withdrawn = await noted_changes(connection, name)
        compared = await self._changes.between(published, withdrawn)
        async with self._engine.begin() as connection:
            given = _right(lease) | {"token": token}
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

    async def fail(self, lease: SyncLease, /, *, error: CiteboundError) -> None:
        """See `SourceStore.fail`."""
        async with self._engine.begin() as connection:
            name = lease.source.name
            await self._failures.failed(connection, name, lease.lease, error, FAILED_TEXTS)

    async def release(self, lease: SyncLease, /) -> None:
        """See `SourceStore.release`."""
        async with self._engine.begin() as connection:
            await connection.execute(_RELEASE, _right(lease))

    async def withdrawn(self, name: str, item_id: str, /) -> None:
        """Remember that the policy of a document that is gone was withdrawn."""
        async with self._engine.begin() as connection:
            await mark_withdrawn(connection, name, item_id)


def _right(lease: SyncLease) -> dict[str, Any]:
    return {"name": lease.source.name, "lease": lease.lease}


def _overtaken(lease: SyncLease) -> OvertakenError:
    return OvertakenError(f"another process goes on with the source {lease.source.name!r}")
