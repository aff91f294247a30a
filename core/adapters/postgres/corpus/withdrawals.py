"""Withdraw policies, and list the files of those that are not withdrawn."""

from dataclasses import dataclass
from datetime import date

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.corpus.publication_events import (
    corpus_event,
    facts_changed,
    record_edition,
)
from core.adapters.postgres.corpus.publishing import open_edition
from core.adapters.postgres.corpus.untold_editions import note_untold
from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.tables import withdrawals
from core.adapters.postgres.engine.transactions import wait_for_publishing
from core.domain.audit import Tag
from core.domain.errors import OvertakenError, UsageError
from core.domain.policy import Withdrawal
from core.language.spans import VersionId
from core.ports.corpus import IngestRunId

_NEWEST = """
SELECT p.id AS policy_id, p.key, f.path, v.id AS version_id, v.title,
       (SELECT min(w.withdrawn_from) FROM citebound.withdrawals w
         WHERE w.policy_id = p.id AND w.edition > v.edition_from) AS withdrawn_from
  FROM citebound.policies p
  LEFT JOIN citebound.policy_files f ON f.policy_id = p.id
  JOIN LATERAL (SELECT * FROM citebound.policy_versions v WHERE v.policy_id = p.id
                   AND v.edition_until IS NULL ORDER BY v.number DESC LIMIT 1) v ON true"""
_OF_KEY = text(f"{_NEWEST} WHERE p.key = :key")
_BELOW = text(f"SELECT * FROM ({_NEWEST}) n WHERE starts_with(path, :folder) ORDER BY key")  # noqa: S608
_KEYS = text("SELECT key FROM citebound.policies ORDER BY key")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFile:
    """A policy that is not withdrawn, and the file that it was read from last."""

    key: str
    """The policy."""
    title: str
    """Of its newest version."""
    path: str
    """Absolute path of the file."""
    version_id: VersionId
    """Its newest version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A policy that was withdrawn."""

    key: str
    """The policy."""
    title: str
    """Of its newest version."""
    path: str | None
    """Absolute path of its file; None if that is not known."""
    withdrawal: Withdrawal
    """As stored."""
    record_id: str
    """Its entry in the record."""


@database_store
class PostgresWithdrawals:
    """Withdraws policies; each withdrawal is an edition, and is recorded."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, operator: str) -> None:
        self._engine = engine
        self._ledger = ledger
        self._operator = operator

    async def withdraw(
        self,
        key: str,
        *,
        since: date,
        reason: str,
        seen: VersionId | None = None,
        is_file_gone: bool = False,
        run: IngestRunId | None = None,
    ) -> Withdrawn:
        """Withdraw a policy from a day on, in this edition and later ones.

        Args:
            key: the policy.
            since: the first day without it.
            reason: why; it is stored, and its hash is in the record.
            seen: its newest version as the caller knows it; None: any.
            is_file_gone: see `Withdrawal.is_file_gone`.
            run: the ingestion that tells of it; None: none does.

        Raises:
            UsageError: There is no such policy, or it is withdrawn from that day on already.
            OvertakenError: A newer version than `seen` was published; nothing was withdrawn.
        """
        async with self._engine.begin() as connection:
            await wait_for_publishing(connection)
            found = (await connection.execute(_OF_KEY, {"key": key})).one_or_none()
            if found is None:
                raise UsageError(await _unknown(connection, key))
            if seen is not None and found.version_id != seen:
                raise OvertakenError(f"the policy {key!r} was ingested meanwhile")
            if found.withdrawn_from is not None and found.withdrawn_from <= since:
                raise UsageError(
                    f"the policy {key!r} is withdrawn from {found.withdrawn_from} on already"
                )
            withdrawal = Withdrawal(
                edition=await open_edition(connection, f"{key} withdrawn"),
                since=since,
                is_file_gone=is_file_gone,
                reason=reason,
            )
            await connection.execute(
                withdrawals.insert().values(
                    edition=withdrawal.edition,
                    policy_id=found.policy_id,
                    withdrawn_from=since,
                    is_file_gone=is_file_gone,
                    reason=reason,
                )
            )
            record_id = await self._record(connection, key, withdrawal, found.version_id)
            await note_untold(connection, withdrawal.edition, run=run, operator=self._operator)
        return Withdrawn(
            key=key,
            title=found.title,
            path=found.path,
            withdrawal=withdrawal,
            record_id=record_id,
        )

    async def _record(
        self, connection: AsyncConnection, key: str, withdrawal: Withdrawal, version_id: int
    ) -> str:
        """Record the edition and what it withdrew."""
        cause = await record_edition(
            connection,
            self._ledger,
            edition=withdrawal.edition,
            versions=[],
            facts=await facts_changed(connection, new=None, old=version_id),
            operator=self._operator,
        )
        says = {
            "policy": key,
            "policy_version": version_id,
            "since": withdrawal.since.isoformat(),
            "edition": withdrawal.edition,
            "file_gone": withdrawal.is_file_gone,
        }
        event = corpus_event(
            Tag.POLICY_WITHDRAWN, f"policy:{key}", says, operator=self._operator, cause=cause
        )
        return await self._ledger.event(connection, event, content={"reason": withdrawal.reason})

    async def files_below(self, folder: str) -> tuple[PolicyFile, ...]:
        """Return the policies that are not withdrawn and were read from files in a folder."""
        below = f"{folder.rstrip('/')}/"
        async with self._engine.connect() as connection:
            rows = (await connection.execute(_BELOW, {"folder": below})).all()
        return tuple(record(PolicyFile, row) for row in rows if row.withdrawn_from is None)


async def _unknown(connection: AsyncConnection, key: str) -> str:
    known = list(await connection.scalars(_KEYS))
    shown = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")  # noqa: PLR2004  # a line
    return f"there is no policy {key!r}; there are: {shown or 'none'}"
