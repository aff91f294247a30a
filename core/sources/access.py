"""Keep the audiences of policies in step with whom their source lets read them.

    lease -> list, page by page -> keep in the source's words -> audiences -> token

What a source says is kept in its own words, and read as groups of this deployment's audiences
(`audience_of`). It narrows what the texts say of their readers and never widens it. Whatever can't
be read, lets nobody read who could not before; what was never read, nobody.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from core.domain.errors import CiteboundError, ConfigError, DocumentError, OvertakenError
from core.domain.policy import EVERYONE
from core.ports import Clock
from core.sources.connector import (
    Connect,
    PolicySource,
    Readers,
    ReadersPage,
    SourceAccess,
    SourceItem,
    UnreadReaders,
)

UNLISTED = "the source did not say who may read it: it may not be visible to the login any more"


def audience_of(
    groups: frozenset[str] | None,
    *,
    named: Mapping[str, str],
    directory: Mapping[str, frozenset[str]],
) -> frozenset[str]:
    """Return the audience that groups of a source are; empty: nobody.

    Args:
        groups: see `ItemReaders.groups`.
        named: groups of the source with the audience group that an operator said each is.
        directory: audience groups whose members a directory keeps, with all ids of theirs there. It
            is a reader only where all of these may read: else some of its members might not.
    """
    if groups is None:
        return frozenset({EVERYONE})
    return frozenset(
        {named[one] for one in groups if one in named}
        | {name for name, ids in directory.items() if ids and ids <= groups}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessLease:
    """The right to read who may read the documents of a source, for a while."""

    source: PolicySource
    """Which."""
    lease: str
    """Names this right."""
    token: str | None
    """Of the last listing that was worked through."""
    cursor: str | None
    """From where this one goes on; None: from the beginning."""
    known: tuple[str, ...]
    """Identities of documents that are policies, sorted."""
    unread: tuple[SourceItem, ...] = ()
    """Some of those whose readers could not be read so far: they are asked for one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessReport:
    """What reading the readers of a source came to."""

    changed: tuple[str, ...] = ()
    """Keys of policies that others may read now."""
    unread: int = 0
    """Documents whose readers can't be read."""
    unnamed: int = 0
    """Groups of the source that are no audience group."""


class AccessStore(Protocol):
    """Remembers who may read what. Safe from many processes."""

    async def lease(self, name: str, /) -> AccessLease:
        """Take the right to read the readers of a source.

        Raises:
            UsageError: There is no such source.
            OccupiedError: Another process has it.
        """
        ...

    async def keep(
        self,
        lease: AccessLease,
        /,
        *,
        readers: Sequence[Readers],
        read_at: datetime,
        cursor: str | None,
    ) -> tuple[str, ...]:
        """Remember readers and how far the listing is; return keys of policies that changed hands.

        `read_at` is when they were asked for: what was asked for later stays.

        Raises:
            OvertakenError: The right has passed to another process.
        """
        ...

    async def unlisted(self, lease: AccessLease, /, *, problem: str) -> None:
        """Remember of what this listing has not named that its readers could not be read."""
        ...

    async def finish(self, lease: AccessLease, /, *, token: str | None, says: bool) -> AccessReport:
        """End: apply what groups are called now, remember the token, give the right back.

        `says` is False where the source says nothing of readers: it is not asked again. The report
        has what is changed by this alone.

        Raises:
            OvertakenError: See `keep`.
        """
        ...

    async def fail(self, lease: AccessLease, /, *, error: CiteboundError) -> None:
        """Give the right back, remember the failure, and put the next attempt off."""
        ...

    async def release(self, lease: AccessLease, /) -> None:
        """Give the right back; whoever takes it next goes on."""
        ...


class AccessSync:
    """Reads who may read what. Safe from many processes: each source has a lease."""

    def __init__(self, *, store: AccessStore, connect: Connect, clock: Clock) -> None:
        self._store = store
        self._connect = connect
        self._clock = clock

    async def refresh(self, name: str) -> AccessReport:
        """Bring audiences in step with a source.

        Raises:
            UsageError: There is no such source.
            OccupiedError: Another process is at it.
            ConfigError: It can't be read as it is set up.
            TransientError: It or the database fails; what was read holds, and the next one goes on.
        """
        lease = await self._store.lease(name)
        try:
            async with self._connect(lease.source) as connector:
                if connector.access is None:
                    return await self._store.finish(lease, token=None, says=False)
                return await self._refresh(lease, connector.access)
        except OvertakenError:
            raise
        except CiteboundError as error:
            await self._store.fail(lease, error=error)
            raise
        except BaseException:
            await self._store.release(lease)
            raise

    async def _refresh(self, lease: AccessLease, access: SourceAccess) -> AccessReport:
        changed = [*await self._again(lease, access)]
        asked_at = self._clock.now()
        listing = access.changes(known=lease.known, since=lease.token, cursor=lease.cursor)
        async for part in listing:
            if isinstance(part, ReadersPage):
                changed += await self._store.keep(
                    lease, readers=part.readers, read_at=asked_at, cursor=part.cursor
                )
                asked_at = self._clock.now()
                continue
            if part.is_whole:
                await self._store.unlisted(lease, problem=UNLISTED)
            report = await self._store.finish(lease, token=part.token, says=True)
            keys = tuple(sorted({*changed, *report.changed}))
            return replace(report, changed=keys)
        raise ConfigError(f"the source {lease.source.name!r} broke off listing its readers")

    async def _again(self, lease: AccessLease, access: SourceAccess) -> tuple[str, ...]:
        """Ask for readers that could not be read: a listing of changes may not name them again."""
        asked_at = self._clock.now()
        readers: list[Readers] = []
        for item in lease.unread:
            try:
                readers.append(await access.of(item))
            except DocumentError as error:
                readers.append(UnreadReaders(item_id=item.item_id, problem=str(error)))
        if not readers:
            return ()
        return await self._store.keep(lease, readers=readers, read_at=asked_at, cursor=lease.cursor)
