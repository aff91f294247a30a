"""Bring the corpus in step with a source: add, revise, and withdraw by the rule of the source.

    lease -> list, page by page -> fetch and ingest what changed -> what is gone -> record, token

A page is remembered once it is worked through, and each policy is published whole or not at all:
whoever is interrupted goes on after the last page. A document that failed is tried again once it
changes. A source that lists nothing any more is more often broken than empty, so an automatic
withdrawal stops at a tenth of its policies, and before the last one.
"""

import dataclasses
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from core.domain.errors import (
    CiteboundError,
    OvertakenError,
    UsageError,
)
from core.ingest.publish import Ingestor
from core.leases import renewed
from core.ports import Clock
from core.sources.access import LEASE_RENEWED_EVERY_S, AccessSync
from core.sources.connector import (
    ChangePage,
    Connect,
    ListingEnd,
    SourceItem,
    Withdrawing,
)
from core.sources.intake import DocumentIntake, SyncStep
from core.sources.store import ItemState, KnownItem, SourceStore, SyncLease, SyncReport

WITHDRAWN_OF = 10
"""Of so many policies of a source one synchronisation may withdraw one unasked, and always one, but
never the last."""

logger = logging.getLogger(__name__)


class Withdrawals(Protocol):
    """Takes policies out of force."""

    async def withdraw(
        self, key: str, *, since: date, reason: str, is_file_gone: bool = False
    ) -> object:
        """Withdraw a policy from a day on.

        Raises:
            UsageError: There is no such policy, or it is withdrawn already.
        """
        ...


