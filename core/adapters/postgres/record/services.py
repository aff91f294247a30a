"""Services in the record: when each started and stopped, and what it was set to otherwise before.

The application may not read the record, so what the last process of a kind was set to stands in a
working copy. A process that dies again and again is recorded a few times an hour, and counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.database import database_store, server_now
from core.adapters.postgres.engine.ledger import RecordingStore
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.json_value import Json

MOST_STARTS = 12
"""Starts of a kind of service that are recorded within the time below: as many replicas as start
with a release, and far less than a process that is restarted every ten seconds."""
WITHIN = timedelta(hours=1)
GROUP, CHANNEL = "group:", "channel:"
"""How the keys of settings begin that stand in files: who belongs to a group, what holds in a
channel."""
_MAKE = text(
    "INSERT INTO citebound.service_states (service) VALUES (:service) ON CONFLICT DO NOTHING"
)
_LAST = text(
    "SELECT settings, starts, unrecorded FROM citebound.service_states WHERE service = :service"
    " FOR UPDATE"
)
_COUNT = text(
    "UPDATE citebound.service_states SET unrecorded = unrecorded + 1 WHERE service = :service"
)
_KEEP = text(
    "UPDATE citebound.service_states SET settings = :settings, starts = :starts, unrecorded = 0"
    " WHERE service = :service"
).bindparams(bindparam("settings", type_=JSONB))


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSetting:
    """What a service is set to, as far as it is recorded."""

    shown: str
    """What may be shown; of a secret only whether it is set."""
    digest: str | None = None
    """Hash of what is not shown and is no secret; None: all of it is shown."""


@database_store
class PostgresServices(RecordingStore):
    """Records services that start and stop."""

    async def start(self, service: str, settings: Mapping[str, ServiceSetting]) -> str | None:
        """Record a start, with each setting that differs from those of the last process.

        Args:
            service: its kind: `serve`, `work`, `both` or `seal`.
            settings: what it is set to, by variable, group and channel.

        Returns:
            The record of the start; None: too many were recorded within the hour.
        """
        async with self._engine.begin() as connection:
            now = await server_now(connection)
            await connection.execute(_MAKE, {"service": service})
            last = (await connection.execute(_LAST, {"service": service})).one()
            recent = [at for at in last.starts if at > now - WITHIN]
            if len(recent) >= MOST_STARTS:
                await connection.execute(_COUNT, {"service": service})
                return None
            says = {"service": service, "unrecorded_starts": last.unrecorded}
            record_id = await self._record(connection, Tag.SERVICE_STARTED, service, says)
            if last.settings:
                for tag, change in _changes(last.settings, settings):
                    await self._record(connection, tag, service, change, cause=record_id)
            await connection.execute(_KEEP, _row(service, settings, [*recent, now]))
            return record_id

    async def stop(self, service: str, started: str) -> None:
        """Record that a service ends in its order; `started` is the record of its start."""
        async with self._engine.begin() as connection:
            says = {"service": service}
            await self._record(connection, Tag.SERVICE_STOPPED, service, says, cause=started)

    async def _record(
        self,
        connection: AsyncConnection,
        tag: Tag,
        service: str,
        says: Mapping[str, Json],
        *,
        cause: str | None = None,
    ) -> str:
        event = Event(tag=tag, actor=service, actor_kind="system", cause=cause, says=says)
        return await self._ledger.event(connection, event, content={})


def _row(
    service: str, settings: Mapping[str, ServiceSetting], starts: Sequence[datetime]
) -> dict[str, Any]:
    kept = {key: asdict(setting) for key, setting in settings.items()}
    return {"service": service, "settings": kept, "starts": starts}


def _changes(
    before: Mapping[str, Any], now: Mapping[str, ServiceSetting]
) -> Iterator[tuple[Tag, dict[str, Json]]]:
    """Yield what differs; a variable that only one release knows is no change."""
    for key in sorted({*before, *now}):
        old = ServiceSetting(**before[key]) if key in before else None
        new = now.get(key)
        is_named = key.startswith((GROUP, CHANNEL))
        if old == new or (not is_named and None in (old, new)):
            continue
        yield (
            _tag(key),
            {
                "key": key,
                "old": None if old is None else old.shown,
                "new": None if new is None else new.shown,
            },
        )


def _tag(key: str) -> Tag:
    if key.startswith(GROUP):
        return Tag.ACCESS_CHANGED
    is_channel = key.startswith(CHANNEL) or key == "CITEBOUND_CASE_CHANNEL"
    return Tag.CHANNEL_CONFIGURED if is_channel else Tag.SETTINGS_CHANGED
