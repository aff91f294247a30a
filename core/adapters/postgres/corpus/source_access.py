"""`PostgresSourceAccess`: how far reading readers is, and what groups of sources are called."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.corpus.policy_readers import (
    LastWord,
    PolicyReaders,
    ShownReaders,
    SourceGroup,
)
from core.adapters.postgres.corpus.source_rows import (
    COLUMNS,
    FAILED_ACCESS,
    LEASE_ENDS,
    Failures,
    SourceEvents,
    source_of,
    unknown_source,
)
from core.adapters.postgres.engine.database import database_store, server_now
from core.adapters.postgres.engine.ledger import Ledger
from core.domain.audit import Tag
from core.domain.errors import CiteboundError, OccupiedError, OvertakenError, UsageError
from core.domain.json_value import Json
from core.sources.access import AccessLease, AccessReport
from core.sources.connector import ItemReaders, Readers, SourceItem

ASKED_AGAIN = 50
"""Documents whose readers are asked for one by one, each time."""
KEPT_UNKNOWN = "interval '1 day'"
"""How long readers of what is no document of ours are kept: it may be one in a moment."""

_DUE = text(
    "SELECT name FROM citebound.sources WHERE access_due_at <= now()"
    " AND (access_leased_until IS NULL OR access_leased_until < now())"
    " ORDER BY access_due_at LIMIT :most"
)
_LEASE = text(
    "UPDATE citebound.sources s SET access_lease = gen_random_uuid(),"  # noqa: S608  # constants
    f" access_leased_until = {LEASE_ENDS},"
    " access_cursor = CASE WHEN access_begun_at IS NOT NULL THEN access_cursor END,"
    " access_begun_at = coalesce(access_begun_at, now())"
    " WHERE name = :name AND (access_leased_until IS NULL OR access_leased_until < now())"
    f" RETURNING {COLUMNS}, s.access_lease, s.access_token, s.access_cursor"
)
_KNOWN = text(
    "SELECT i.item_id, i.path, i.version, r.problem IS NOT NULL AS is_unread"
    " FROM citebound.source_items i LEFT JOIN citebound.source_readers r USING (source_id, item_id)"
    " WHERE i.source_id = :source AND i.policy IS NOT NULL AND i.state IN ('stored', 'failed')"
    " ORDER BY i.item_id"
)
_RENEW = text(
    f"UPDATE citebound.sources SET access_leased_until = {LEASE_ENDS}"  # noqa: S608  # constants
    " WHERE name = :name AND access_lease = CAST(:lease AS uuid) RETURNING id"
)
_PROGRESS = text(
    f"UPDATE citebound.sources s SET access_leased_until = {LEASE_ENDS}, access_cursor = :cursor"  # noqa: S608  # constants
    " WHERE name = :name AND access_lease = CAST(:lease AS uuid)"
    f" RETURNING {COLUMNS}, s.access_begun_at"
)
_UNLISTED = text(
    "INSERT INTO citebound.source_readers AS known (source_id, item_id, groups, problem, read_at)"
    " SELECT :source, one, '{}', :problem, clock_timestamp()"
    " FROM unnest(CAST(:known AS text[])) one"
    " ON CONFLICT (source_id, item_id) DO UPDATE"
    " SET problem = EXCLUDED.problem, read_at = EXCLUDED.read_at"
    " WHERE known.read_at < CAST(:begun AS timestamptz)"
)
_FORGET = text(
    "DELETE FROM citebound.source_readers r WHERE source_id = :source"  # noqa: S608  # constants
    f" AND read_at < now() - {KEPT_UNKNOWN} AND NOT EXISTS (SELECT FROM citebound.source_items i"
    "  WHERE i.source_id = r.source_id AND i.item_id = r.item_id)"
)
_FINISH = text(
    "UPDATE citebound.sources SET access_token = :token, access_cursor = NULL,"
    " access_begun_at = NULL, access_lease = NULL, access_leased_until = NULL,"
    " access_read_at = CASE WHEN :says THEN now() END,"
    " access_due_at = CASE WHEN :says THEN now() + make_interval(secs => access_every_s) END"
    " WHERE id = :source"
)
_RELEASE = text(
    "UPDATE citebound.sources SET access_lease = NULL, access_leased_until = NULL"
    " WHERE name = :name AND access_lease = CAST(:lease AS uuid)"
)
_FOLLOW = text(
    "UPDATE citebound.sources SET access_due_at = coalesce(access_due_at, now()) WHERE name = :name"
)
_FIND = text(f"SELECT {COLUMNS} FROM citebound.sources s WHERE name = :name")  # noqa: S608  # constants
_NAMED = text("UPDATE citebound.sources SET groups = CAST(:groups AS jsonb) WHERE id = :source")
_SHOWN = text(
    "SELECT item_id, groups, problem FROM citebound.source_readers WHERE source_id = :source"
)
_COUNT_UNREAD = text(
    "SELECT count(*) FROM citebound.source_readers r JOIN citebound.source_items i"
    " USING (source_id, item_id) WHERE r.source_id = :source AND r.problem IS NOT NULL"
    " AND i.state IN ('stored', 'failed')"
)


@database_store
@dataclass(frozen=True, slots=True)
class PostgresSourceAccess:
    """See `core.sources.access.AccessStore`."""

    engine: AsyncEngine
    _: KW_ONLY
    ledger: Ledger
    readers: PolicyReaders
    events: SourceEvents
    failures: Failures

    async def due(self, *, most: int = 10) -> tuple[str, ...]:
        """Return the names of sources whose readers are due, those that waited longest first."""
        async with self.engine.connect() as connection:
            return tuple(await connection.scalars(_DUE, {"most": most}))

    async def lease(self, name: str, /) -> AccessLease:
        """See `AccessStore.lease`."""
        async with self.engine.begin() as connection:
            row = (await connection.execute(_LEASE, {"name": name})).one_or_none()
            if row is None:
                if (await connection.execute(_FIND, {"name": name})).one_or_none() is None:
                    raise UsageError(unknown_source(name))
                raise OccupiedError(f"another process reads who may read {name!r}: it is done soon")
            known = (await connection.execute(_KNOWN, {"source": row.id})).all()
        again = [one for one in known if one.is_unread][:ASKED_AGAIN]
        return AccessLease(
            source=source_of(row),
            lease=str(row.access_lease),
            token=row.access_token,
            cursor=row.access_cursor,
            known=tuple(one.item_id for one in known),
            unread=tuple(
                SourceItem(item_id=one.item_id, path=one.path, version=one.version) for one in again
            ),
        )

    async def renew(self, lease: AccessLease, /) -> None:
        """See `AccessStore.renew`."""
        async with self.engine.begin() as connection:
            if await connection.scalar(_RENEW, _right(lease)) is None:
                raise _overtaken(lease)

    async def now(self) -> datetime:
        """See `AccessStore.now`."""
        async with self.engine.connect() as connection:
            return await server_now(connection)

    async def keep(
        self,
        lease: AccessLease,
        /,
        *,
        readers: Sequence[Readers],
        read_at: datetime,
        cursor: str | None,
    ) -> tuple[str, ...]:
        """See `AccessStore.keep`."""
        async with self.engine.begin() as connection:
            row = await self._renewed(connection, lease, cursor)
            return await self.readers.apply(connection, row, readers=readers, read_at=read_at)

    async def unlisted(self, lease: AccessLease, /, *, problem: str) -> None:
        """See `AccessStore.unlisted`."""
        async with self.engine.begin() as connection:
            row = await self._renewed(connection, lease, None)
            given = {
                "source": row.id,
                "known": list(lease.known),
                "problem": problem,
                "begun": row.access_begun_at,
            }
            await connection.execute(_UNLISTED, given)

    async def finish(self, lease: AccessLease, /, *, token: str | None, says: bool) -> AccessReport:
        """See `AccessStore.finish`."""
        async with self.engine.begin() as connection:
            row = await self._renewed(connection, lease, None)
            changed = await self.readers.hold(connection, row, None)
            await connection.execute(_FORGET, {"source": row.id})
            given = {"source": row.id, "token": token, "says": says}
            await connection.execute(_FINISH, given)
            await self.failures.ended(connection, row.name, FAILED_ACCESS)
            unread = await connection.scalar(_COUNT_UNREAD, {"source": row.id}) or 0
            unnamed = [
                one for one in await self.readers.groups(connection, row) if not one.audience
            ]
        return AccessReport(changed=changed, unread=unread, unnamed=len(unnamed))

    async def fail(self, lease: AccessLease, /, *, error: CiteboundError) -> None:
        """See `AccessStore.fail`."""
        async with self.engine.begin() as connection:
            await self.failures.failed(
                connection, lease.source.name, lease.lease, error, FAILED_ACCESS
            )

    async def release(self, lease: AccessLease, /) -> None:
        """See `AccessStore.release`."""
        async with self.engine.begin() as connection:
            await connection.execute(_RELEASE, _right(lease))

    async def audience(self, name: str, readers: Readers, /) -> frozenset[str]:
        """See `SourceStore.audience`."""
        async with self.engine.begin() as connection:
            await connection.execute(_FOLLOW, {"name": name})
            row = (await connection.execute(_FIND, {"name": name})).one()
        return self.readers.audience(
            row, readers.groups if isinstance(readers, ItemReaders) else ()
        )

    async def _renewed(
        self, connection: AsyncConnection, lease: AccessLease, cursor: str | None
    ) -> Row[Any]:
        given = _right(lease) | {"cursor": cursor}
        row = (await connection.execute(_PROGRESS, given)).one_or_none()
        if row is None:
            raise _overtaken(lease)
        return row

    async def shown(self, name: str, /) -> dict[str, ShownReaders]:
        """Return who may read the documents of a source, by identity."""
        async with self.engine.connect() as connection:
            row = (await connection.execute(_FIND, {"name": name})).one_or_none()
            if row is None:
                return {}
            found = (await connection.execute(_SHOWN, {"source": row.id})).all()
        return {
            one.item_id: ShownReaders(
                audience=self.readers.audience(row, one.groups), problem=one.problem
            )
            for one in found
        }

    async def last_words(self) -> tuple[LastWord, ...]:
        """Return what sources said last of who may read policies, by policy."""
        async with self.engine.connect() as connection:
            return await self.readers.last_words(connection)

    async def lift(self, policies: Sequence[str], /) -> tuple[str, ...]:
        """See `PolicyReaders.lift`."""
        async with self.engine.begin() as connection:
            return await self.readers.lift(connection, policies)

    async def groups(self, name: str, /) -> tuple[SourceGroup, ...]:
        """Return the groups that a source names as readers, those of most documents first.

        Raises:
            UsageError: There is no such source.
        """
        async with self.engine.connect() as connection:
            row = (await connection.execute(_FIND, {"name": name})).one_or_none()
            if row is None:
                raise UsageError(unknown_source(name))
            return await self.readers.groups(connection, row)

    async def name_groups(
        self, name: str, /, *, named: Mapping[str, str | None]
    ) -> tuple[str, ...]:
        """Say which audience groups groups of a source are; None: none. It holds at once.

        Return the keys of the policies that changed hands.

        Raises:
            UsageError: There is no such source.
        """
        async with self.engine.begin() as connection:
            lock = text(f"{_FIND.text} FOR UPDATE")
            row = (await connection.execute(lock, {"name": name})).one_or_none()
            if row is None:
                raise UsageError(unknown_source(name))
            groups = {key: value for key, value in {**row.groups, **named}.items() if value}
            given = {"source": row.id, "groups": json.dumps(groups)}
            await connection.execute(_NAMED, given)
            says: dict[str, Json] = {"before": {**row.groups}, "after": {**groups}}
            await self.events.record(connection, Tag.SOURCE_CHANGED, name, says)
            row = (await connection.execute(_FIND, {"name": name})).one()
            return await self.readers.hold(connection, row, None)


def _right(lease: AccessLease) -> dict[str, Any]:
    return {"name": lease.source.name, "lease": lease.lease}


def _overtaken(lease: AccessLease) -> OvertakenError:
    return OvertakenError(f"another process goes on with the readers of {lease.source.name!r}")