class SourceSync:
    """Synchronises sources. Safe from many processes: one at a time has the lease of a source."""

    def __init__(
        self,
        *,
        store: SourceStore,
        ingestor: Ingestor,
        withdrawals: Withdrawals,
        connect: Connect,
        clock: Clock,
    ) -> None:
        self._store = store
        self._ingestor = ingestor
        self._withdrawals = withdrawals
        self._connect = connect
        self._clock = clock
        self.access = AccessSync(store=store.access, connect=connect)
        """Who may read their documents, apart from their texts."""

    async def sync(
        self, name: str, *, on_step: Callable[[SyncStep], None] | None = None
    ) -> SyncReport:
        """Bring the corpus in step with a source; tell `on_step` of each document.

        Raises:
            UsageError: There is no such source.
            OccupiedError: Another process synchronises it.
            ConfigError: It can't be reached as it is set up.
            TransientError: It or the database fails; what was done stays, and the next one goes on.
        """
        lease = await self._store.lease(name)
        try:
            async with renewed(lambda: self._store.renew(lease), every_s=LEASE_RENEWED_EVERY_S):
                token, report = await self._sync(lease, on_step or _untold)
            compared = await self._store.finish(lease, token=token, report=report)
            return dataclasses.replace(report, compared=compared)
        except OvertakenError:
            raise
        except CiteboundError as error:
            await self._store.fail(lease, error=error)
            raise
        except BaseException:
            await self._store.release(lease)
            raise

    async def _sync(
        self, lease: SyncLease, tell: Callable[[SyncStep], None]
    ) -> tuple[str | None, SyncReport]:
        """Work through the source; return the token of its listing, and what it came to."""
        known = await self._store.known(lease)
        end = ListingEnd(token=lease.token, is_whole=False)
        async with self._connect(lease.source) as connector:
            intake = DocumentIntake(
                lease=lease, connector=connector, store=self._store, ingestor=self._ingestor
            )
            run = _Run(lease=lease, intake=intake, known=known, tell=tell)
            async for part in connector.changes(since=lease.token, cursor=lease.cursor):
                if isinstance(part, ListingEnd):
                    end = part
                else:
                    await self._page(run, part)
        if end.is_whole:
            run.gone += await self._store.unseen(lease)
        others = await self._store.count_others(lease, is_whole=end.is_whole)
        were_gone = {one.policy for one in known.values() if one.state is ItemState.GONE}
        withdrawn, held_back = await self._settle_gone(run)
        report = SyncReport(
            added=run.counts["added"],
            revised=run.counts["revised"],
            unchanged=run.counts["unchanged"],
            failed=run.counts["failed"],
            others=others,
            withdrawn=withdrawn,
            held_back=held_back,
            newly_held=tuple(one for one in held_back if one not in were_gone),
        )
        return end.token, report

    async def _page(self, run: "_Run", page: ChangePage) -> None:
        seen: list[str] = []
        listed = {item.item_id for item in page.items}
        run.gone = [one for one in run.gone if one.item_id not in listed]
        for item in page.items:
            before = run.known.get(item.item_id)
            if before is not None and _is_settled(before, item):
                seen.append(item.item_id)
                run.counts["failed" if before.state is ItemState.FAILED else "unchanged"] += 1
                continue
            asked_at = await self._store.now()
            taken = await run.intake.take(item, before)
            run.known[item.item_id] = taken.item
            run.counts[taken.step.word] += 1
            run.tell(taken.step)
            await self._store.keep(
                run.lease,
                items=[taken.item],
                cursor=run.cursor,
                readers=[taken.readers] if taken.readers else (),
                read_at=asked_at,
            )
        away = [*page.gone, *(one.item_id for one in page.others)]
        gone = _gone([run.known[one] for one in away if _is_there(run.known.get(one))])
        run.gone += gone
        run.known |= {one.item_id: one for one in gone}
        run.cursor = page.cursor
        if page.others or page.gone:
            await self._store.keep_others(run.lease, others=page.others, gone=page.gone)
        await self._store.keep(run.lease, items=gone, seen=seen, cursor=run.cursor)

    async def _settle_gone(self, run: "_Run") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Withdraw what is gone, or hold it back; return the keys of either.

        Whatever earlier synchronisations held back counts again.
        """
        gone = {one.item_id: one for one in run.gone}
        gone |= {one.item_id: one for one in run.known.values() if one.state is ItemState.GONE}
        held = {
            one.policy for one in run.known.values() if one.item_id not in gone and _is_there(one)
        }
        policies = {
            one.policy: one for one in gone.values() if one.policy and one.policy not in held
        }
        most = max(1, (len(policies) + len(held)) // WITHDRAWN_OF)
        source = run.lease.source
        is_few = bool(held) and len(policies) <= most
        may = source.withdrawing is Withdrawing.AUTOMATIC and is_few
        if may:
            for policy, item in policies.items():
                await self.withdraw_gone(policy, source=source.name, path=item.path)
        left = ItemState.WITHDRAWN if may else ItemState.GONE
        settled = [
            dataclasses.replace(one, state=left if one.policy in policies else ItemState.WITHDRAWN)
            for one in gone.values()
        ]
        keys = tuple(sorted(policies))
        withdrawn = keys if may else ()
        await self._store.keep(run.lease, items=settled, cursor=run.cursor, withdrawn=withdrawn)
        return (keys, ()) if may else ((), keys)

    async def withdraw_gone(self, policy: str, *, source: str, path: str) -> None:
        """Withdraw a policy whose document is gone from a source."""
        reason = f"its document is gone from the source {source}: {path}"
        await self.withdraw(policy, reason=reason, is_file_gone=True)

    async def withdraw(self, policy: str, *, reason: str, is_file_gone: bool = False) -> None:
        """Withdraw a policy from today on; one that is withdrawn already stays so."""
        try:
            await self._withdrawals.withdraw(
                policy,
                since=self._clock.today(),
                reason=reason,
                is_file_gone=is_file_gone,
            )
        except UsageError as error:
            logger.info("%s", error)


@dataclass(slots=True)
class _Run:
    """One synchronisation on its way."""

    lease: SyncLease
    """The right to it."""
    intake: DocumentIntake
    """Makes policies of its documents."""
    known: dict[str, KnownItem]
    """Documents by identity, as they are now."""
    tell: Callable[[SyncStep], None]
    """Is told of each document."""
    cursor: str | None = None
    """Of the last page that was worked through."""
    counts: dict[str, int] = field(
        default_factory=lambda: {"added": 0, "revised": 0, "unchanged": 0, "failed": 0}
    )
    """Documents by what became of them."""
    gone: list[KnownItem] = field(default_factory=list[KnownItem])
    """Documents that were deleted."""

    def __post_init__(self) -> None:
        """Begin where an interrupted one ended."""
        self.cursor = self.lease.cursor


def _gone(items: Sequence[KnownItem]) -> list[KnownItem]:
    """Return deleted documents as they are remembered until their policies are settled."""
    return [dataclasses.replace(one, state=ItemState.GONE) for one in items]


def _is_there(one: KnownItem | None) -> bool:
    """Say whether a document is known, and not as one that is gone."""
    return one is not None and one.state in {ItemState.STORED, ItemState.FAILED}


def _is_settled(before: KnownItem, item: SourceItem) -> bool:
    """Say whether a document was worked through as it is now."""
    is_same = before.version == item.version and before.path == item.path
    return is_same and _is_there(before)


def _untold(_: SyncStep) -> None:
    """Tell nobody."""
